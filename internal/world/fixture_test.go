package world

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/worldtest"
)

const testRootKey = worldtest.RootKey

// Short names for the helpers of worldtest.
type clock = worldtest.Clock

var (
	newClock   = worldtest.NewClock
	id         = worldtest.NodeID
	eventually = worldtest.Eventually
)

// fixture is a world on a journal, with helpers for tests.
type fixture struct {
	*World
	t       *testing.T
	clock   *clock
	journal store.Journal
	options Options
}

func open(t *testing.T, change ...func(*Options)) *fixture {
	t.Helper()
	f := &fixture{t: t, clock: newClock()}
	f.options = Options{
		Journal: memory.Open(store.DefaultRetention()), RootKey: testRootKey,
		Now: f.clock.Now, Random: rand.NewChaCha8([32]byte{1}),
	}
	for _, c := range change {
		c(&f.options)
	}
	f.journal = f.options.Journal
	f.start()
	t.Cleanup(func() {
		f.stop()
		if err := f.journal.Close(); err != nil {
			t.Errorf("close the journal: %v", err)
		}
	})
	return f
}

func (f *fixture) start() {
	f.t.Helper()
	w, err := Open(context.Background(), f.options)
	if err != nil {
		f.t.Fatalf("Open: %v", err)
	}
	f.World = w
}

func (f *fixture) stop() {
	f.t.Helper()
	if err := f.Close(context.Background()); err != nil {
		f.t.Errorf("close the world: %v", err)
	}
}

// reopen closes the world and recovers it from its journal.
func (f *fixture) reopen() {
	f.t.Helper()
	f.stop()
	f.start()
}

// as runs a command for a node and fails the test if it is refused.
func (f *fixture) as(nodeID string, c Command) Reply {
	f.t.Helper()
	reply, err := f.try(nodeID, c)
	if err != nil {
		f.t.Fatalf("%T: %v", c, err)
	}
	return reply
}

func (f *fixture) try(nodeID string, c Command) (Reply, error) {
	return f.Do(context.Background(), Request{Caller: Caller{NodeID: nodeID}, SID: f.View().SID}, c)
}

// main creates a main node and agent an agent node of one; both return the id.
func (f *fixture) main(name string) string {
	f.t.Helper()
	f.as("", CreateMainNode{NodeID: id(name), Digest: sha256.Sum256([]byte(name)), APIKey: protocol.NewSecret("key")})
	return id(name)
}

func (f *fixture) agent(owner, name string) string {
	f.t.Helper()
	f.as(owner, CreateAgentNode{AgentNodeID: id(name), Digest: sha256.Sum256([]byte(name))})
	return id(name)
}

// registration returns a minimal registration of an agent.
func registration(agentID string) Register {
	return Register{RegisterRequest: protocol.RegisterRequest{
		Name: "Agent " + agentID[:4], Type: "langchain", AgentID: agentID, EnableP2A: protocol.P2AOff,
		LeaseTTLSeconds: protocol.DefaultLeaseTTLSeconds,
		Agent:           protocol.AgentSpec{Type: "langchain", ToolNames: []string{protocol.ChatTool, "assist_find"}},
	}}
}

func leasedRegistration(agentID, connection string, ttl int) Register {
	r := registration(agentID)
	r.ConnectionID, r.LeaseTTLSeconds = connection, ttl
	return r
}

func line(playerID, text string) RecordInteraction {
	return RecordInteraction{protocol.RecordInteractionRequest{PlayerID: playerID, Role: protocol.RoleUser, Text: text}}
}

func journey(playerID string, tools ...string) RecordJourney {
	j := protocol.Journey{StartedAt: "2026-01-02T03:04:05.000Z", CompletedAt: "2026-01-02T03:04:06.000Z"}
	j.Steps = append(j.Steps, protocol.JourneyStep{Type: protocol.StepOrigin, Content: "q", MessageID: "m1"})
	for _, tool := range tools {
		j.Steps = append(j.Steps, protocol.JourneyStep{
			Type: protocol.StepStructure, ToolName: tool, ToolCallID: "c", Args: json.RawMessage(`{"b":1,"a":"<&>"}`),
		})
	}
	return RecordJourney{protocol.RecordJourneyRequest{PlayerID: playerID, Journey: j}}
}

// wantCode fails unless err has the code.
func wantCode(t *testing.T, err error, code protocol.Code) {
	t.Helper()
	if protocol.CodeOf(err) != code {
		t.Fatalf("got %v, want the code %s", err, code)
	}
}

// snapshotOf returns a view's snapshot.
func snapshotOf(v *View) []byte {
	var b bytes.Buffer
	s := v.Snapshot()
	b.Grow(s.Len())
	if n, err := s.WriteTo(&b); err != nil || n != int64(b.Len()) || b.Len() != s.Len() {
		panic(fmt.Sprintf("%d of %d bytes of a snapshot were written: %v", n, s.Len(), err))
	}
	return b.Bytes()
}

// inlineFrame returns an event's frame with inline nodes as one slice.
func inlineFrame(e *Event) []byte { return whole(e.inlineFrame()) }

// rowOf returns the canonical JSON of an occupant or a space, nil if the key is not on
// the map.
func rowOf(v *View, stableKey string) []byte {
	if _, leaf := v.Tree.Find(stableKey); leaf != nil {
		return leaf.Payload()
	}
	return nil
}

func whole(parts [3][]byte) []byte { return bytes.Join(parts[:], nil) }

// check verifies the invariants of a world: the root is the root of its rows, no
// two rows share a cell, all are inside the bounds, and the events so far name
// every change.
func (f *fixture) check() {
	f.t.Helper()
	view := f.View()
	snapshot, _, err := chain.ParseSnapshot(snapshotOf(view))
	if err != nil {
		f.t.Fatalf("the snapshot does not parse: %v", err)
	}
	if snapshot.Root() != view.Tree.Root() || snapshot.LeafCount() != view.Tree.Len() {
		f.t.Fatalf("the root of the snapshot's rows differs from the world's")
	}
	cells := map[cell]string{}
	for key, o := range f.occupants() {
		c := cellOf(o)
		if other, taken := cells[c]; taken {
			f.t.Fatalf("%s and %s share the cell %v", key, other, c)
		}
		cells[c] = key
		if x, y := o.Position(); x < view.Bounds.MinX || x > view.Bounds.MaxX || y < view.Bounds.MinY || y > view.Bounds.MaxY {
			f.t.Fatalf("%s at %v,%v is outside of %v", key, x, y, view.Bounds)
		}
	}
}

// occupants parses the rows of the newest view.
func (f *fixture) occupants() map[string]protocol.Occupant {
	f.t.Helper()
	rows := map[string]protocol.Occupant{}
	for _, leaf := range f.View().Tree.Occupants() {
		o, err := chain.ParseOccupant(leaf.Payload())
		if err != nil {
			f.t.Fatalf("row %s: %v", leaf.Key(), err)
		}
		rows[leaf.Key()] = o
	}
	return rows
}

// events returns all events after a seq.
func (f *fixture) events(after uint64) []*Event {
	f.t.Helper()
	var out []*Event
	for e, err := range f.History(context.Background(), after, f.Events().Head()) {
		if err != nil {
			f.t.Fatalf("History(%d): %v", after, err)
		}
		out = append(out, e)
	}
	return out
}
