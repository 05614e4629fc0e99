package chain

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/playctl/playctl/protocol"
)

// rowType describes a struct of package protocol to the canonical writer and the
// tolerant reader. It is prepared once, from the struct's tags (see
// protocol.Field).
type rowType struct {
	fields []rowField // in canonical order
	byName map[string]*rowField
	// selector is the field that holds the kind of a journey's step, nil if the struct
	// is not one.
	selector *rowField
	// embedded is the index of the embedded struct, -1 if there is none.
	embedded int
}

// rowField is one field of a rowType.
type rowField struct {
	*protocol.Field

	// key is the text before the value: the comma, the name and the colon.
	key   string
	index int
	// offset is the offset of the field in the struct, including the embedded one.
	offset uintptr
	// inner says that the field is one of the embedded struct.
	inner bool
	shape shape
	// omit says that the member is omitted if it is empty.
	omit bool
	// steps are the kinds of a journey's steps that have the field.
	steps stepKinds
	bit   uint64
	// of describes a value that is a struct, or a list of them.
	of *rowType
	// constant is the value of a member for which the struct has no field.
	constant string
}

// stepKinds are kinds of a journey's steps, bit by bit.
type stepKinds uint8

const (
	stepOfText stepKinds = 1 << iota
	stepOfStructure
)

// shape is how a field's value is written and read.
type shape int

const (
	shapeText shape = iota
	shapeNumber
	shapeCount
	shapeBool
	shapeTexts
	shapeRaw     // JSON
	shapeFlag    // *bool
	shapeAmount  // *float64
	shapeStruct  // by value
	shapePointer // to a struct
	shapeWhole   // to a struct that is read as a whole or not at all
	shapeList    // of structs
)

// The types that this package writes and reads, each prepared when it is first
// needed: most commands need none.
var (
	agentRow     = rowTypeOnce[protocol.Agent](protocol.KindAgent)
	mcpRow       = rowTypeOnce[protocol.MCP](protocol.KindMCP)
	humanRow     = rowTypeOnce[protocol.Human](protocol.KindHuman)
	structureRow = rowTypeOnce[protocol.Structure](protocol.KindStructure)
	spaceRow     = rowTypeOnce[protocol.Space]("")
	headerRow    = rowTypeOnce[header]("")
	lastUpdate   = rowTypeOnce[protocol.LastUpdate]("")
	activity     = rowTypeOnce[protocol.Activity]("")
	mcpServer    = rowTypeOnce[protocol.MCPServer]("")
	bounds       = rowTypeOnce[protocol.Bounds]("")
)

// rowTypeFor returns the row type of T only.
type rowTypeFor[T any] func() *rowType

func rowTypeOnce[T any](kind protocol.OccupantKind) rowTypeFor[T] {
	return sync.OnceValue(func() *rowType { return rowTypeOf(reflect.TypeFor[T](), kind) })
}

// header is the payload of the header leaf.
type header struct {
	Bounds  protocol.Bounds `json:"bounds"`
	SID     string          `json:"sid"`
	Version int64           `json:"v"`
}

// headerVersion is the `v` of the header's payload.
const headerVersion = 1

// rowTypeOf prepares a struct type; kind is the row's `kind`, for which the struct
// has no field.
func rowTypeOf(t reflect.Type, kind protocol.OccupantKind) *rowType {
	r := &rowType{byName: map[string]*rowField{}, embedded: -1}
	if kind != "" {
		r.fields = append(r.fields, rowField{Field: &protocol.Field{Name: "kind"}, constant: `"` + string(kind) + `"`})
	}
	for _, described := range protocol.FieldsOf(t) {
		f := rowField{Field: &described, index: described.Index[len(described.Index)-1], inner: len(described.Index) > 1}
		f.offset = t.FieldByIndex(described.Index).Offset
		if f.inner {
			r.embedded = described.Index[0]
			f.offset += t.Field(r.embedded).Offset
		}
		f.shape, f.of = shapeOf(f.Type)
		f.omit = f.Optional || f.shape == shapeRaw && !f.Must
		r.fields = append(r.fields, f)
	}
	slices.SortFunc(r.fields, func(a, b rowField) int { return strings.Compare(a.Name, b.Name) })
	for i := range r.fields {
		f := &r.fields[i]
		f.key, f.bit = `,"`+f.Name+`":`+f.constant, 1<<i
		if f.constant == "" {
			r.byName[f.Name] = f
		}
	}
	for i := range r.fields {
		f := &r.fields[i]
		if f.When.Field == "" {
			f.steps = stepOfText | stepOfStructure
			continue
		}
		r.selector = r.byName[f.When.Field]
		f.steps = stepOfText
		if slices.Contains(f.When.Words, protocol.StepStructure) {
			f.steps = stepOfStructure
		}
	}
	return r
}

// shapeOf returns the shape of a Go type, and the row type of the struct in it.
func shapeOf(t reflect.Type) (shape, *rowType) {
	switch t.Kind() {
	case reflect.String:
		return shapeText, nil
	case reflect.Float64:
		return shapeNumber, nil
	case reflect.Int64:
		return shapeCount, nil
	case reflect.Bool:
		return shapeBool, nil
	case reflect.Struct:
		return shapeStruct, rowTypeOf(t, "")
	case reflect.Pointer:
		if t.Elem().Kind() == reflect.Bool {
			return shapeFlag, nil
		}
		if t.Elem().Kind() == reflect.Float64 {
			return shapeAmount, nil
		}
		if t.Elem() == reflect.TypeFor[protocol.LastUpdate]() {
			return shapeWhole, rowTypeOf(t.Elem(), "")
		}
		return shapePointer, rowTypeOf(t.Elem(), "")
	case reflect.Slice:
		switch t.Elem().Kind() {
		case reflect.String:
			return shapeTexts, nil
		case reflect.Uint8:
			return shapeRaw, nil
		case reflect.Struct:
			return shapeList, rowTypeOf(t.Elem(), "")
		}
	}
	panic(fmt.Sprintf("chain: a row cannot have a field of type %v", t))
}

// inner returns the struct that is embedded in another, or the struct itself.
func (t *rowType) inner(v reflect.Value) reflect.Value {
	if t.embedded < 0 {
		return v
	}
	return v.Field(t.embedded)
}
