package world

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/protocol"
)

// wideText returns a text of characters that have four bytes each.
func wideText(chars int) string { return strings.Repeat("\U0001F30D", chars) }

// largeSpace returns a space with a text of about 4 bytes for each character.
func largeSpace(chars int) RegisterSpace {
	return RegisterSpace{protocol.RegisterSpaceRequest{
		Name: "Large", DesignKey: "plain", Amenities: []string{"shop"}, Description: wideText(chars),
	}}
}

// checkMapBytes fails unless the bytes counted for accounts and for the world
// are those of the snapshot.
func (f *fixture) checkMapBytes() map[string]int {
	f.t.Helper()
	f.replica.mu.Lock()
	defer f.replica.mu.Unlock()
	want, all, got := map[string]int{}, 0, map[string]int{}
	owned := func(owner, key string) {
		size := len(rowOf(f.View(), key))
		want[owner] += size
		all += size
	}
	for key, o := range f.state.rows {
		switch row := o.(type) {
		case *protocol.Agent:
			owned(row.NodeID, key)
		case *protocol.MCP:
			owned(row.NodeID, key)
		}
	}
	for id, s := range f.state.spaces {
		owned(s.Creator, "space:"+id)
		owned(s.Creator, protocol.StructureKeyPrefix+s.StructureID)
	}
	for name, a := range f.state.accounts {
		if a.Amounts[MapBytes] != 0 {
			got[name] = a.Amounts[MapBytes]
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || f.state.used[MapBytes] != all {
		f.t.Errorf("%d bytes are on the map, counted %d (-map +counted):\n%s", all, f.state.used[MapBytes], diff)
	}
	return got
}

// wantMapBytesRefused fails unless a command is refused because of the limit of bytes on the
// map and the error names the limit.
func (f *fixture) wantMapBytesRefused(nodeID string, c Command, limit int) {
	f.t.Helper()
	_, err := f.try(nodeID, c)
	wantCode(f.t, err, protocol.CodeStorageLimit)
	if !strings.Contains(err.Error(), fmt.Sprintf("%d bytes on the map", limit)) {
		f.t.Errorf("the refusal does not name the limit: %v", err)
	}
	f.checkMapBytes()
}

// The bytes of accounts on the map are limited for each account and for the world:
// a command that exceeds a limit is refused, removed rows free their bytes, and a
// restart counts the same.
func TestMapBytesAreBounded(t *testing.T) {
	const account, together = 20_000, 30_000
	f := open(t, func(o *Options) { o.Limits.Account[MapBytes], o.Limits.World[MapBytes] = account, together })
	owner, other := f.main("owner"), f.main("other")
	a := f.agent(owner, "a")
	f.as(owner, registration(a))
	f.as(owner, RegisterMCP{protocol.MCPRegisterRequest{Name: "place"}})
	f.as(owner, CreateSpace{
		CreateSpaceRequest: protocol.CreateSpaceRequest{
			Name: "Corner", DesignKey: "plain", OwnerDisplayName: "Ada", Amenities: []string{"shop"}, StructureName: wideText(50),
		},
		NodeID: id("corner"),
	})
	f.checkMapBytes()
	first := f.as(owner, largeSpace(4000)).Value.(*protocol.SpaceReply).Space.ID //nolint:forcetypeassert // the reply's type
	f.wantMapBytesRefused(owner, largeSpace(2000), account)
	f.reopen()
	f.wantMapBytesRefused(owner, largeSpace(2000), account)

	// All kinds of rows are counted, also when a row only grows.
	longer := registration(a)
	longer.RealtimeInstructions = strings.Repeat("x", 8000)
	f.wantMapBytesRefused(owner, longer, account)
	f.wantMapBytesRefused(owner, RegisterMCP{protocol.MCPRegisterRequest{Name: "place", URL: "https://example.com/" + wideText(700)}}, account)
	way := journey(a, "find")
	way.Journey.Steps[0].Content = wideText(1000)
	f.wantMapBytesRefused(a, way, account)
	f.as(a, journey(a, "find"))
	f.as(other, largeSpace(2800))
	f.wantMapBytesRefused(other, largeSpace(300), together)

	before := f.checkMapBytes()[owner]
	f.as(owner, RemoveSpace{protocol.SpaceRequest{SpaceID: first}})
	if after := f.checkMapBytes()[owner]; after > before-4*4000 {
		t.Errorf("the account has %d bytes after %d were removed of %d", after, 4*4000, before)
	}
	f.as(owner, largeSpace(2000))
	f.as(owner, longer)
	f.checkMapBytes()
	f.as(owner, DeleteNode{NodeID: owner})
	f.checkMapBytes()
}

// A host whose map exceeds the limit, as after the limit was introduced, serves it:
// only commands that would make it larger are refused.
func TestMapAboveLimitIsServed(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(owner, registration(a))
	f.as(owner, RegisterMCP{protocol.MCPRegisterRequest{Name: "place"}})
	s := f.as(owner, largeSpace(1000)).Value.(*protocol.SpaceReply).Space.ID //nolint:forcetypeassert // the reply's type
	amenity := func(kind string) protocol.AmenityRequest {
		return protocol.AmenityRequest{SpaceID: s, Kind: kind}
	}
	f.as(owner, AddAmenity{amenity("supermarket")})
	for _, limits := range []Limits{{Account: Amounts{MapBytes: 500}}, {World: Amounts{MapBytes: 500}}} {
		f.options.Limits = limits
		f.reopen()
		f.wantMapBytesRefused(owner, RegisterMCP{protocol.MCPRegisterRequest{Name: "another"}}, 500)
		f.wantMapBytesRefused(owner, AddAmenity{amenity("car_wash")}, 500)
		f.as(owner, registration(a))
		f.as(owner, RegisterMCP{protocol.MCPRegisterRequest{Name: "place"}})
		f.wantMapBytesRefused(a, journey(a, "find"), 500)
		f.as(a, line(a, "hello"))
	}
	f.as(owner, RemoveAmenity{amenity("shop")})
	f.as(a, Disconnect{protocol.DisconnectRequest{PlayerID: a}})
	f.wantMapBytesRefused(a, registration(a), 500)
	f.as(owner, RemoveSpace{protocol.SpaceRequest{SpaceID: s}})
	f.checkMapBytes()
}

// The limit applies to the world, not to each host, also for rows registered at
// several hosts at the same time.
func TestMapBytesAreBoundedAcrossHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := openWithDifferentClocks(t, 3, Limits{World: Amounts{MapBytes: 50_000}})
		owner := id("owner")
		c.must(0, "", CreateMainNode{NodeID: owner, Digest: sha256.Sum256([]byte("owner")), APIKey: protocol.NewSecret("key")})
		if made := c.race(2, protocol.CodeStorageLimit, owner, func(int) Command { return largeSpace(4000) }); made != 3 {
			t.Errorf("%d spaces of 16,000 bytes were created, want 3", made)
		}
		used := c.worlds[0].Used()[MapBytes]
		for i, w := range c.worlds {
			if got := w.Used()[MapBytes]; got != used || got < 48_000 || got > 50_000 {
				t.Errorf("host %d counts %d bytes, host 0 %d", i, got, used)
			}
		}
	})
}
