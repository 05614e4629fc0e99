package host

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/worldtest"
)

// addJourney records a journey that takes about n bytes in the store.
func (f *fixture) addJourney(agent string, n int) {
	f.t.Helper()
	step := protocol.JourneyStep{Type: protocol.StepOrigin, Content: strings.Repeat("x", n/2), MessageID: "m"}
	_, err := f.world.Do(f.t.Context(), world.Request{Caller: world.Caller{NodeID: agent}, SID: f.world.View().SID}, world.RecordJourney{
		RecordJourneyRequest: protocol.RecordJourneyRequest{PlayerID: agent, Journey: protocol.Journey{
			Steps: []protocol.JourneyStep{step}, StartedAt: "2026-01-02T03:04:05.000Z", CompletedAt: "2026-01-02T03:04:06.000Z",
		}},
	})
	if err != nil {
		f.t.Fatal(err)
	}
}

// maxJourneyBytes is the greatest size of a stored journey: the body of a request has it
// once, the row and its event twice.
const maxJourneyBytes = 256 << 10

// longWriteTimeout lets a subscriber that does not read stay connected for the whole test.
func longWriteTimeout(s *setup) { s.host.Streams.WriteTimeout = time.Hour }

func TestUnreadReplayUsesLittleMemory(t *testing.T) {
	f := newFixture(t, smallRing, longWriteTimeout)
	n := f.serve()
	owner := f.main()
	agent := f.player(owner)
	for range 100 {
		f.addJourney(agent.id, maxJourneyBytes)
	}
	for range 8 {
		f.say(agent, "the ring has no journeys")
	}
	before := worldtest.LiveHeap()
	const streams = 10
	for range streams {
		s := n.open(as(owner), "&inline=1", with(protocol.HeaderLastEventID, "0"))
		defer s.close()
		for range 3 {
			s.next()
		}
		// The first bytes of an event are here, so the host is writing the batch.
		if _, err := s.lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	each := (worldtest.LiveHeap() - before) / streams
	t.Logf("a stream uses %d bytes", each)
	if each > 1<<20 {
		t.Errorf("%d unread replaying streams use %d bytes each", streams, each)
	}
}

// stall sends a request and reads only the beginning of the reply.
func (n *network) stall(op string, payload any, who func(*http.Request)) *http.Response {
	n.t.Helper()
	body, err := json.Marshal(map[string]any{"op": op, "payload": payload})
	if err != nil {
		n.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(n.t.Context(), http.MethodPost, "http://host"+n.play("/sdk/rpc"), strings.NewReader(string(body)))
	if err != nil {
		n.t.Fatal(err)
	}
	r.Header.Set("Content-Type", protocol.MediaTypeJSON)
	who(r)
	reply, err := n.client.Do(r)
	if err != nil {
		n.t.Fatal(err)
	}
	if _, err := io.ReadFull(reply.Body, make([]byte, 16<<10)); err != nil || reply.StatusCode != http.StatusOK {
		n.t.Fatalf("%s: %d, %v", op, reply.StatusCode, err)
	}
	return reply
}

func TestUnreadReplyUsesLittleMemory(t *testing.T) {
	f := newFixture(t, longWriteTimeout)
	n := f.serve()
	owner := f.main()
	agent := f.player(owner)
	for range 40 {
		f.addJourney(agent.id, maxJourneyBytes)
	}
	key := protocol.AgentKey(owner.id, agent.id)
	keys := make([]string, protocol.MaxStableKeys)
	for i := range keys {
		keys[i] = key
	}
	for _, c := range []struct {
		op      string
		payload any
		most    int
	}{
		{"listJourneys", map[string]any{"limit": 1000}, 2 << 20},
		{"getPlayerChainNodes", map[string]any{"stableKeys": keys}, 1 << 20},
		{"getPlayerChainProof", map[string]any{"stableKey": key}, maxJourneyBytes / 2},
	} {
		const readers = 5
		before := worldtest.LiveHeap()
		for range readers {
			reply := n.stall(c.op, c.payload, as(owner))
			defer func() { _ = reply.Body.Close() }()
		}
		each := (worldtest.LiveHeap() - before) / readers
		t.Logf("a reader of %s uses %d bytes", c.op, each)
		if each > c.most {
			t.Errorf("%d stalled readers of %s use %d bytes each, want at most %d", readers, c.op, each, c.most)
		}
	}
}

// A page ends before it would exceed 1 MiB, with at least one row; continuing with
// beforeSeq leads to all rows.
func TestPageOfLongRecordsIsBounded(t *testing.T) {
	f := newFixture(t)
	owner := f.main()
	agent := f.player(owner)
	const journeys = 9
	for range journeys {
		f.addJourney(agent.id, maxJourneyBytes)
	}
	for _, payload := range []map[string]any{{}, {"playerId": agent.id}} {
		read, pages := 0, 0
		for more := true; more; pages++ {
			var page protocol.JourneysReply
			reply := f.rpc("listJourneys", payload, as(owner))
			reply.into(&page)
			if len(page.Journeys) == 0 || len(reply.body) > 1<<20 || page.HasMore != (read+len(page.Journeys) < journeys) {
				t.Fatalf("a page after %d journeys has %d in %d bytes, more: %t", read, len(page.Journeys), len(reply.body), page.HasMore)
			}
			read += len(page.Journeys)
			more, payload["beforeSeq"] = page.HasMore, page.Journeys[0].Seq
		}
		if read != journeys || pages < 3 {
			t.Errorf("%d of %d journeys in %d pages", read, journeys, pages)
		}
	}
}

// Every key of a batch keeps its place, even if it is named twice.
func TestBatchReturnsNodeForEachRepeatedKey(t *testing.T) {
	f := newFixture(t)
	owner := f.main()
	one, two := protocol.AgentKey(owner.id, f.player(owner).id), protocol.AgentKey(owner.id, f.player(owner).id)
	keys := []string{one, two, one, "mcp:none", one, protocol.HeaderStableKey, protocol.GenesisStableKey, two}
	var reply protocol.ChainNodesReply
	f.rpc("getPlayerChainNodes", map[string]any{"stableKeys": keys}, as(owner)).into(&reply)
	if len(reply.Nodes) != len(keys) {
		t.Fatalf("%d keys get %d nodes", len(keys), len(reply.Nodes))
	}
	for i, key := range keys {
		parts, err := f.world.View().AppendNode(nil, key)
		want := slices.Concat(parts...)
		if err != nil || string(reply.Nodes[i]) != string(want) {
			t.Errorf("node %d is %s, want %s, %v", i, reply.Nodes[i], want, err)
		}
	}
}

// TestWatchSessionsUseNoMemory opens sessions of the watch page: the state of a
// session is in its cookie, so there may be any number of them.
func TestWatchSessionsUseNoMemory(t *testing.T) {
	f := local(newFixture(t))
	f.watchCookie(protocol.WatchScopeAct, "")
	mark := f.stateSummary()
	const sessions = 1_000
	// Other memory that the process allocates meanwhile is allocated once.
	least := math.MaxInt
	for range 3 {
		before := worldtest.LiveHeap()
		for range sessions {
			// The requests skip the checks of every reply, which take longer.
			rec := httptest.NewRecorder()
			f.handler.ServeHTTP(rec, f.request(http.MethodPost, f.service.WatchSession(), "{}", asOwnPage))
			if rec.Code != http.StatusOK || len(rec.Header().Values("Set-Cookie")) != 1 {
				t.Fatalf("no session: %d %s", rec.Code, rec.Body)
			}
		}
		least = min(least, worldtest.LiveHeap()-before)
	}
	if least > sessions*16 || f.stateSummary() != mark {
		t.Errorf("%d sessions use %d bytes, and %s became %s", sessions, least, mark, f.stateSummary())
	}
}

// stalledWriter is a client that reads nothing until it is released.
type stalledWriter struct {
	*httptest.ResponseRecorder
	once    sync.Once
	stalls  chan struct{}
	release chan struct{}
}

func (w *stalledWriter) Write(b []byte) (int, error) {
	w.once.Do(func() { close(w.stalls) })
	<-w.release
	return len(b), nil
}

// TestUnreadListsAreNotEncoded requests long lists of nodes and does not read
// them: each takes a buffer, and all together hold the agents' records once.
func TestUnreadListsAreNotEncoded(t *testing.T) {
	f := newFixture(t)
	owner := f.main()
	tools := []string{"chat_tool"}
	for i := range 50 {
		tools = append(tools, fmt.Sprintf("tool_%d_%s", i, strings.Repeat("x", 40)))
	}
	const agents = 80
	for i := range agents {
		a := f.agent(owner)
		registered := registration(a.id)
		registered["agent"] = map[string]any{"type": "test", "toolNames": tools}
		f.post(f.play("/players"), registered, as(a)).ok()
		f.post(protocol.PathNodeLabel, map[string]any{"nodeId": a.id, "label": fmt.Sprint("agent ", i)}, as(owner)).ok()
	}
	for path, c := range map[string]struct {
		who   func(*http.Request)
		reply any
	}{
		protocol.PathAgents:                                         {as(owner), &protocol.AgentsReply{}},
		protocol.PathAgents + "?labels=true":                        {as(owner), &protocol.AgentsReply{}},
		protocol.PathNodes:                                          {as(owner), &protocol.NodesReply{}},
		protocol.PathNodes + "?labels=true":                         {as(owner), &protocol.NodesReply{}},
		protocol.PathNodes + "?all=true":                            {asAdmin, &protocol.AllNodesReply{}},
		protocol.PathNodes + "?all=true&usage=true&labels=true":     {asAdmin, &protocol.AllNodesReply{}},
		protocol.PathNodes + "?all=true&usage=true&agentBytes=true": {asAdmin, &protocol.AllNodesReply{}},
	} {
		t.Run(path, func(t *testing.T) {
			r := f.get(path, c.who)
			r.into(c.reply)
			body := r.body
			if again, err := json.Marshal(c.reply); err != nil || string(again) != string(body) {
				t.Errorf("the list differs from the contract: %v\n%.2000s\n%.2000s", err, body, again)
			}
			labels := 0
			if strings.Contains(path, "labels") {
				labels = agents
			}
			if n := strings.Count(string(body), `"agentId":`); n != agents || strings.Count(string(body), `"label":"agent `) != labels {
				t.Fatalf("the list has %d agents of %d: %.200s", n, agents, body)
			}
			before := worldtest.LiveHeap()
			const readers = 20
			release := make(chan struct{})
			var reading sync.WaitGroup
			for range readers {
				w := &stalledWriter{httptest.NewRecorder(), sync.Once{}, make(chan struct{}), release}
				reading.Go(func() { f.handler.ServeHTTP(w, f.request(http.MethodGet, path, nil, c.who)) })
				<-w.stalls
			}
			each := (worldtest.LiveHeap() - before) / readers
			close(release)
			reading.Wait()
			t.Logf("of %d bytes a reader holds %d", len(body), each)
			if each > len(body)/4 {
				t.Errorf("a reader holds %d of %d bytes", each, len(body))
			}
		})
	}
}
