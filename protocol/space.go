package protocol

// The amenities that a space can have.
const (
	AmenityShop        = "shop"
	AmenitySupermarket = "supermarket"
	AmenityCarWash     = "car_wash"
)

// Space is an entry of the snapshot's `spaces`.
type Space struct {
	ID                string     `json:"id"`
	Name              string     `json:"name"`
	Description       string     `json:"description"`
	DesignKey         string     `json:"designKey"`
	Owner             SpaceOwner `json:"owner"`
	Amenities         []string   `json:"amenities"`
	ActivityObjectIDs []string   `json:"activityObjectIds,omitempty"`
}

// SpaceOwner names a space's owner; NodeID is the space's own node where it has
// one, else its creator.
type SpaceOwner struct {
	DisplayName string `json:"displayName"`
	PlayerID    string `json:"playerId,omitempty"`
	NodeID      string `json:"nodeId,omitempty"`
}

// StableKey is the space's leaf key in the player chain.
func (s *Space) StableKey() string { return SpaceKey(s.ID) }
