package world

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/protocol"
)

// move is one step of a random schedule.
type move struct {
	caller  string
	viewer  string
	admin   bool
	command Command
	pass    time.Duration
}

// moves draws a schedule over a few accounts and agents, so that they interact.
func moves(t *rapid.T) []move {
	owners := []string{id("o1"), id("o2")}
	agents := []string{id("a1"), id("a2"), id("a3"), id("a4")}
	allNodes := append(slices.Clone(owners), agents...)
	who := rapid.SampledFrom(allNodes)
	agent := rapid.SampledFrom(agents)
	one := rapid.Custom(func(t *rapid.T) move {
		a := agent.Draw(t, "agent")
		m := move{caller: who.Draw(t, "caller"), pass: time.Duration(rapid.IntRange(0, 4000).Draw(t, "ms")) * time.Millisecond}
		switch rapid.IntRange(0, 21).Draw(t, "kind") {
		case 0:
			m.command, m.caller = CreateMainNode{NodeID: rapid.SampledFrom(owners).Draw(t, "owner"), Digest: sha256.Sum256(nil)}, ""
		case 1, 2:
			m.command = CreateAgentNode{AgentNodeID: a}
		case 3, 4:
			r := registration(a)
			r.ParentID, r.Group = rapid.SampledFrom([]string{"", agents[3]}).Draw(t, "parent"), rapid.SampledFrom([]string{"", "shop"}).Draw(t, "group")
			m.command = r
		case 5, 6:
			m.command = leasedRegistration(a, rapid.SampledFrom([]string{"c1", "c2"}).Draw(t, "connection"), rapid.IntRange(5, 20).Draw(t, "ttl"))
		case 7:
			m.command = heartbeat(a, "c1")
		case 8:
			m.command = Disconnect{protocol.DisconnectRequest{PlayerID: a}}
		case 9, 10:
			m.command = line(a, rapid.SampledFrom([]string{"", "hello", "<b>&\u2028 é 🚀"}).Draw(t, "text"))
		case 11:
			m.command = journey(a, rapid.SampledFrom([]string{"find", "buy"}).Draw(t, "tool"))
		case 12:
			m.command = RegisterMCP{protocol.MCPRegisterRequest{Name: rapid.SampledFrom([]string{"m1", "m2"}).Draw(t, "name"), URL: rapid.SampledFrom([]string{"", "http://h/"}).Draw(t, "url")}}
		case 13:
			m.command = expireLease{a}
		case 16, 17, 18:
			m.caller, m.viewer = "", rapid.SampledFrom([]string{"viewer:v1", "viewer:v2", "viewer:v3"}).Draw(t, "viewer")
			switch own := protocol.HumanKey(personID(m.viewer)); rapid.IntRange(0, 9).Draw(t, "person") {
			case 0:
				m.command = RemovePerson{}
			case 1:
				m.command, m.viewer = expireLease{own}, ""
			case 2:
				m.command, m.viewer, m.admin = RemoveOccupant{protocol.RemoveOccupantRequest{StableKey: own}}, "", true
			case 3, 4:
				m.command = personAction(m.viewer, rapid.SampledFrom([]string{a, personID("viewer:v1")}).Draw(t, "to"), rapid.SampledFrom([]string{"chat", "zone"}).Draw(t, "action"))
			default:
				m.command = putPerson(rapid.SampledFrom([]string{"Ada", "Bob"}).Draw(t, "name"), rapid.IntRange(0, 3).Draw(t, "x"), rapid.IntRange(0, 12).Draw(t, "y"))
			}
		case 19, 20, 21:
			m.command = drawActivity(t, a)
		case 14:
			m.command = DeleteAgent{AgentID: a}
		case 15:
			switch rapid.IntRange(0, 9).Draw(t, "rare") {
			case 0:
				m.command, m.admin = ResetSession{Reason: "test"}, true
			case 1, 2:
				m.caller = rapid.SampledFrom(owners).Draw(t, "leaver")
				m.command = DeleteNode{NodeID: m.caller}
			default:
				m.command, m.admin = RemoveOccupant{protocol.RemoveOccupantRequest{StableKey: protocol.AgentKey(owners[0], a)}}, true
			}
		}
		return m
	})
	start := []move{
		{command: CreateMainNode{NodeID: owners[0]}},
		{caller: owners[0], command: CreateAgentNode{AgentNodeID: agents[0]}},
		{caller: owners[0], command: CreateAgentNode{AgentNodeID: agents[1]}},
	}
	return append(start, rapid.SliceOfN(one, 0, 60).Draw(t, "moves")...)
}

