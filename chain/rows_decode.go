package chain

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/playctl/playctl/protocol"
)

// ParseOccupant reads a row of the map into its typed form.
//
// It requires the kind, the id (agentId of an agent), the name and the cell, of a
// structure the worldId and a space id or a gameId; without one of them the error
// is ErrRow and names it. It accepts the older `agentType` for `platform`. An
// optional field of the wrong type is treated as absent, an unknown one is ignored:
// keep the JSON to keep them.
func ParseOccupant(jsonText []byte) (protocol.Occupant, error) {
	text, err := Canonicalize(nil, jsonText)
	if err != nil {
		return nil, fmt.Errorf("read a row of the map: %w", err)
	}
	return readOccupant(text)
}

// ParseSpace reads an entry of `spaces` into its typed form. It requires the id,
// the name, the designKey, the owner's displayName, and amenities that the protocol
// knows; without one of them the error is ErrRow and names it. Unknown fields are
// ignored.
func ParseSpace(jsonText []byte) (*protocol.Space, error) {
	text, err := Canonicalize(nil, jsonText)
	if err != nil {
		return nil, fmt.Errorf("read a space: %w", err)
	}
	return readSpace(text)
}

// ParseOccupantLeaf returns the leaf of a row of the map from its JSON, with all of
// its fields, known or not.
func ParseOccupantLeaf(jsonText []byte) (*Leaf, error) { return parseLeaf(jsonText, occupantKey) }

// ParseSpaceLeaf returns the leaf of an entry of `spaces` from its JSON, with all
// of its fields, known or not.
func ParseSpaceLeaf(jsonText []byte) (*Leaf, error) { return parseLeaf(jsonText, spaceKey) }

// keyReader checks a canonical row and returns its stable key.
type keyReader func(text []byte) (string, error)

func parseLeaf(jsonText []byte, keyOf keyReader) (*Leaf, error) {
	hashed := make([]byte, 0, len(leafPrefix)+len(jsonText))
	hashed, err := Canonicalize(append(hashed, leafPrefix...), jsonText)
	if err != nil {
		return nil, err
	}
	key, err := keyOf(hashed[len(leafPrefix):])
	if err != nil {
		return nil, err
	}
	return sealLeaf(key, hashed), nil
}

func occupantKey(text []byte) (string, error) {
	row, err := readRow(text, true)
	if err != nil {
		return "", err
	}
	if a, ok := row.(*protocol.Agent); ok {
		if a.NodeID, _ = asText(field(text, "nodeId")); a.NodeID == "" {
			return "", fmt.Errorf("%w: nodeId of a row of kind agent must be a non-empty string", ErrRow)
		}
	}
	return row.StableKey(), nil
}

func spaceKey(text []byte) (string, error) {
	s, err := readSpace(text)
	if err != nil {
		return "", err
	}
	return s.StableKey(), nil
}

// readOccupant does the same as ParseOccupant, for a canonical row.
func readOccupant(text []byte) (protocol.Occupant, error) {
	row, err := readRow(text, false)
	if a, ok := row.(*protocol.Agent); ok && err == nil && strings.TrimSpace(a.RealtimeInstructions) == "" {
		a.RealtimeInstructions = ""
	}
	return row, err
}

// readRow checks a canonical row and reads it; with head it skips the fields that
// no row requires.
func readRow(text []byte, head bool) (protocol.Occupant, error) {
	if !isObject(text) {
		return nil, fmt.Errorf("%w: a row of the map is an object", ErrRow)
	}
	kind, ok := asText(field(text, "kind"))
	if !ok {
		return nil, fmt.Errorf("%w: kind is missing or not a string", ErrRow)
	}
	var row protocol.Occupant
	var t *rowType
	switch protocol.OccupantKind(kind) {
	case protocol.KindAgent:
		row, t = &protocol.Agent{}, agentRow()
	case protocol.KindMCP:
		row, t = &protocol.MCP{}, mcpRow()
	case protocol.KindHuman:
		row, t = &protocol.Human{}, humanRow()
	case protocol.KindStructure:
		row, t = &protocol.Structure{}, structureRow()
	default:
		return nil, fmt.Errorf("%w: the kind %.50q is not agent, mcp, human or structure", ErrRow, kind)
	}
	if err := t.read(reflect.ValueOf(row).Elem(), text, head); err != nil {
		return nil, fmt.Errorf("%w: a row of kind %s: %w", ErrRow, kind, err)
	}
	if kind == string(protocol.KindStructure) {
		return row, checkPlace(text)
	}
	return row, nil
}

// checkPlace checks the fields that place a structure in the world.
func checkPlace(text []byte) error {
	list := field(text, "spaceIds")
	spaces, ok := asTexts(list)
	game, _ := asText(field(text, "gameId"))
	switch {
	case list != nil && !ok:
		return fmt.Errorf("%w: %w", ErrRow, structureRow().byName["spaceIds"].malformed())
	case len(spaces) == 0 && game == "":
		return fmt.Errorf("%w: a structure needs a space id or a gameId", ErrRow)
	}
	return nil
}

