package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/protocol"
)

func TestSnapshotETag(t *testing.T) {
	f := newFixture(t)
	main := f.main()
	agent := f.player(main)
	first := f.get(f.play("/snapshot"), as(main)).ok()
	tag := first.header.Get("ETag")
	for _, header := range []string{tag, strings.TrimPrefix(tag, "W/"), `"x", ` + tag, "*"} {
		r := f.get(f.play("/snapshot"), as(main), with("If-None-Match", header))
		if r.status != http.StatusNotModified || len(r.body) != 0 {
			t.Errorf("If-None-Match %s: %d", header, r.status)
		}
	}
	f.say(agent, "not a change of the map")
	if r := f.get(f.play("/snapshot"), as(main), with("If-None-Match", tag)); r.status != http.StatusNotModified {
		t.Errorf("a chat line changed the tag: %d", r.status)
	}
	f.player(main)
	second := f.get(f.play("/snapshot"), as(main), with("If-None-Match", tag)).ok()
	if second.header.Get("ETag") == tag {
		t.Error("the map changed and its tag did not")
	}
	var snapshot, byRPC struct{ Snapshot json.RawMessage }
	snapshot.Snapshot = second.body
	f.rpc("getWorldSnapshot", map[string]any{}, as(main)).into(&byRPC)
	if string(snapshot.Snapshot) != string(byRPC.Snapshot) {
		t.Errorf("the operation's snapshot differs:\n%s\n%s", byRPC.Snapshot, snapshot.Snapshot)
	}
	if head := f.do(http.MethodHead, f.play("/snapshot"), nil, as(main)); head.status != http.StatusOK {
		t.Errorf("HEAD: %d", head.status)
	}
}

// The nodes of one batch are all of one rev, with proofs of it.
func TestBatchReadsProveOneRev(t *testing.T) {
	f := newFixture(t)
	main := f.main()
	agent := f.player(main)
	old := f.world.View()
	f.player(main)
	keys := []string{"__genesis__", "__header__", protocol.AgentKey(main.id, agent.id), "mcp:none", "space:none"}
	var now, then protocol.ChainNodesReply
	f.rpc("getPlayerChainNodes", map[string]any{"stableKeys": keys}, as(main)).into(&now)
	f.rpc("getPlayerChainNodes", map[string]any{"stableKeys": keys, "atRev": old.Rev}, as(main)).into(&then)
	v := f.world.View()
	if now.Rev != v.Rev || now.MerkleRootHex != v.Tree.Root().String() || now.MerkleLeafCount != v.Tree.Len() {
		t.Errorf("the batch reports rev %d root %s count %d", now.Rev, now.MerkleRootHex, now.MerkleLeafCount)
	}
	if then.Rev != old.Rev || then.MerkleRootHex != old.Tree.Root().String() || then.MerkleLeafCount != old.Tree.Len() {
		t.Errorf("the batch at rev %d reports rev %d root %s", old.Rev, then.Rev, then.MerkleRootHex)
	}
	if len(now.Nodes) != len(keys) {
		t.Fatalf("%d nodes for %d keys", len(now.Nodes), len(keys))
	}
	for i, key := range keys {
		var node protocol.ChainNode
		if err := json.Unmarshal(now.Nodes[i], &node); err != nil || node.StableKey != key {
			t.Errorf("node %d is %s, want that of %s (%v)", i, now.Nodes[i], key, err)
		}
	}
	for _, key := range keys[:3] {
		var reply protocol.ChainProofReply
		r := f.rpc("getPlayerChainProof", map[string]any{"stableKey": key}, as(main))
		r.into(&reply)
		var proof chain.Proof
		r.into(&proof)
		_, leaf := v.Tree.Find(key)
		if err := proof.Verify(leaf.Payload(), v.Tree.Root(), v.Tree.Len()); err != nil {
			t.Errorf("the proof of %s: %v", key, err)
		}
	}
	f.rpc("getPlayerChainProof", map[string]any{"stableKey": "mcp:none"}, as(main)).refused(protocol.CodeNotFound)
	f.rpc("getPlayerChainNode", map[string]any{"stableKey": "nonsense"}, as(main)).refused(protocol.CodeStableKeyUnknown)
	var one protocol.ChainNodeReply
	f.rpc("getPlayerChainNode", map[string]any{"stableKey": keys[2], "atRev": 0}, as(main)).into(&one)
	if *one.Rev > v.Rev || one.Node == nil {
		t.Errorf("a read at a dropped rev reports %d", *one.Rev)
	}
	// A read op ignores its sid.
	f.post("/api/play/sdk/rpc?sid=6f1d6f0e-0000-4000-8000-000000000000", `{"op":"getWorldSnapshot","payload":{}}`, as(main)).ok()
}

