package protocol

import "slices"

// RegisterSpaceRequest is the payload of registerSpaceNode.
type RegisterSpaceRequest struct {
	// ID is chosen by the host when it is absent.
	ID          string            `json:"id,omitzero"`
	Name        string            `json:"name"`
	Description string            `json:"description,omitzero"`
	DesignKey   string            `json:"designKey"`
	Owner       SpaceOwnerRequest `json:"owner"`
	Amenities   List[string]      `json:"amenities"`
}

// SpaceOwnerRequest names the owner of a space to register.
type SpaceOwnerRequest struct {
	DisplayName string `json:"displayName"`
	PlayerID    string `json:"playerId,omitzero"`
}

// ParseRegisterSpace reads the payload of registerSpaceNode.
func ParseRegisterSpace(o Object) (RegisterSpaceRequest, *Error) {
	f := readFields(o)
	r := RegisterSpaceRequest{
		ID:          f.id("id", true),
		Name:        f.text("name", textRule{chars: MaxNameChars}),
		Description: f.description(),
		DesignKey:   f.text("designKey", textRule{chars: MaxDesignKeyChars}),
		Amenities:   f.amenities("amenities", false),
	}
	if owner, ok := f.object("owner", false); ok {
		r.Owner.DisplayName = owner.text("displayName", textRule{chars: MaxNameChars})
		r.Owner.PlayerID = owner.agentID("playerId", true)
	}
	return r, f.err()
}

// CreateSpaceRequest is the payload of createSpace.
type CreateSpaceRequest struct {
	Name             string `json:"name"`
	DesignKey        string `json:"designKey"`
	OwnerDisplayName string `json:"ownerDisplayName"`
	Description      string `json:"description,omitzero"`
	// StructureName is the space's own name when it is absent.
	StructureName string `json:"structureName,omitzero"`
	// Amenities are a shop when they are absent.
	Amenities List[string] `json:"amenities,omitzero"`
}

// ParseCreateSpace reads the payload of createSpace and fills in its defaults.
func ParseCreateSpace(o Object) (CreateSpaceRequest, *Error) {
	f := readFields(o)
	r := CreateSpaceRequest{
		Name:             f.text("name", textRule{chars: MaxNameChars}),
		DesignKey:        f.text("designKey", textRule{chars: MaxDesignKeyChars}),
		OwnerDisplayName: f.text("ownerDisplayName", textRule{chars: MaxNameChars}),
		Description:      f.description(),
		StructureName:    f.text("structureName", textRule{chars: MaxNameChars, optional: true}),
		Amenities:        f.amenities("amenities", true),
	}
	if r.StructureName == "" {
		r.StructureName = r.Name
	}
	if r.Amenities == nil {
		r.Amenities = []string{AmenityShop}
	}
	return r, f.err()
}

// SpaceRequest is the payload of inspectSpace and removeSpace.
type SpaceRequest struct {
	SpaceID string `json:"spaceId"`
}

// ParseSpace reads the payload of inspectSpace and removeSpace.
func ParseSpace(o Object) (SpaceRequest, *Error) {
	f := readFields(o)
	r := SpaceRequest{SpaceID: f.id("spaceId", false)}
	return r, f.err()
}

// AmenityRequest is the payload of addSpaceAmenity and removeSpaceAmenity.
type AmenityRequest struct {
	SpaceID string `json:"spaceId"`
	// Kind is one of the amenities.
	Kind string `json:"kind"`
}

// ParseAmenity reads the payload of addSpaceAmenity and removeSpaceAmenity.
func ParseAmenity(o Object) (AmenityRequest, *Error) {
	f := readFields(o)
	r := AmenityRequest{
		SpaceID: f.id("spaceId", false),
		Kind:    f.oneOf("kind", false, Amenities()...),
	}
	return r, f.err()
}

// Amenities lists what a space can have.
func Amenities() []string { return []string{AmenityShop, AmenitySupermarket, AmenityCarWash} }

func (f fields) description() string {
	return f.text("description", textRule{chars: MaxDescriptionChars, optional: true, blank: true})
}

// amenities reads a list of amenities, at least one and none twice.
func (f fields) amenities(name string, optional bool) []string {
	known := Amenities()
	list := f.texts(name, optional, len(known), textRule{chars: MaxKindChars})
	if f.failed() || list == nil {
		return nil
	}
	if len(list) == 0 {
		f.wrong(name, "must have at least one amenity")
	}
	for i, a := range list {
		path := elementField(f.obj.field(name), i)
		if !slices.Contains(known, a) {
			f.fail(FieldError(path, "must be one of shop, supermarket, car_wash"))
		}
		if slices.Contains(list[:i], a) {
			f.fail(FieldError(path, "repeats an amenity"))
		}
	}
	return list
}
