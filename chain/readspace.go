package chain

import (
	"fmt"

	"github.com/playctl/playctl/protocol"
)

// ParseSpace reads an entry of `spaces` into its typed form. It needs the id,
// the name, the designKey, the owner's displayName, and amenities that the
// protocol knows; without one of them the error is ErrRow and names it. Unknown
// fields are ignored.
func ParseSpace(jsonText []byte) (*protocol.Space, error) {
	text, err := Canonicalize(nil, jsonText)
	if err != nil {
		return nil, fmt.Errorf("read a space: %w", err)
	}
	return readSpace(text)
}

// readSpace is ParseSpace for a canonical entry.
func readSpace(text []byte) (*protocol.Space, error) {
	if !isObject(text) {
		return nil, fmt.Errorf("%w: a space is an object", ErrRow)
	}
	s := &protocol.Space{}
	var hasName, hasDesign, hasOwner, hasAmenities bool
	for name, value := range fields(text) {
		switch name {
		case "id":
			s.ID, _ = asText(value)
		case "name":
			s.Name, hasName = asText(value)
		case "description":
			s.Description, _ = asText(value)
		case "designKey":
			s.DesignKey, hasDesign = asText(value)
		case "owner":
			s.Owner.DisplayName, hasOwner = asText(field(value, "displayName"))
			s.Owner.PlayerID, _ = asText(field(value, "playerId"))
			s.Owner.NodeID, _ = asText(field(value, "nodeId"))
		case "amenities":
			s.Amenities, hasAmenities = asTexts(value)
		case "activityObjectIds":
			s.ActivityObjectIDs, _ = asTexts(value)
		}
	}
	switch {
	case s.ID == "":
		return nil, spaceLacks("id", "a string that is not empty")
	case !hasName:
		return nil, spaceLacks("name", "a string")
	case !hasDesign:
		return nil, spaceLacks("designKey", "a string")
	case !hasOwner:
		return nil, spaceLacks("owner.displayName", "a string")
	case !hasAmenities:
		return nil, spaceLacks("amenities", "a list of strings")
	}
	for _, kind := range s.Amenities {
		switch kind {
		case protocol.AmenityShop, protocol.AmenitySupermarket, protocol.AmenityCarWash:
		default:
			return nil, fmt.Errorf("%w: a space has the unknown amenity %.50q", ErrRow, kind)
		}
	}
	return s, nil
}

func spaceLacks(name, want string) error {
	return fmt.Errorf("%w: %s of a space must be %s", ErrRow, name, want)
}