func drawActivity(t *rapid.T, playerID string) RecordActivity {
	c := acting(playerID, rapid.SampledFrom(protocol.ActivityStates()).Draw(t, "state"), rapid.SampledFrom([]string{"", "Editing <b>&\u2028"}).Draw(t, "text"))
	c.ToolName = rapid.SampledFrom([]string{"", "edit"}).Draw(t, "tool")
	if rapid.Bool().Draw(t, "counted") {
		c.Usage = &protocol.Usage{CostUSD: new(rapid.SampledFrom([]float64{0, 0.1, 1e21}).Draw(t, "cost"))}
	}
	return c
}

// run plays a schedule against a world and returns all outcomes.
func run(t testing.TB, w *World, c *clock, schedule []move, each func()) []string {
	var outcomes []string
	for _, m := range schedule {
		c.Advance(m.pass)
		before := w.View()
		reply, err := w.Do(context.Background(), Request{Caller: Caller{NodeID: m.caller, Viewer: m.viewer, Admin: m.admin}}, m.command)
		body, _ := reply.JSON()
		outcomes = append(outcomes, fmt.Sprintf("%T %s %s", m.command, protocol.CodeOf(err), body))
		if code := protocol.CodeOf(err); code == protocol.CodeInternal || code == protocol.CodeStoreUnavailable {
			t.Fatalf("%T: %v", m.command, err)
		}
		if err != nil && w.View() != before {
			t.Fatalf("%T was refused (%v) and changed the view", m.command, err)
		}
		if each != nil {
			each()
		}
	}
	return outcomes
}

func openFor(t testing.TB, c *clock, journal store.Journal) *World {
	w, err := Open(context.Background(), Options{
		Journal: journal, RootKey: testRootKey, Now: c.Now, Random: rand.NewChaCha8([32]byte{7}),
	})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return w
}

func closeWorld(t testing.TB, w *World) {
	if err := w.Close(context.Background()); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// TestSameCommandsYieldSameWorld runs one schedule twice.
func TestSameCommandsYieldSameWorld(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		schedule := moves(r)
		var outcomes [2][]string
		var frames [2][]string
		for i := range 2 {
			c := newClock()
			w := openFor(t, c, memory.Open(store.DefaultRetention()))
			outcomes[i] = run(t, w, c, schedule, nil)
			for e, err := range w.History(context.Background(), 0, w.Events().Head()) {
				if err != nil {
					r.Fatal(err)
				}
				frames[i] = append(frames[i], string(inlineFrame(e)))
			}
			closeWorld(t, w)
		}
		if diff := cmp.Diff(outcomes[0], outcomes[1]); diff != "" {
			r.Errorf("outcomes differ:\n%s", diff)
		}
		if diff := cmp.Diff(frames[0], frames[1]); diff != "" {
			r.Errorf("events differ:\n%s", diff)
		}
	})
}

// TestRecoveryYieldsSameWorld restarts a world halfway and compares it with one
// that continued without a restart.
func TestRecoveryYieldsSameWorld(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		schedule := moves(r)
		cut := rapid.IntRange(0, len(schedule)).Draw(r, "cut")
		c := newClock()
		journal := memory.Open(store.DefaultRetention())
		w := openFor(t, c, journal)
		run(t, w, c, schedule[:cut], nil)
		closeWorld(t, w)
		before := describe(w)
		w = openFor(t, c, journal)
		if diff := cmp.Diff(before, describe(w)); diff != "" {
			r.Fatalf("recovered (-before +after):\n%s", diff)
		}
		run(t, w, c, schedule[cut:], nil)
		closeWorld(t, w)
	})
}