// readSpace does the same as ParseSpace, for a canonical entry.
func readSpace(text []byte) (*protocol.Space, error) {
	s := &protocol.Space{}
	if err := spaceRow().read(reflect.ValueOf(s).Elem(), text, false); err != nil {
		return nil, fmt.Errorf("%w: a space: %w", ErrRow, err)
	}
	return s, nil
}

// read fills a struct from a canonical object, by the rules of its fields; with
// head it skips the optional ones. On an error the struct is filled in part.
func (t *rowType) read(v reflect.Value, text []byte, head bool) error {
	if !isObject(text) {
		return errNoObject
	}
	inner := t.inner(v)
	var found uint64
	for name, value := range fields(text) {
		f := t.byName[string(name)]
		if f == nil || head && !f.Must {
			continue
		}
		of := v
		if f.inner {
			of = inner
		}
		if f.read(of.Field(f.index), value) {
			found |= f.bit
		}
	}
	for i := range t.fields {
		switch f := &t.fields[i]; {
		case f.Must && found&f.bit == 0:
			return f.malformed()
		case f.Older != "" && !head && v.Field(f.index).IsZero():
			f.read(v.Field(f.index), field(text, f.Older))
		}
	}
	return nil
}

// read sets a field to a value and reports whether the value is of its type.
func (f *rowField) read(v reflect.Value, value []byte) (ok bool) {
	switch f.shape {
	case shapeText:
		var s string
		if s, ok = asText(value); ok && f.takes(s) {
			v.SetString(s)
			return true
		}
		return false
	case shapeNumber:
		var n float64
		n, ok = asNumber(value)
		v.SetFloat(n)
	case shapeCount:
		var n int64
		n, ok = asCount(value)
		v.SetInt(n)
	case shapeBool:
		var b bool
		b, ok = asBool(value)
		v.SetBool(b)
	case shapeFlag:
		ok = readPointer(v, value, asBool)
	case shapeAmount:
		ok = readPointer(v, value, asNumber)
	case shapeRaw:
		if ok = isObject(value); ok {
			v.SetBytes(value)
		}
	case shapeTexts:
		var texts []string
		texts, ok = asTexts(value)
		if ok = ok && !slices.ContainsFunc(texts, func(s string) bool { return !f.takes(s) }); ok {
			v.Set(reflect.ValueOf(texts))
		}
	default:
		return f.readStructs(v, value)
	}
	return ok
}

// readPointer sets a field that points to a value, and reports whether it could.
func readPointer[T any](v reflect.Value, value []byte, as func([]byte) (T, bool)) bool {
	read, ok := as(value)
	if ok {
		v.Set(reflect.ValueOf(&read))
	}
	return ok
}

// takes reports whether a text is allowed for the field, or in its list.
func (f *rowField) takes(s string) bool {
	if f.Words != nil && (f.Must || f.Default != "") {
		return slices.Contains(f.Words, s)
	}
	return s != "" || !f.Filled
}

// readStructs sets a field that is a struct, a pointer to one or a list of them. A
// struct that cannot be read is absent, even in a list.
func (f *rowField) readStructs(v reflect.Value, value []byte) bool {
	switch f.shape {
	case shapePointer, shapeWhole:
		p := reflect.New(v.Type().Elem())
		if f.shape == shapeWhole && !f.of.readWhole(p, value) || f.shape == shapePointer && f.of.read(p.Elem(), value, false) != nil {
			return false
		}
		v.Set(p)
		return true
	case shapeList:
		for item := range items(value) {
			next := reflect.New(v.Type().Elem()).Elem()
			if f.of.read(next, item, false) == nil {
				v.Set(reflect.Append(v, next))
			}
		}
		return isArray(value)
	}
	return f.of.read(v, value, false) == nil
}

// readWhole reads the struct to which p points, strictly, and reports whether it
// could.
func (t *rowType) readWhole(p reflect.Value, value []byte) bool {
	for i := range t.fields {
		f := &t.fields[i]
		part := field(value, f.Name)
		if f.shape == shapeStruct && !isObject(part) || f.shape == shapeList && !isArray(part) {
			return false
		}
	}
	return protocol.Decode(value, p.Interface()) == nil
}

// malformed returns an error that says what the field must be.
func (f *rowField) malformed() error {
	var want string
	switch f.shape {
	case shapeText:
		want = "a string"
		if f.Filled {
			want += " that is not empty"
		}
	case shapeNumber, shapeCount, shapeAmount:
		want = "a number"
	case shapeBool, shapeFlag:
		want = "a boolean"
	case shapeTexts:
		want = "a list of strings"
		if f.Words != nil {
			want = "a list of " + strings.Join(f.Words, ", ")
		}
	case shapeList:
		want = "a list"
	default:
		want = "an object"
		if f.of != nil {
			want += " of " + f.of.needs()
		}
	}
	return fieldError(f.Name, want)
}

// needs names the required fields of a struct.
func (t *rowType) needs() string {
	var names []string
	for i := range t.fields {
		if f := &t.fields[i]; f.Must {
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, ", ")
}
