package protocol

import (
	"cmp"
	"encoding/json"
)

// The amenities that a space can have.
const (
	AmenityShop        = "shop"
	AmenitySupermarket = "supermarket"
	AmenityCarWash     = "car_wash"
)

// Space is an entry of the snapshot's `spaces`.
type Space struct {
	// ID is the id of the space.
	ID string `json:"id" rule:"form=id,must,filled"`
	// Name is the name for people.
	Name string `json:"name" rule:"must"`
	// Description is a text for people.
	Description string `json:"description" rule:"blank"`
	// DesignKey names the look of its structure.
	DesignKey string `json:"designKey" rule:"must"`
	// Owner is the space's owner.
	Owner SpaceOwner `json:"owner" rule:"must"`
	// Amenities are the amenities that it offers.
	Amenities []string `json:"amenities" rule:"enum=Amenity,items=1..,unique,must"`
	// ActivityObjectIDs are the ids of the objects of its activities.
	ActivityObjectIDs []string `json:"activityObjectIds,omitempty"`
}

// SpaceOwner names a space's owner; NodeID is the space's own node if it has
// one, else its creator.
type SpaceOwner struct {
	// DisplayName is the owner's name for people.
	DisplayName string `json:"displayName" rule:"must"`
	// PlayerID is the owner's id on the map.
	PlayerID string `json:"playerId,omitempty" rule:"form=id"`
	// NodeID is the space's own node if it has one, else its creator.
	NodeID string `json:"nodeId,omitempty" rule:"form=id,sent"`
}

// StableKey returns the space's leaf key in the player chain.
func (s *Space) StableKey() string { return SpaceKey(s.ID) }

// RegisterSpaceRequest is the payload of registerSpaceNode.
type RegisterSpaceRequest struct {
	// ID is the id of the new space; the host chooses it if absent.
	ID          string            `json:"id,omitzero" rule:"form=id"`
	Name        string            `json:"name" rule:"form=name,chars=MaxNameChars"`
	Description string            `json:"description,omitzero" rule:"chars=MaxDescriptionChars,blank"`
	DesignKey   string            `json:"designKey" rule:"chars=MaxDesignKeyChars"`
	Owner       SpaceOwnerRequest `json:"owner" rule:"last"`
	Amenities   List[string]      `json:"amenities" rule:"enum=Amenity,chars=MaxKindChars,items=1..,unique"`
}

// SpaceOwnerRequest names the owner of a space to register.
type SpaceOwnerRequest struct {
	DisplayName string `json:"displayName" rule:"form=name,chars=MaxNameChars"`
	PlayerID    string `json:"playerId,omitzero" rule:"form=agent"`
}

// CreateSpaceRequest is the payload of createSpace.
type CreateSpaceRequest struct {
	Name             string `json:"name" rule:"form=name,chars=MaxNameChars"`
	DesignKey        string `json:"designKey" rule:"chars=MaxDesignKeyChars"`
	OwnerDisplayName string `json:"ownerDisplayName" rule:"form=name,chars=MaxNameChars"`
	Description      string `json:"description,omitzero" rule:"chars=MaxDescriptionChars,blank"`
	// StructureName is the name of the structure; the space's own if absent.
	StructureName string       `json:"structureName,omitzero" rule:"form=name,chars=MaxNameChars"`
	Amenities     List[string] `json:"amenities,omitzero" rule:"enum=Amenity,chars=MaxKindChars,items=1..,unique,default=shop"`
}

func (r *CreateSpaceRequest) check(*fields) *Error { //nolint:unparam // the signature of every check
	r.StructureName = cmp.Or(r.StructureName, r.Name)
	return nil
}

// CreateSpaceReply is the reply of createSpace.
type CreateSpaceReply struct {
	SpaceID string `json:"spaceId" rule:"form=id"`
	NodeID  string `json:"nodeId" rule:"form=hex64"`
	// Phrase is the phrase of the space's node. It is shown once.
	Phrase WireSecret `json:"phrase"`
	// Structure is the row that was put on the map.
	Structure json.RawMessage `json:"structure" rule:"ref=Structure"`
}

// SpaceRequest is the payload of inspectSpace and removeSpace.
type SpaceRequest struct {
	SpaceID string `json:"spaceId" rule:"form=id"`
}

// SpaceReply is the reply of registerSpaceNode and of changed amenities.
type SpaceReply struct {
	Space Space `json:"space"`
}

// SpacesReply is the reply of listSpaceNodes, in the order of the chain.
type SpacesReply struct {
	Spaces List[Space] `json:"spaces"`
}

// InspectSpaceReply is the reply of inspectSpace.
type InspectSpaceReply struct {
	Space Space `json:"space"`
	// Log is for the space node, the creator and the administrator: a list, which may
	// be empty; absent for other callers.
	Log []SpaceLogEntry `json:"log,omitzero"`
}

// SpaceLogEntry is one action on a space.
type SpaceLogEntry struct {
	// At is when it happened.
	At string `json:"at" rule:"form=stamp"`
	// Action is the action in the space's event.
	Action string `json:"action" rule:"enum=SpaceAction"`
	// By is the node that acted; absent for the administrator.
	By string `json:"by,omitzero"`
	// Detail is one sentence for a person.
	Detail string `json:"detail,omitzero"`
}

// AmenityRequest is the payload of addSpaceAmenity and removeSpaceAmenity.
type AmenityRequest struct {
	SpaceID string `json:"spaceId" rule:"form=id"`
	Kind    string `json:"kind" rule:"enum=Amenity"`
}
