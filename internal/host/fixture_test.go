package host

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/openapitest"
	"github.com/playctl/playctl/test/worldtest"
)

const adminToken = "the-administrators-own-token"

// fixture is a host over a world in memory.
type fixture struct {
	t       testing.TB
	journal store.Journal
	world   *world.World
	host    *Host
	handler http.Handler
	phrases int
	// service is the name in the paths that the fixture uses.
	service protocol.Service
}

// setup holds the options that a test changes before a fixture is created.
type setup struct {
	host    Options
	world   world.Options
	deriver creds.DeriverOptions
	journal store.Journal
}

func newFixture(t testing.TB, change ...func(*setup)) *fixture {
	t.Helper()
	metrics := NewMetrics()
	s := &setup{
		journal: memory.Open(store.DefaultRetention()),
		deriver: creds.DeriverOptions{Derive: worldtest.CheapID},
		world:   world.Options{RootKey: worldtest.RootKey, Now: time.Now, Random: rand.Reader, Observer: metrics},
		host:    Options{AdminToken: protocol.NewSecret(adminToken), Metrics: metrics, Address: "127.0.0.1:0"},
	}
	s.host.Streams.DrainJitter = time.Millisecond
	for _, c := range change {
		c(s)
	}
	f := &fixture{t: t, service: protocol.ServicePlay, journal: s.journal}
	s.world.Journal = s.journal
	w, err := world.Open(context.Background(), s.world)
	if err != nil {
		t.Fatalf("open the world: %v", err)
	}
	f.world = w
	s.host.World, s.host.Deriver = w, creds.NewDeriver(s.deriver)
	if f.host, err = New(s.host); err != nil {
		t.Fatalf("create the host: %v", err)
	}
	// Other tests do not wait for replies to wrong tokens.
	f.host.guesses.turns, f.host.guesses.pause = rate.NewLimiter(rate.Inf, 0), 0
	f.handler = f.host.Handler()
	t.Cleanup(f.close)
	return f
}

func (f *fixture) close() {
	ctx := context.Background()
	if err := f.host.Close(ctx); err != nil {
		f.t.Errorf("close the host: %v", err)
	}
	if err := f.world.Close(ctx); err != nil {
		f.t.Errorf("close the world: %v", err)
	}
	if err := f.journal.Close(); err != nil {
		f.t.Errorf("close the journal: %v", err)
	}
}

// identity is a node with its secret, as a client knows it.
type identity struct {
	id, hash, apiKey string
}

// newIdentity returns an identity with a new phrase.
func (f *fixture) newIdentity() identity {
	f.phrases++
	hash := creds.HashPhrase(fmt.Sprintf("phrase number %d", f.phrases))
	id, err := worldtest.CheapID(hash, worldtest.RootKey)
	if err != nil {
		f.t.Fatal(err)
	}
	return identity{id: id, hash: hash.Reveal()}
}

// main registers a main node.
func (f *fixture) main() identity {
	f.t.Helper()
	n := f.newIdentity()
	var reply protocol.CreateNodeReply
	f.post(protocol.PathNodes, map[string]any{"nodeId": n.id, "passwHash": n.hash}).into(&reply)
	n.apiKey = reply.APIKey.Reveal()
	return n
}

// agent creates an agent node of a main node.
func (f *fixture) agent(owner identity) identity {
	f.t.Helper()
	n := f.newIdentity()
	f.post(protocol.PathAgentNode, map[string]any{"agentNodeId": n.id, "agentNodePasswHash": n.hash}, as(owner)).ok()
	n.apiKey = owner.apiKey
	return n
}

// player creates an agent node and puts it on the map.
func (f *fixture) player(owner identity) identity {
	f.t.Helper()
	n := f.agent(owner)
	f.post(f.play("/players"), registration(n.id), as(n)).ok()
	return n
}

func registration(agentID string) map[string]any {
	return map[string]any{
		"name": "Ada", "type": "test", "agentId": agentID,
		"agent": map[string]any{"type": "test", "toolNames": []string{"chat_tool"}},
	}
}

// play returns a path of the world with the live sid.
func (f *fixture) play(path string) string {
	return "/api/" + string(f.service) + path + "?sid=" + f.world.View().SID
}

// say records a chat line through the rpc route.
func (f *fixture) say(who identity, text string) {
	f.t.Helper()
	f.rpc("recordInteraction", map[string]any{"playerId": who.id, "role": "user", "text": text}, as(who)).ok()
}

func (f *fixture) rpc(op string, payload any, options ...func(*http.Request)) *reply {
	f.t.Helper()
	return f.post(f.play("/sdk/rpc"), map[string]any{"op": op, "payload": payload}, options...)
}

func (f *fixture) get(target string, options ...func(*http.Request)) *reply {
	f.t.Helper()
	return f.do(http.MethodGet, target, nil, options...)
}

// post sends a value as JSON; a string is sent unchanged.
func (f *fixture) post(target string, body any, options ...func(*http.Request)) *reply {
	f.t.Helper()
	return f.do(http.MethodPost, target, body, options...)
}

