package bridge

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// remote is a service that receives events, with replies that a test can change.
type remote struct {
	t      *testing.T
	server *httptest.Server

	mu sync.Mutex
	// taken are the events in the order in which they were first answered with 2xx,
	// and attempts counts all requests.
	taken    []delivery
	seen     map[uint64]bool
	attempts int
	// behavior answers a request, nil for 200; before is the number of earlier ones.
	behavior func(w http.ResponseWriter, r *http.Request, before int) (took bool)
	// moved is closed and created again at every answered request.
	moved chan struct{}
}

// delivery is one event as it arrived.
type delivery struct {
	protocol.BridgeEvent
	seq    uint64
	header http.Header
}

func newRemote(t *testing.T) *remote {
	t.Helper()
	r := &remote{t: t, seen: map[uint64]bool{}, moved: make(chan struct{})}
	r.server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(func() { r.server.Close() })
	return r
}

func (r *remote) serve(w http.ResponseWriter, request *http.Request) {
	text, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	var p delivery
	if err := protocol.Decode(text, &p.BridgeEvent); err != nil || request.URL.Path != "/hook/events" || request.Method != http.MethodPost {
		r.t.Errorf("%s %s: %s: %v", request.Method, request.URL.Path, text, err)
	}
	p.header = request.Header.Clone()
	if p.seq, err = strconv.ParseUint(request.Header.Get(protocol.HeaderIdempotencyKey), 10, 64); err != nil {
		r.t.Errorf("the idempotency key: %v", err)
	}
	r.mu.Lock()
	behavior, before := r.behavior, r.attempts
	r.attempts++
	r.mu.Unlock()
	took := true
	if behavior != nil {
		took = behavior(w, request, before)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if took && !r.seen[p.seq] {
		r.seen[p.seq] = true
		r.taken = append(r.taken, p)
	}
	close(r.moved)
	r.moved = make(chan struct{})
}

func (r *remote) behave(behavior func(w http.ResponseWriter, r *http.Request, before int) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.behavior = behavior
}

// until waits until a condition of the remote is true; the condition is called with
// the remote's lock held.
func (r *remote) until(what string, is func() bool) {
	r.t.Helper()
	patience := time.NewTimer(time.Minute)
	defer patience.Stop()
	for {
		r.mu.Lock()
		moved, ok := r.moved, is()
		r.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-moved:
		case <-patience.C:
			r.t.Fatalf("after a minute there is no %s", what)
		}
	}
}

// fixture is a world with an agent in it.
type fixture struct {
	*world.World
	t       *testing.T
	journal store.Journal
	agent   string
	logged  *syncBuffer
}

// syncBuffer is a log that can be written and read concurrently.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func newFixture(t *testing.T, journal store.Journal) *fixture {
	t.Helper()
	if journal == nil {
		journal = memory.Open(store.DefaultRetention())
	}
	f := &fixture{t: t, journal: journal, agent: "ada", logged: &syncBuffer{}}
	f.start()
	t.Cleanup(func() {
		f.stop()
		if err := journal.Close(); err != nil {
			t.Errorf("close the journal: %v", err)
		}
	})
	return f
}

func (f *fixture) start() {
	f.t.Helper()
	w, err := world.Open(context.Background(), world.Options{
		Journal: f.journal, RootKey: strings.Repeat("ab", 32), Now: time.Now, Random: rand.Reader, NoRepository: true, RingEvents: 8,
	})
	if err != nil {
		f.t.Fatal(err)
	}
	f.World = w
}

func (f *fixture) stop() {
	f.t.Helper()
	if err := f.World.Close(context.Background()); err != nil {
		f.t.Errorf("close the world: %v", err)
	}
}

func (f *fixture) do(c world.Command) world.Reply {
	f.t.Helper()
	reply, err := f.Do(context.Background(), world.Request{Caller: world.Caller{NodeID: f.agent, Admin: true}}, c)
	if err != nil {
		f.t.Fatalf("%T: %v", c, err)
	}
	return reply
}

func (f *fixture) register() {
	f.t.Helper()
	f.do(world.Register{RegisterRequest: protocol.RegisterRequest{
		Name: "Ada", Type: "test", AgentID: f.agent, EnableP2A: protocol.P2AOff, MainNodeID: f.agent,
		LeaseTTLSeconds: protocol.DefaultLeaseTTLSeconds,
		Agent:           protocol.AgentSpec{Type: "test", ToolNames: []string{protocol.ChatTool}},
	}})
}

func (f *fixture) recordLines(n int) {
	f.t.Helper()
	for i := range n {
		f.do(world.RecordInteraction{RecordInteractionRequest: protocol.RecordInteractionRequest{
			PlayerID: f.agent, Role: protocol.RoleUser, Text: "<line & " + strconv.Itoa(i) + ">",
		}})
	}
}

// ask creates events with a limited audience.
func (f *fixture) ask(request string) {
	f.t.Helper()
	f.do(world.IntercomCommand{IntercomCommand: protocol.IntercomCommand{
		RequestID: request, MainNodeID: f.agent, FromPlayerID: "__human__", ToPlayerID: f.agent, Kind: "chat", Text: "psst",
	}})
}

// url returns the remote's address with secrets in it.
func (r *remote) url() string {
	return strings.Replace(r.server.URL, "http://", "http://someone:the-bridge-password@", 1) + "/hook/"
}

func (f *fixture) bridge(r *remote, change ...func(*Options)) *Bridge {
	f.t.Helper()
	o := Options{World: f.World, URL: r.url(), Logger: slog.New(slog.NewTextHandler(f.logged, nil))}
	for _, c := range change {
		c(&o)
	}
	b, err := Open(context.Background(), o)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { f.closeBridge(b) })
	return b
}

func (f *fixture) closeBridge(b *Bridge) {
	f.t.Helper()
	if err := b.Close(context.Background()); err != nil {
		f.t.Errorf("close the bridge: %v", err)
	}
}

// wantAll fails unless the remote has exactly the public events after a seq, in
// order, with their data and session.
func (f *fixture) wantAll(r *remote, after uint64, sid func(seq uint64) string) {
	f.t.Helper()
	var want []*world.Event
	for e, err := range f.History(context.Background(), after, f.Events().Head()) {
		if err != nil {
			f.t.Fatal(err)
		}
		if e.IsPublic() {
			want = append(want, e)
		}
	}
	r.until("event "+strconv.FormatUint(want[len(want)-1].Seq, 10), func() bool { return r.seen[want[len(want)-1].Seq] })
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.taken) != len(want) {
		f.t.Fatalf("the remote has %d events, want %d", len(r.taken), len(want))
	}
	for i, e := range want {
		got := r.taken[i]
		if got.seq != e.Seq || string(got.Event) != e.Kind || got.SID != sid(e.Seq) || !bytes.Equal(got.Payload, json.RawMessage(e.Data)) {
			f.t.Fatalf("event %d of the remote is %d %s of %s: %s\nwant %d %s of %s: %s",
				i, got.seq, got.Event, got.SID, got.Payload, e.Seq, e.Kind, sid(e.Seq), e.Data)
		}
	}
}

func always(sid string) func(uint64) string { return func(uint64) string { return sid } }