// describe returns everything of a world that must survive a restart.
func describe(w *World) map[string]any {
	leases := map[string]string{}
	for id, l := range w.state.leases {
		leases[id] = fmt.Sprint(l.ConnectionID, l.TTLSeconds)
	}
	lines, err := w.Interactions(context.Background(), protocol.ListRequest{Limit: 1000})
	journeys, err2 := w.Journeys(context.Background(), protocol.ListRequest{Limit: 1000})
	return map[string]any{
		"snapshot": string(snapshotOf(w.View())), "leases": leases, "nodes": w.registry.nodes,
		"children": w.registry.children, "aggregates": w.registry.aggregates, "reset": w.resetSeq.Load(),
		"cells": len(w.state.cells), "players": w.state.players, "owned": w.state.owned, "accounts": w.state.accounts, "used": w.state.used, "occupants": w.state.occupants, "people": w.state.people,
		"lines": fmt.Sprintf("%s %v %v %v", lines.Records, lines.HasMore, lines.Damaged, err), "journeys": fmt.Sprintf("%s %v %v", journeys.Records, journeys.Damaged, err2),
	}
}

// TestCopyReachesHostsRootAfterEveryEvent follows the stream as a client does: after
// every event the copy has the event's root, and at the end the host's.
func TestCopyReachesHostsRootAfterEveryEvent(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c := newClock()
		w := openFor(t, c, memory.Open(store.DefaultRetention()))
		defer closeWorld(t, w)
		copied := copyOf(r, w.View())
		seq, rev := uint64(0), uint64(0)
		run(t, w, c, moves(r), func() {
			events, _, err := w.Events().Since(seq, nil)
			if err != nil {
				r.Fatal(err)
			}
			for _, e := range events {
				if e.Seq != seq+1 || e.Rev < rev || e.Rev > rev+1 {
					r.Fatalf("event %d of rev %d follows %d of rev %d", e.Seq, e.Rev, seq, rev)
				}
				copied = follow(r, w, copied, e, rev)
				seq, rev = e.Seq, e.Rev
			}
		})
		if copied.Root() != w.View().Tree.Root() || rev != w.View().Rev || seq != w.View().Seq {
			r.Fatal("the copy differs from the world at the end")
		}
	})
}

func copyOf(r *rapid.T, v *View) *chain.Snapshot {
	s, _, err := chain.ParseSnapshot(snapshotOf(v))
	if err != nil {
		r.Fatal(err)
	}
	return s
}

// follow merges an event's inline nodes and compares the roots.
func follow(r *rapid.T, w *World, s *chain.Snapshot, e *Event, rev uint64) *chain.Snapshot {
	data, err := chain.ParseEventState(dataOf(inlineFrame(e)))
	if err != nil {
		r.Fatalf("%s: %v", inlineFrame(e), err)
	}
	switch {
	case e.Ends:
		return copyOf(r, w.View())
	case (data.Notify != nil) != (e.Rev != rev):
		r.Fatalf("event %d: rev %d after %d, notify %v", e.Seq, e.Rev, rev, data.Notify)
	case data.Notify != nil:
		if len(data.Inline) != len(data.Notify.Nodes) {
			r.Fatalf("event %d: %d nodes for %d refs", e.Seq, len(data.Inline), len(data.Notify.Nodes))
		}
		next, err := s.Merge(data.Inline...)
		if err != nil {
			r.Fatal(err)
		}
		s = next
	}
	if err := s.Verify(data.MerkleRootHex, data.MerkleLeafCount); err != nil {
		r.Fatalf("event %d (%s): %v", e.Seq, e.Kind, err)
	}
	return s
}

// dataOf returns the data line of a frame.
func dataOf(frame []byte) []byte {
	const mark = "\ndata: "
	text := string(frame)
	for i := range text {
		if len(text) > i+len(mark) && text[i:i+len(mark)] == mark {
			return frame[i+len(mark) : len(frame)-2]
		}
	}
	return nil
}
