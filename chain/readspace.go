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

// spaceFields says which of the needed fields a space turned out to have.
type spaceFields struct{ name, design, owner, amenities bool }

// readSpace is ParseSpace for a canonical entry.
func readSpace(text []byte) (*protocol.Space, error) {
	if !isObject(text) {
		return nil, fmt.Errorf("%w: a space is an object", ErrRow)
	}
	s := &protocol.Space{}
	var has spaceFields
	for name, value := range fields(text) {
		switch string(name) {
		case "id":
			s.ID, _ = asText(value)
		case "name":
			s.Name, has.name = asText(value)
		case "description":
			s.Description, _ = asText(value)
		case "designKey":
			s.DesignKey, has.design = asText(value)
		case "owner":
			s.Owner.DisplayName, has.owner = asText(field(value, "displayName"))
			s.Owner.PlayerID, _ = asText(field(value, "playerId"))
			s.Owner.NodeID, _ = asText(field(value, "nodeId"))
		case "amenities":
			s.Amenities, has.amenities = asTexts(value)
		case "activityObjectIds":
			s.ActivityObjectIDs, _ = asTexts(value)
		}
	}
	if err := has.check(s); err != nil {
		return nil, err
	}
	return s, nil
}

// check says what a space that was read lacks.
func (has spaceFields) check(s *protocol.Space) error {
	switch {
	case s.ID == "":
		return spaceLacks("id", "a string that is not empty")
	case !has.name:
		return spaceLacks("name", "a string")
	case !has.design:
		return spaceLacks("designKey", "a string")
	case !has.owner:
		return spaceLacks("owner.displayName", "a string")
	case !has.amenities:
		return spaceLacks("amenities", "a list of strings")
	}
	for _, kind := range s.Amenities {
		switch kind {
		case protocol.AmenityShop, protocol.AmenitySupermarket, protocol.AmenityCarWash:
		default:
			return fmt.Errorf("%w: a space has the unknown amenity %.50q", ErrRow, kind)
		}
	}
	return nil
}

func spaceLacks(name, want string) error {
	return fmt.Errorf("%w: %s of a space must be %s", ErrRow, name, want)
}
