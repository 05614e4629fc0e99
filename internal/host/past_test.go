package host

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/protocol"
)

// A late client verifies every map of the session, from the oldest one and the
// events after it.
func TestPastMapsVerifyFromEvents(t *testing.T) {
	f := newFixture(t)
	owner := f.main()
	for range 3 {
		f.say(f.player(owner), "a line")
	}
	var first protocol.SnapshotReply
	f.rpc("getWorldSnapshotAt", map[string]any{"rev": 0}, as(owner)).into(&first)
	snapshot, stated, err := chain.ParseSnapshot(first.Snapshot)
	if err != nil {
		t.Fatal(err)
	}
	var copied chain.Copy
	if err := copied.Replace(snapshot, stated); err != nil {
		t.Fatal(err)
	}
	var events []protocol.ListedEvent
	for after, more := uint64(0), true; more; {
		var page protocol.ListEventsReply
		f.rpc("listEvents", map[string]any{"afterSeq": after, "limit": 2}, as(owner)).into(&page)
		events, after, more = append(events, page.Events...), page.LastSeq, page.HasMore
	}
	for _, e := range events {
		state, err := chain.ParseEventState(e.Data)
		if err != nil {
			t.Fatal(err)
		}
		if found, err := copied.Apply(&state, &e.Seq); found != chain.Equal || err != nil {
			t.Errorf("event %d of rev %d: %v, %v", e.Seq, e.Rev, found, err)
		}
	}
	if v := f.world.View(); copied.Snapshot().Root() != v.Tree.Root() || len(events) != 6 {
		t.Errorf("%d events lead to a map that differs from the host's", len(events))
	}
	// A brief list has the subject of each event, and nothing else.
	var brief struct {
		Events []map[string]json.RawMessage
	}
	f.rpc("listEvents", map[string]any{"brief": true}, as(owner)).into(&brief)
	for i, e := range brief.Events {
		if string(e["playerId"]) != `"`+protocol.Subject(events[i].Data)+`"` || e["data"] != nil || len(e) != 5 {
			t.Errorf("event %d is listed as %v", i, e)
		}
	}
}

// A past rev that is not in memory is replayed in the caller's turn. Without one the
// request is refused, to be sent again.
func TestReplayWaitsForTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		main := f.main()
		agent := f.player(main)
		first := f.world.View().Rev
		for i := range 200 {
			r := registration(agent.id)
			r["name"] = "name " + itoa(uint64(i))
			f.post(f.play("/players"), r, as(main)).ok()
		}
		requests := map[string]map[string]any{
			"getPlayerChainNode": {"stableKey": protocol.HeaderStableKey, "atRev": first},
			"getWorldSnapshotAt": {"rev": first},
		}
		turns := f.host.replaying
		f.host.replaying = newFairSemaphore(0)
		for op, request := range requests {
			began := time.Now()
			r := f.rpc(op, request, as(main))
			r.refused(protocol.CodeOverloaded)
			if took := time.Since(began); took != readingTurn || r.header.Get("Retry-After") == "" {
				t.Errorf("%s waited %s; the headers are %v", op, took, r.header)
			}
		}
		f.host.replaying = turns
		for op, request := range requests {
			if r := f.rpc(op, request, as(main)).ok(); r.header.Get("X-Play-Rev") != itoa(first) {
				t.Errorf("%s answers as of rev %s, want %d", op, r.header.Get("X-Play-Rev"), first)
			}
		}
	})
}
