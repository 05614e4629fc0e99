package client_test

import (
	"testing"

	"github.com/playctl/playctl/protocol"
)

func TestSpacesAtRealHost(t *testing.T) {
	a := openAccount(t)
	ctx := t.Context()
	made := must[*protocol.CreateSpaceReply](t)(a.main.CreateSpace(ctx, &protocol.CreateSpaceRequest{
		Name: "The Shop", DesignKey: "plain", OwnerDisplayName: "Ada",
	}))
	if made.Phrase.IsZero() || made.NodeID == "" || len(made.Structure) == 0 {
		t.Errorf("created %+v", made)
	}
	more := must[*protocol.SpaceReply](t)(a.main.AddSpaceAmenity(ctx, protocol.AmenityRequest{SpaceID: made.SpaceID, Kind: protocol.AmenityCarWash}))
	if len(more.Space.Amenities) != 2 {
		t.Errorf("amenities %v", more.Space.Amenities)
	}
	must[*protocol.SpaceReply](t)(a.main.RemoveSpaceAmenity(ctx, protocol.AmenityRequest{SpaceID: made.SpaceID, Kind: protocol.AmenityCarWash}))
	_, err := a.main.RemoveSpaceAmenity(ctx, protocol.AmenityRequest{SpaceID: made.SpaceID, Kind: protocol.AmenityShop})
	if !protocol.HasCode(err, protocol.CodeAmenityLast) {
		t.Errorf("the last amenity: %v", err)
	}
	must[*protocol.SpaceReply](t)(a.main.RegisterSpaceNode(ctx, &protocol.RegisterSpaceRequest{
		Name: "Bare", DesignKey: "plain", Owner: protocol.SpaceOwnerRequest{DisplayName: "Bob"}, Amenities: []string{protocol.AmenityShop},
	}))
	if list := must[*protocol.SpacesReply](t)(a.agent.ListSpaceNodes(ctx)); len(list.Spaces) != 2 {
		t.Errorf("spaces %+v", list)
	}
	if seen := must[*protocol.InspectSpaceReply](t)(a.main.InspectSpace(ctx, made.SpaceID)); seen.Space.Name != "The Shop" || len(seen.Log) == 0 {
		t.Errorf("inspected %+v", seen)
	}
	if removed := must[*protocol.OKReply](t)(a.main.RemoveSpace(ctx, made.SpaceID)); !removed.OK {
		t.Error("the space was not removed")
	}
	if _, err := a.main.InspectSpace(ctx, made.SpaceID); !protocol.HasCode(err, protocol.CodeSpaceUnknown) {
		t.Errorf("a removed space: %v", err)
	}
}

func TestIntercomAtRealHost(t *testing.T) {
	a := openAccount(t)
	ctx := t.Context()
	player := a.register(t).PlayerID
	command := &protocol.IntercomCommand{
		RequestID: "request-1", MainNodeID: a.main.Node(), FromPlayerID: protocol.HumanLabel, ToPlayerID: player,
		Kind: protocol.IntercomChat, Text: "Hello?",
	}
	for range 2 { // the second one is the same request
		must[*protocol.OKReply](t)(a.main.IntercomCommand(ctx, command, false))
	}
	answer := &protocol.IntercomResponse{
		RequestID: "request-1", MainNodeID: a.main.Node(), ToPlayerID: protocol.HumanLabel, FromPlayerID: player,
		Kind: protocol.IntercomChat, Status: protocol.IntercomCompleted, Message: "Hello!", TS: "2026-01-02T03:04:05.678Z",
	}
	must[*protocol.OKReply](t)(a.agent.IntercomResponse(ctx, answer))
	if _, err := a.agent.IntercomResponse(ctx, answer); !protocol.HasCode(err, protocol.CodeRequestUnknown) {
		t.Errorf("a second answer: %v", err)
	}
}
