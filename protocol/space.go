package protocol

// The amenities that a space can have.
const (
	AmenityShop        = "shop"
	AmenitySupermarket = "supermarket"
	AmenityCarWash     = "car_wash"
)

// Space is an entry of the snapshot's `spaces`.
type Space struct {
	ID                string     `json:"id" rule:"form=id,must,filled"`
	Name              string     `json:"name" rule:"must"`
	Description       string     `json:"description" rule:"blank"`
	DesignKey         string     `json:"designKey" rule:"must"`
	Owner             SpaceOwner `json:"owner" rule:"must"`
	Amenities         []string   `json:"amenities" rule:"enum=Amenity,items=1..,unique,must"`
	ActivityObjectIDs []string   `json:"activityObjectIds,omitempty"`
}

// SpaceOwner names a space's owner; NodeID is the space's own node where it has
// one, else its creator.
type SpaceOwner struct {
	DisplayName string `json:"displayName" rule:"must"`
	PlayerID    string `json:"playerId,omitempty" rule:"form=id"`
	// NodeID is the space's own node where it has one, else its creator.
	NodeID string `json:"nodeId,omitempty" rule:"form=id,sent"`
}

// StableKey is the space's leaf key in the player chain.
func (s *Space) StableKey() string { return SpaceKey(s.ID) }
