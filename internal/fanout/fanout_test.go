package fanout

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

var update = flag.Bool("update", false, "write the golden files anew")

// openWorld is a world whose clock stands and whose ids are always the same.
func openWorld(t *testing.T) *world.World {
	t.Helper()
	journal := memory.Open(store.DefaultRetention())
	now := time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)
	w, err := world.Open(context.Background(), world.Options{
		Journal: journal, RootKey: strings.Repeat("ab", 32), NoRepository: true,
		Now: func() time.Time { return now }, Random: rand.NewChaCha8([32]byte{1}),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(w.Close(context.Background()), journal.Close()); err != nil {
			t.Error(err)
		}
	})
	return w
}

func do(t *testing.T, w *world.World, c world.Command) {
	t.Helper()
	if _, err := w.Do(context.Background(), world.Request{Caller: world.Caller{NodeID: "owner", Admin: true}}, c); err != nil {
		t.Fatalf("%T: %v", c, err)
	}
}

// live makes a few events of every sort: with and without a notify, for few, and
// the end of a session.
func live(t *testing.T, w *world.World) {
	t.Helper()
	do(t, w, world.Register{RegisterRequest: protocol.RegisterRequest{
		Name: "Ada & <Co>", Type: "test", AgentID: "ada", MainNodeID: "owner", EnableP2A: protocol.P2AOff,
		LeaseTTLSeconds: protocol.DefaultLeaseTTLSeconds,
		Agent:           protocol.AgentSpec{Type: "test", ToolNames: []string{protocol.ChatTool}},
	}})
	do(t, w, world.RecordInteraction{RecordInteractionRequest: protocol.RecordInteractionRequest{
		PlayerID: "ada", Role: protocol.RoleUser, Text: "hello\nworld",
	}})
	do(t, w, world.IntercomCommand{IntercomCommand: protocol.IntercomCommand{
		RequestID: "r1", MainNodeID: "owner", FromPlayerID: "__human__", ToPlayerID: "ada", Kind: "chat", Text: "psst",
	}})
	do(t, w, world.ResetSession{Reason: "admin"})
}

// channels is a pub/sub of slices. It ends a run once it has so many envelopes.
type channels struct {
	sent   map[string][]string
	order  []string
	enough int
	stop   context.CancelFunc
	fail   int
}

var errAway = errors.New("nobody carries this")

// Publish implements Publisher.
func (c *channels) Publish(_ context.Context, channel string, envelope []byte) error {
	if c.fail--; c.fail == 0 {
		return errAway
	}
	c.sent[channel] = append(c.sent[channel], string(envelope))
	c.order = append(c.order, channel)
	if c.enough--; c.enough == 0 {
		c.stop()
	}
	return nil
}

// run publishes until there were enough envelopes, or until it fails.
func run(t *testing.T, f *Fanout, c *channels, enough int) error {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	c.enough, c.stop = enough, stop
	return f.Run(ctx)
}

func newFanout(t *testing.T, w *world.World, after world.Cursor, services ...protocol.Service) (*Fanout, *channels) {
	t.Helper()
	c := &channels{sent: map[string][]string{}}
	f, err := New(Options{World: w, After: after, HostID: "h1", Services: services, Publisher: c})
	if err != nil {
		t.Fatal(err)
	}
	return f, c
}

const channel = "play:h1:world:events"

func TestEnvelopes(t *testing.T) {
	w := openWorld(t)
	f, c := newFanout(t, w, w.Cursor(), protocol.ServicePlay)
	live(t, w)
	if err := run(t, f, c, 3); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	got := strings.Join(c.sent[channel], "\n") + "\n"
	if strings.Contains(got, "psst") {
		t.Error("what is for few was published")
	}
	const golden = "testdata/envelopes.ndjson"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, []byte(got)) {
		t.Error(cmp.Diff(string(want), got))
	}
}

// Each service's channel gets each event once, in order, over a failure of the
// carrier at any point and a new fan-out that goes on where another left off.
func TestNothingTwiceAndNothingLost(t *testing.T) {
	w := openWorld(t)
	begin := w.Cursor()
	live(t, w)
	calm, want := newFanout(t, w, begin, protocol.ServicePlay)
	if err := run(t, calm, want, 3); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for fail := 1; fail <= 6; fail++ {
		t.Run(strconv.Itoa(fail), func(t *testing.T) {
			f, c := newFanout(t, w, begin, protocol.ServicePlay, protocol.ServiceAgentPlay)
			c.fail = fail
			if err := run(t, f, c, 6); !errors.Is(err, errAway) {
				t.Fatalf("the run ended with %v", err)
			}
			if err := run(t, f, c, 6-len(c.order)); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			for _, name := range []string{channel, "agent-play:h1:world:events"} {
				if !slices.Equal(c.sent[name], want.sent[channel]) {
					t.Errorf("%s had %q\nwant %q", name, c.sent[name], want.sent[channel])
				}
			}
		})
	}
	f, c := newFanout(t, w, begin, protocol.ServicePlay)
	for n := range 3 {
		if err := run(t, f, c, 1); !errors.Is(err, context.Canceled) {
			t.Fatalf("part %d: %v", n, err)
		}
		at := f.Cursor()
		next, rest := newFanout(t, w, at, protocol.ServicePlay)
		rest.sent = c.sent
		f, c = next, rest
	}
	if !slices.Equal(c.sent[channel], want.sent[channel]) {
		t.Errorf("in parts it had %q\nwant %q", c.sent[channel], want.sent[channel])
	}
}

func TestWhatIsMissing(t *testing.T) {
	w := openWorld(t)
	good := Options{World: w, HostID: "h", Services: []protocol.Service{protocol.ServicePlay}, Publisher: &channels{}}
	for name, change := range map[string]func(*Options){
		"World":     func(o *Options) { o.World = nil },
		"HostID":    func(o *Options) { o.HostID = "" },
		"Services":  func(o *Options) { o.Services = nil },
		"Publisher": func(o *Options) { o.Publisher = nil },
	} {
		o := good
		change(&o)
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("New without %s: %v", name, err)
		}
	}
}
