package world

import (
	"context"
	"slices"
	"testing"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

func newSpace(name string) CreateSpace {
	return CreateSpace{
		CreateSpaceRequest: protocol.CreateSpaceRequest{
			Name: name, DesignKey: "d", OwnerDisplayName: "Ann", StructureName: name, Amenities: []string{protocol.AmenityShop},
		},
		NodeID: id("node of " + name), Phrase: protocol.NewSecret("a phrase"),
	}
}

func created(t *testing.T, reply Reply) *protocol.CreateSpaceReply {
	t.Helper()
	r, ok := reply.Value.(*protocol.CreateSpaceReply)
	if !ok {
		t.Fatalf("the reply is %T", reply.Value)
	}
	return r
}

func TestSpaceLifecycle(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	before := f.View()
	space := created(t, f.as(owner, newSpace("corner")))
	if f.View().Rev != before.Rev+1 || f.View().Seq != before.Seq+1 {
		t.Error("creating a space is not one rev and one event")
	}
	structure, err := chain.ParseOccupant(space.Structure)
	if err != nil {
		t.Fatal(err)
	}
	if rowOf(f.View(), structure.StableKey()) == nil || rowOf(f.View(), protocol.SpaceKey(space.SpaceID)) == nil {
		t.Error("the space or its structure is not on the map")
	}
	f.check()

	f.as(space.NodeID, AddAmenity{protocol.AmenityRequest{SpaceID: space.SpaceID, Kind: protocol.AmenityCarWash}})
	_, err = f.try(owner, AddAmenity{protocol.AmenityRequest{SpaceID: space.SpaceID, Kind: protocol.AmenityCarWash}})
	wantCode(t, err, protocol.CodeAmenityExists)
	row, ok := f.occupants()[structure.StableKey()].(*protocol.Structure)
	if !ok || !slices.Equal(row.Amenities, []string{"shop", "car_wash"}) {
		t.Errorf("the structure offers %v", row)
	}
	f.as(owner, RemoveAmenity{protocol.AmenityRequest{SpaceID: space.SpaceID, Kind: protocol.AmenityShop}})
	_, err = f.try(owner, RemoveAmenity{protocol.AmenityRequest{SpaceID: space.SpaceID, Kind: protocol.AmenityCarWash}})
	wantCode(t, err, protocol.CodeAmenityLast)

	f.reopen()
	rev := f.View().Rev
	f.as(owner, RemoveSpace{protocol.SpaceRequest{SpaceID: space.SpaceID}})
	if f.View().Rev != rev+1 || f.View().Tree.Len() != before.Tree.Len() {
		t.Error("removing a space is not one change, or leaves rows")
	}
	if f.Registry().Node(space.NodeID) != nil {
		t.Error("the space's node still exists")
	}
	for pair, err := range f.journal.Scan(context.Background(), store.SpaceLogs, store.Range{}) {
		t.Errorf("the log still has %q (%v)", pair.Key, err)
	}
	_, err = f.try(owner, RemoveSpace{protocol.SpaceRequest{SpaceID: space.SpaceID}})
	wantCode(t, err, protocol.CodeSpaceUnknown)
}

func TestStrangersCannotChangeASpace(t *testing.T) {
	f := open(t)
	owner, stranger := f.main("owner"), f.main("stranger")
	one := created(t, f.as(owner, newSpace("one")))
	other := created(t, f.as(stranger, newSpace("other")))
	before := f.View()
	for name, c := range map[string]struct {
		caller  string
		command Command
	}{
		"a foreign space node adds":          {other.NodeID, AddAmenity{protocol.AmenityRequest{SpaceID: one.SpaceID, Kind: protocol.AmenityCarWash}}},
		"another main node removes":          {stranger, RemoveSpace{protocol.SpaceRequest{SpaceID: one.SpaceID}}},
		"the space's own node removes":       {one.NodeID, RemoveSpace{protocol.SpaceRequest{SpaceID: one.SpaceID}}},
		"a space node creates a space":       {one.NodeID, newSpace("third")},
		"another main node creates its node": {stranger, CreateSpaceNode{SpaceID: one.SpaceID, NodeID: id("x")}},
	} {
		_, err := f.try(c.caller, c.command)
		if protocol.CodeOf(err) != protocol.CodeForbidden {
			t.Errorf("%s: %v, want forbidden", name, err)
		}
	}
	if f.View() != before {
		t.Error("a refused command published a view")
	}
}

func TestSpacesAreRemovedWithCreator(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	empty := f.View().Tree.Len()
	space := created(t, f.as(owner, newSpace("one")))
	f.as(owner, RegisterSpace{protocol.RegisterSpaceRequest{
		ID: "plain", Name: "p", DesignKey: "d", Owner: protocol.SpaceOwnerRequest{DisplayName: "Ann"}, Amenities: []string{"shop"},
	}})
	rev := f.View().Rev
	f.as(owner, DeleteNode{NodeID: owner})
	if f.View().Rev != rev+1 || f.View().Tree.Len() != empty || f.Registry().Node(space.NodeID) != nil {
		t.Error("rows or nodes of the spaces remain, or the removal was not one change")
	}
	f.check()
}

func TestProximityCountsSurviveDisconnect(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(a, registration(a))
	near := func(action string) ProximityAction {
		return ProximityAction{protocol.ProximityActionRequest{FromPlayerID: protocol.HumanLabel, ToPlayerID: a, Action: action}}
	}
	rev := f.View().Rev
	f.as(owner, near(protocol.ProximityChat))
	if f.View().Rev != rev {
		t.Error("a chat signal changed the map")
	}
	for range protocol.FlaggedZoneCount {
		f.as(owner, near(protocol.ProximityZone))
	}
	f.as(owner, near(protocol.ProximityYield))
	f.as(a, Disconnect{protocol.DisconnectRequest{PlayerID: a}})
	f.reopen()
	f.as(a, registration(a))
	row, ok := f.occupants()[protocol.AgentKey(owner, a)].(*protocol.Agent)
	if !ok || row.ZoneCount != protocol.FlaggedZoneCount || row.YieldCount != 1 || !row.Flagged {
		t.Errorf("the new row is %+v", row)
	}
	if f.View().Rev != rev+protocol.FlaggedZoneCount+3 {
		t.Errorf("%d revs, want one for each count and two for the row", f.View().Rev-rev)
	}
}

func TestAdministratorRemovesStructure(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	space := created(t, f.as(owner, newSpace("corner")))
	structure, err := chain.ParseOccupant(space.Structure)
	if err != nil {
		t.Fatal(err)
	}
	rev, seq := f.View().Rev, f.View().Seq
	remove := RemoveOccupant{protocol.RemoveOccupantRequest{StableKey: structure.StableKey()}}
	_, err = f.try(owner, remove)
	wantCode(t, err, protocol.CodeForbidden)
	if _, err := f.Do(context.Background(), Request{Caller: Caller{Admin: true}}, remove); err != nil {
		t.Fatal(err)
	}
	if f.View().Rev != rev+1 || f.View().Seq != seq+1 || rowOf(f.View(), remove.StableKey) != nil {
		t.Error("the removal is not one rev and one event, or the structure remains")
	}
	f.as(owner, RemoveSpace{protocol.SpaceRequest{SpaceID: space.SpaceID}})
	f.check()
}

func TestJourneyVisitsStructureOfAmenity(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(a, registration(a))
	space := created(t, f.as(owner, newSpace("corner")))
	structure, err := chain.ParseOccupant(space.Structure)
	if err != nil {
		t.Fatal(err)
	}
	f.as(a, journey(a, "assist_shop", "elsewhere"))
	row, ok := f.occupants()[protocol.AgentKey(owner, a)].(*protocol.Agent)
	if !ok || row.LastUpdate == nil {
		t.Fatal("the row has no journey")
	}
	x, y := structure.Position()
	at, other := row.LastUpdate.Path[1], row.LastUpdate.Path[2]
	if protocol.StructureKeyPrefix+at.StructureID != structure.StableKey() || at.X != x || at.Y != y {
		t.Errorf("the shop was visited at %+v, it is %s at %v,%v", at, structure.StableKey(), x, y)
	}
	if other.StructureID != "agent:"+a {
		t.Errorf("a tool without an amenity was used at %q", other.StructureID)
	}
}
