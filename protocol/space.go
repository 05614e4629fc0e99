package protocol

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
