package protocol

// RemoveOccupantRequest takes any occupant off the map, for an administrator.
type RemoveOccupantRequest struct {
	StableKey string `json:"stableKey"`
}

// ParseRemoveOccupant reads the body of `POST /api/play/occupants/remove`. A
// text that is no stable key is `stable_key_unknown`, a key of something that
// is no occupant `body_invalid`.
func ParseRemoveOccupant(o Object) (RemoveOccupantRequest, *Error) {
	f := readFields(o)
	r := RemoveOccupantRequest{StableKey: f.stableKey("stableKey")}
	if !f.failed() && NodeKindOf(r.StableKey) != NodeOccupant {
		f.wrong("stableKey", "must be the key of an occupant")
	}
	return r, f.err()
}