func (f *fixture) do(method, target string, body any, options ...func(*http.Request)) *reply {
	f.t.Helper()
	rec := httptest.NewRecorder()
	request := f.request(method, target, body, options...)
	sent := recordBody(request)
	f.handler.ServeHTTP(rec, request)
	result := rec.Result()
	text, err := io.ReadAll(result.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	if err := result.Body.Close(); err != nil {
		f.t.Fatal(err)
	}
	openapitest.Check(f.t, &openapitest.Exchange{
		Request: request, Sent: sent.Bytes(), Status: result.StatusCode, Header: result.Header, Body: f.decoded(result.Header, text),
	})
	return &reply{t: f.t, what: method + " " + target, status: result.StatusCode, header: result.Header, body: text}
}

// decoded returns a body as a client decodes it.
func (f *fixture) decoded(header http.Header, body []byte) []byte {
	f.t.Helper()
	if len(body) == 0 {
		return body
	}
	var in io.Reader
	var err error
	switch header.Get("Content-Encoding") {
	case "gzip":
		in, err = gzip.NewReader(bytes.NewReader(body))
	default:
		return body
	}
	if err != nil {
		f.t.Fatal(err)
	}
	text, err := io.ReadAll(in)
	if err != nil {
		f.t.Fatal(err)
	}
	return text
}

func (f *fixture) request(method, target string, body any, options ...func(*http.Request)) *http.Request {
	f.t.Helper()
	var reader io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	default:
		text, err := json.Marshal(b)
		if err != nil {
			f.t.Fatal(err)
		}
		reader = strings.NewReader(string(text))
	}
	r := httptest.NewRequest(method, target, reader)
	r.RemoteAddr, r.Host = "127.0.0.1:40000", "127.0.0.1"
	if reader != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, o := range options {
		o(r)
	}
	return r
}

// as adds a node's credentials and its account's API key.
func as(n identity) func(*http.Request) {
	return func(r *http.Request) {
		r.Header.Set(protocol.HeaderNodeID, n.id)
		r.Header.Set(protocol.HeaderNodePassw, n.hash)
		if n.apiKey != "" {
			r.Header.Set(protocol.HeaderAPIKey, n.apiKey)
		}
	}
}

func asAdmin(r *http.Request) { r.Header.Set("Authorization", "Bearer "+adminToken) }

func with(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func from(addr string) func(*http.Request) { return func(r *http.Request) { r.RemoteAddr = addr } }

// reply is the host's reply.
type reply struct {
	t      testing.TB
	what   string
	status int
	header http.Header
	body   []byte
}

// ok fails the test unless the reply is 200.
func (r *reply) ok() *reply {
	r.t.Helper()
	if r.status != http.StatusOK {
		r.t.Fatalf("%s: status %d, want 200: %s", r.what, r.status, r.body)
	}
	return r
}

// into decodes a reply that must be 200.
func (r *reply) into(v any) {
	r.t.Helper()
	r.ok()
	if err := json.Unmarshal(r.body, v); err != nil {
		r.t.Fatalf("%s: read the reply %s: %v", r.what, r.body, err)
	}
}

// refused fails the test unless the reply is the error of a code, in the
// contract's form.
func (r *reply) refused(code protocol.Code) *protocol.ErrorBody {
	r.t.Helper()
	var e protocol.ErrorBody
	if err := json.Unmarshal(r.body, &e); err != nil {
		r.t.Fatalf("%s: status %d, want %s: the body is not an error: %s", r.what, r.status, code, r.body)
	}
	if e.Code != code || r.status != protocol.Status(code) {
		r.t.Fatalf("%s: %d %s (%s), want %d %s", r.what, r.status, e.Code, e.Error, protocol.Status(code), code)
	}
	if e.Error == "" || e.RequestID == "" || e.RequestID != r.header.Get("X-Request-Id") {
		r.t.Fatalf("%s: the error has no text or no request id: %s", r.what, r.body)
	}
	return &e
}

// stateSummary is the state that a 4xx must not change.
func (f *fixture) stateSummary() string {
	f.t.Helper()
	head, err := f.journal.Head(context.Background())
	if err != nil {
		f.t.Fatal(err)
	}
	v := f.world.View()
	return fmt.Sprintf("rev %d seq %d head %d root %s", v.Rev, v.Seq, head, v.Tree.Root())
}

// endsAtOnce fails the test unless the reply is a stream that ends at once and asks the
// client to retry.
func (r *reply) endsAtOnce(t testing.TB) {
	t.Helper()
	after, found := strings.CutPrefix(strings.TrimSuffix(string(r.body), "\n\n"), "retry: ")
	ms, err := strconv.Atoi(after)
	wait := time.Duration(ms) * time.Millisecond
	if !found || err != nil || wait < soonest || wait > latest || r.ok().header.Get("Content-Type") != protocol.MediaTypeSSE {
		t.Errorf("%s: %q, want a stream that ends at once", r.what, r.body)
	}
}

// frameOf returns the public frame of an event, with its nodes if inline is set.
func frameOf(e *world.Event, inline bool) []byte {
	parts := e.FrameFor(world.Caller{}, inline, false)
	return bytes.Join(parts[:], nil)
}

// row returns the canonical JSON of an occupant or a space, nil if the key is not on the
// map.
func (f *fixture) row(stableKey string) []byte {
	if _, leaf := f.world.View().Tree.Find(stableKey); leaf != nil {
		return leaf.Payload()
	}
	return nil
}

func itoa(n uint64) string { return strconv.FormatUint(n, 10) }