func TestListings(t *testing.T) {
	f := newFixture(t)
	main := f.main()
	one, two := f.player(main), f.player(main)
	for i := range 5 {
		f.say(one, "one "+strconv.Itoa(i))
		f.say(two, "two "+strconv.Itoa(i))
	}
	var page protocol.InteractionsReply
	f.rpc("listInteractions", map[string]any{"playerId": one.id, "limit": 2}, as(two)).into(&page)
	if !page.HasMore || len(page.Interactions) != 2 || page.Interactions[1].Text != "one 4" {
		t.Fatalf("the newest two of one agent: %+v", page)
	}
	before := page.Interactions[0].Seq
	f.rpc("listInteractions", map[string]any{"limit": 1000, "beforeSeq": before}, asAdmin).into(&page)
	if page.HasMore || len(page.Interactions) != 6 || page.Interactions[5].Seq >= before {
		t.Errorf("all before %d: %+v", before, page)
	}
	f.rpc("recordJourney", map[string]any{"playerId": one.id, "journey": map[string]any{
		"startedAt": "2026-01-02T03:04:05Z", "completedAt": "2026-01-02T03:04:06Z",
		"steps": []any{map[string]any{"type": "origin", "content": "hi", "messageId": "m", "unknown": 1}},
	}}, as(one)).ok()
	var journeys protocol.JourneysReply
	f.rpc("listJourneys", map[string]any{}, as(two)).into(&journeys)
	if len(journeys.Journeys) != 1 || len(journeys.Journeys[0].Path) != 1 {
		t.Errorf("the journeys: %+v", journeys)
	}
}

// A caller that wrote at one host waits at the next for its write, but not for long.
func TestMinRevWaitsOneSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		main := f.main()
		agent := f.agent(main)
		next := f.world.View().Rev + 1
		began := time.Now()
		r := f.get(f.play("/snapshot"), as(main), with(protocol.HeaderMinRev, itoa(next)))
		r.refused(protocol.CodeBehind)
		if took := time.Since(began); took != time.Second || r.header.Get("Retry-After") == "" {
			t.Errorf("the request waited %s; the headers are %v", took, r.header)
		}
		var done sync.WaitGroup
		done.Go(func() {
			wait(400 * time.Millisecond)
			f.post(f.play("/players"), registration(agent.id), as(agent)).ok()
		})
		began = time.Now()
		r = f.get(f.play("/snapshot"), as(main), with(protocol.HeaderMinRev, itoa(next))).ok()
		if took := time.Since(began); took != 400*time.Millisecond || r.header.Get("X-Play-Rev") != itoa(next) {
			t.Errorf("after %s the reply had rev %s", took, r.header.Get("X-Play-Rev"))
		}
		done.Wait()
		for _, bad := range []string{"x", "-1", "1.5"} {
			f.get(f.play("/snapshot"), as(main), with(protocol.HeaderMinRev, bad)).refused(protocol.CodeBodyInvalid)
		}
	})
}

// The host removes an agent whose lease has expired from the map within five
// seconds, without a request.
func TestAgentsWithExpiredLeasesAreRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		main := f.main()
		agent := f.agent(main)
		leased := registration(agent.id)
		leased["connectionId"], leased["leaseTtlSeconds"] = "c1", 10
		f.post(f.play("/players"), leased, as(agent)).ok()
		beat := map[string]any{"playerId": agent.id, "connectionId": "c1"}
		wait(8 * time.Second)
		f.post(f.play("/players/heartbeat"), beat, as(agent)).ok()
		wait(8 * time.Second)
		if f.row(protocol.AgentKey(main.id, agent.id)) == nil {
			t.Fatal("an agent that sends heartbeats was removed")
		}
		wait(7 * time.Second)
		if f.row(protocol.AgentKey(main.id, agent.id)) != nil {
			t.Fatal("5 s after its lease expired the agent is still on the map")
		}
		f.post(f.play("/players/heartbeat"), beat, as(agent)).refused(protocol.CodeLeaseUnknown)
	})
}

