package bench

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/host"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/bolt"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// served is a host on an embedded store, with agents on its map.
type served struct {
	tb      testing.TB
	addr    string
	sid     string
	main    identity
	agents  []identity
	derived int
	// derive derives node ids: scrypt if the host is a real process.
	derive creds.DeriveFunc
}

// identity is a node's credentials.
type identity struct{ id, hash, apiKey string }

// cheapID replaces scrypt while the fixture creates its nodes: no benchmark here
// measures it, except the one that counts derivations.
func (s *served) cheapID(hash creds.PasswHash, rootKey string) (string, error) {
	s.derived++
	sum := sha256.Sum256([]byte(hash.Reveal() + rootKey))
	return hex.EncodeToString(sum[:]), nil
}

// serve starts a host with n agents on its map.
func serve(tb testing.TB, n int) *served {
	tb.Helper()
	s, stop := serveAt(tb, filepath.Join(tb.TempDir(), "world.playstore"), strings.Repeat("ab", 32), n)
	tb.Cleanup(stop)
	return s
}

// serveAt is like serve, on a given store.
func serveAt(tb testing.TB, path, rootKey string, n int) (s *served, stop func()) {
	tb.Helper()
	return serveKeeping(tb, store.DefaultRetention(), path, rootKey, n)
}

// serveKeeping is like serveAt, with the retention of the store.
func serveKeeping(tb testing.TB, keeps store.Retention, path, rootKey string, n int) (s *served, stop func()) {
	tb.Helper()
	s = &served{tb: tb}
	s.derive = s.cheapID
	journal, w := openWorld(tb, keeps, path, rootKey, n)
	deriver := creds.NewDeriver(creds.DeriverOptions{Derive: s.cheapID})
	h, err := host.New(host.Options{World: w, Deriver: deriver, Address: "127.0.0.1:0", Limits: host.RateLimits{RequestsPerSecond: -1, CreationsPerMinute: -1}})
	must(tb, err)
	must(tb, h.Listen(context.Background()))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(ctx) }()
	stop = func() {
		cancel()
		must(tb, <-ended)
		must(tb, h.Close(context.Background()))
		must(tb, w.Close(context.Background()))
		must(tb, journal.Close())
	}
	s.addr = h.Addr().String()
	s.populate(rootKey, n)
	return s, stop
}

// openWorld opens a store with room for n agents on its map.
func openWorld(tb testing.TB, keeps store.Retention, path, rootKey string, n int) (*bolt.Journal, *world.World) {
	tb.Helper()
	journal, err := bolt.Open(context.Background(), bolt.Options{Path: path, RootKey: rootKey, Retention: keeps})
	must(tb, err)
	w, err := world.Open(context.Background(), world.Options{
		Journal: journal, RootKey: rootKey, Now: time.Now, Random: rand.Reader,
		Limits: world.Limits{Occupants: max(n, 100)},
	})
	must(tb, err)
	return journal, w
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func (s *served) populate(rootKey string, n int) {
	s.tb.Helper()
	s.main = s.identity("main", rootKey)
	var made protocol.CreateNodeReply
	s.post(identity{}, protocol.PathNodes, map[string]any{"nodeId": s.main.id, "passwHash": s.main.hash}, &made)
	s.main.apiKey = made.APIKey.Reveal()
	var session protocol.SessionReply
	s.get(s.main, "/api/play/session", &session)
	s.sid = session.SID
	for i := range n {
		a := s.identity(fmt.Sprint("agent", i), rootKey)
		a.apiKey = s.main.apiKey
		s.post(s.main, "/api/nodes/agent-node", map[string]any{"agentNodeId": a.id, "agentNodePasswHash": a.hash}, nil)
		s.post(a, "/api/play/players?sid="+s.sid, map[string]any{
			"name": fmt.Sprint("Agent ", i), "type": "langchain", "agentId": a.id,
			"agent": map[string]any{"type": "langchain", "toolNames": []string{"chat_tool", "assist_search", "assist_book"}},
		}, nil)
		s.agents = append(s.agents, a)
	}
}

func (s *served) identity(name, rootKey string) identity {
	s.tb.Helper()
	hash := creds.HashPhrase(name)
	id, err := s.derive(hash, rootKey)
	must(s.tb, err)
	return identity{id: id, hash: hash.Reveal()}
}

func (s *served) post(n identity, path string, body, reply any) {
	s.tb.Helper()
	b, err := json.Marshal(body)
	must(s.tb, err)
	s.call(n, http.MethodPost, path, b, reply)
}

func (s *served) get(n identity, path string, reply any) {
	s.tb.Helper()
	s.call(n, http.MethodGet, path, nil, reply)
}

func (s *served) call(n identity, method, path string, body []byte, reply any) {
	s.tb.Helper()
	c := dial(s.tb, s.addr)
	defer c.close()
	status, text, err := c.do(request(n, method, path, body))
	must(s.tb, err)
	if status != http.StatusOK {
		s.tb.Fatalf("%s %s: status %d: %s", method, path, status, text)
	}
	if reply != nil {
		must(s.tb, json.Unmarshal(text, reply))
	}
}

// interaction returns the request that records a line of 200 characters.
func (s *served) interaction(a identity) []byte {
	body, err := json.Marshal(map[string]any{"op": "recordInteraction", "payload": map[string]any{
		"playerId": a.id, "role": "assistant", "text": strings.Repeat("benchmark ", 20),
	}})
	must(s.tb, err)
	return request(a, http.MethodPost, "/api/play/sdk/rpc?sid="+s.sid, body)
}

// activity returns the request that reports an activity.
func (s *served) activity(a identity, state, text string) []byte {
	body, err := json.Marshal(map[string]any{"op": "recordActivity", "payload": map[string]any{"playerId": a.id, "state": state, "text": text}})
	must(s.tb, err)
	return request(a, http.MethodPost, "/api/play/sdk/rpc?sid="+s.sid, body)
}