// A client that accepts gzip gets the same snapshot compressed, with an entity tag
// of its own.
func TestSnapshotCompression(t *testing.T) {
	f := newFixture(t)
	main := f.main()
	if r := f.get(f.play("/snapshot"), as(main), with("Accept-Encoding", "gzip")).ok(); r.header.Get("Content-Encoding") != "" {
		t.Error("a snapshot that fits a packet was compressed")
	}
	agent := f.player(main)
	for range 20 {
		f.player(main)
	}
	decoded := func(r *reply) string {
		t.Helper()
		if r.header.Get("Content-Encoding") != "gzip" || r.header.Get("Vary") != "Accept-Encoding" ||
			r.header.Get("Content-Length") != strconv.Itoa(len(r.body)) {
			t.Errorf("%v", r.header)
		}
		return string(f.decoded(r.header, r.body))
	}
	document := f.get(protocol.PathOpenAPI).ok()
	for range 2 {
		plain := f.get(f.play("/snapshot"), as(main)).ok()
		zipped := f.get(f.play("/snapshot"), as(main), with("Accept-Encoding", "br, gzip")).ok()
		if text := decoded(zipped); text != string(plain.body) || 2*len(zipped.body) > len(text) {
			t.Errorf("%d bytes became\n%s\nwant\n%s", len(zipped.body), text, plain.body)
		}
		tag := zipped.header.Get("ETag")
		if tag == plain.header.Get("ETag") || plain.header.Get("Content-Encoding") != "" {
			t.Errorf("both have the tag %s", tag)
		}
		for _, known := range []string{tag, plain.header.Get("ETag"), "*"} {
			r := f.get(f.play("/snapshot"), as(main), with("If-None-Match", known), with("Accept-Encoding", "gzip"))
			if r.status != http.StatusNotModified || r.header.Get("ETag") != tag {
				t.Errorf("If-None-Match %s: %d %s", known, r.status, r.header.Get("ETag"))
			}
		}
		reply := f.rpc("getWorldSnapshot", map[string]any{}, as(main)).ok()
		again := f.rpc("getWorldSnapshot", map[string]any{}, as(main), with("Accept-Encoding", "gzip")).ok()
		if text := decoded(again); text != string(reply.body) {
			t.Errorf("the operation's reply became\n%s\nwant\n%s", text, reply.body)
		}
		if text := decoded(f.get(protocol.PathOpenAPI, with("Accept-Encoding", "gzip")).ok()); text != string(document.body) {
			t.Error("the compressed OpenAPI document differs")
		}
		// Its seq changes, and its rev does not.
		f.say(agent, "not a change of the map")
	}
}

// Clients that accept gzip get the same lists compressed, and share them.
func TestListCompression(t *testing.T) {
	f := newFixture(t)
	agent := f.player(f.main())
	for i := range 60 {
		f.say(agent, fmt.Sprint("a line among others, of which this is number ", i))
	}
	for op, payload := range map[string]any{
		"listInteractions": map[string]any{"playerId": agent.id, "limit": 50},
		"listEvents":       map[string]any{"afterSeq": 0, "limit": 50},
	} {
		plain := f.rpc(op, payload, as(agent)).ok()
		for range 2 {
			short := f.rpc(op, payload, as(agent), with("Accept-Encoding", "gzip")).ok()
			if short.header.Get("Content-Encoding") != "gzip" || short.header.Get("Vary") != "Accept-Encoding" ||
				short.header.Get("Content-Length") != strconv.Itoa(len(short.body)) || 3*len(short.body) > len(plain.body) {
				t.Errorf("%s: %d of %d bytes, %v", op, len(short.body), len(plain.body), short.header)
			}
			if text := f.decoded(short.header, short.body); !bytes.Equal(text, plain.body) {
				t.Errorf("%s became\n%s\nwant\n%s", op, text, plain.body)
			}
		}
	}
	few := f.rpc("listInteractions", map[string]any{"playerId": agent.id, "limit": 1}, as(agent), with("Accept-Encoding", "gzip")).ok()
	if few.header.Get("Content-Encoding") != "" {
		t.Error("a list that fits a packet was compressed")
	}
	if n := f.host.lists.order.Len(); n != 2 {
		t.Errorf("%d lists are kept, want one for each text", n)
	}
}

// Compressed lists take no more memory than their limit, and those requested last
// stay.
func TestCompressedListsAreBounded(t *testing.T) {
	t.Parallel()
	var lists compressedLists
	noise := rand.New(rand.NewChaCha8([32]byte{}))
	text := func() [][]byte {
		b := make([]byte, 300<<10)
		for i := range b {
			b[i] = byte(noise.Uint32())
		}
		return [][]byte{b[:100], b[100:]}
	}
	first := text()
	want := lists.get(first)
	for range 20 {
		lists.get(text())
		if got := lists.get(first); &got[0] != &want[0] {
			t.Fatal("the list requested last was compressed again")
		}
	}
	size := 0
	for e := lists.order.Front(); e != nil; e = e.Next() {
		size += len(e.Value.(*compressedList).body)
	}
	if size != lists.size || size > compressedListsBytes || size < compressedListsBytes/2 || lists.order.Len() != len(lists.of) {
		t.Errorf("%d lists of %d bytes are kept; the count is %d", lists.order.Len(), size, lists.size)
	}
}
