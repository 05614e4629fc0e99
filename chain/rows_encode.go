package chain

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"
	"unsafe"

	"github.com/playctl/playctl/protocol"
)

// AppendOccupant appends the canonical JSON of a row of the map to dst. It is the
// output of Canonicalize for the row's JSON, in one pass; the one difference is
// that a nil list is an empty one and a tool without parameters has the empty
// object, where encoding/json would write null.
//
// It fails on texts that are not UTF-8, numbers that are not finite and raw fields
// that Canonicalize refuses. On an error dst is returned unchanged.
func AppendOccupant(dst []byte, o protocol.Occupant) ([]byte, error) {
	var out []byte
	var err error
	switch row := o.(type) {
	case *protocol.Agent:
		out, err = appendRow(dst, agentRow, row)
	case *protocol.MCP:
		out, err = appendRow(dst, mcpRow, row)
	case *protocol.Human:
		out, err = appendRow(dst, humanRow, row)
	case *protocol.Structure:
		out, err = appendRow(dst, structureRow, row)
	default:
		return dst, fmt.Errorf("%w: no row has the type %T", ErrRow, o)
	}
	if err != nil {
		return dst, fmt.Errorf("encode row %.200q: %w", o.StableKey(), err)
	}
	return out, nil
}

// AppendSpace appends the canonical JSON of an entry of `spaces` to dst. It fails
// only on texts that are not UTF-8; dst is then returned unchanged.
func AppendSpace(dst []byte, s *protocol.Space) ([]byte, error) {
	out, err := appendRow(dst, spaceRow, s)
	if err != nil {
		return dst, fmt.Errorf("encode space %.200q: %w", s.StableKey(), err)
	}
	return out, nil
}

// AppendLastUpdate appends the canonical JSON of an agent's last journey to
// dst, as its row has it. It fails as AppendOccupant does.
func AppendLastUpdate(dst []byte, u *protocol.LastUpdate) ([]byte, error) {
	out, err := appendRow(dst, lastUpdate, u)
	if err != nil {
		return dst, fmt.Errorf("encode the journey of %.200q: %w", u.PlayerID, err)
	}
	return out, nil
}

// beforeActivity is how the canonical row of an agent with an activity begins: no name of
// another field sorts before it.
const beforeActivity = `{"activity":`

// ActivityIn returns the JSON of the activity in the canonical row of an agent, without
// reading the rest of the row; nil if it has none.
func ActivityIn(row []byte) []byte {
	value, has := bytes.CutPrefix(row, []byte(beforeActivity))
	if !has {
		return nil
	}
	return value[:valueEnd(value)]
}

// AppendWithActivity appends the canonical JSON of an agent's row to dst, with another
// activity. Everything else is copied from row, which must be canonical, so that a long
// journey is not encoded again. It fails on texts that are not UTF-8 and on numbers that
// are not finite; dst is then returned unchanged.
func AppendWithActivity(dst, row []byte, a *protocol.Activity) ([]byte, error) {
	rest := row[1:]
	if previous := ActivityIn(row); previous != nil {
		rest = row[len(beforeActivity)+len(previous)+1:]
	}
	out, err := appendRow(append(dst, beforeActivity...), activity, a)
	if err != nil {
		return dst, fmt.Errorf("encode an activity: %w", err)
	}
	return append(append(out, ','), rest...), nil
}

// appendRow appends the canonical JSON of the struct to which row points.
func appendRow[T any](dst []byte, t rowTypeFor[T], row *T) ([]byte, error) {
	e := encoder{out: dst}
	e.object(t(), unsafe.Pointer(row))
	return e.out, e.err
}

// encoder appends canonical JSON. It keeps the first error. It finds fields by
// their offsets and their types by the shapes of shapeOf: with reflect.Value a row
// takes 1.3 times as long.
type encoder struct {
	out []byte
	err error
}

// object appends the struct at v.
func (e *encoder) object(t *rowType, v unsafe.Pointer) {
	e.out = append(e.out, '{')
	step := stepOfText // whatever its type says, a step that is not a structure
	if t.selector != nil && *(*string)(unsafe.Add(v, t.selector.offset)) == protocol.StepStructure {
		step = stepOfStructure
	}
	comma := 1 // the first member has none
	for i := range t.fields {
		f := &t.fields[i]
		if f.steps&step == 0 {
			continue
		}
		value := unsafe.Add(v, f.offset)
		if f.omit && f.empty(value) {
			continue
		}
		e.out = append(e.out, f.key[comma:]...)
		comma = 0
		if f.constant == "" {
			e.value(f, value)
		}
	}
	e.out = append(e.out, '}')
}

// empty reports whether the field at v is empty, so that omit omits it.
func (f *rowField) empty(v unsafe.Pointer) bool {
	switch f.shape {
	case shapeText:
		return *(*string)(v) == ""
	case shapeTexts, shapeRaw, shapeList:
		return len(*(*[]byte)(v)) == 0 // The length is where every slice has it.
	case shapeFlag, shapeAmount, shapePointer, shapeWhole:
		return *(*unsafe.Pointer)(v) == nil
	}
	return reflect.NewAt(f.Type, v).Elem().IsZero()
}

// value appends the field at v.
func (e *encoder) value(f *rowField, v unsafe.Pointer) {
	switch f.shape {
	case shapeText:
		e.text(*(*string)(v))
	case shapeNumber:
		e.number(*(*float64)(v))
	case shapeCount:
		e.number(float64(*(*int64)(v)))
	case shapeBool:
		e.boolean(*(*bool)(v))
	case shapeFlag:
		e.boolean(**(**bool)(v))
	case shapeAmount:
		e.number(**(**float64)(v))
	case shapeRaw:
		e.raw(*(*[]byte)(v))
	case shapeStruct:
		e.object(f.of, v)
	case shapePointer, shapeWhole:
		e.object(f.of, *(*unsafe.Pointer)(v))
	case shapeTexts:
		e.texts(*(*[]string)(v))
	case shapeList:
		e.list(f, *(*[]byte)(v))
	}
}

func (e *encoder) text(s string) {
	if e.err == nil {
		e.out, e.err = appendString(e.out, s)
	}
}

func (e *encoder) number(n float64) {
	if e.err == nil {
		e.out, e.err = appendNumber(e.out, n)
	}
}

func (e *encoder) boolean(b bool) { e.out = strconv.AppendBool(e.out, b) }

// raw appends JSON from another source; for none it appends the empty object.
func (e *encoder) raw(text []byte) {
	switch {
	case e.err != nil:
	case len(text) == 0:
		e.out = append(e.out, "{}"...)
	default:
		e.out, e.err = Canonicalize(e.out, text)
	}
}

// texts appends an array; for nil it appends the empty one, never null.
func (e *encoder) texts(list []string) {
	e.out = append(e.out, '[')
	for i, text := range list {
		e.comma(i)
		e.text(text)
	}
	e.out = append(e.out, ']')
}

// list appends an array of structs; nil is the empty one, never null. Of the slice given as
// one of bytes only the length and the beginning are right.
func (e *encoder) list(f *rowField, list []byte) {
	e.out = append(e.out, '[')
	item, size := unsafe.Pointer(unsafe.SliceData(list)), f.Type.Elem().Size()
	for i := range list {
		e.comma(i)
		e.object(f.of, unsafe.Add(item, uintptr(i)*size))
	}
	e.out = append(e.out, ']')
}

// comma begins item i of an array.
func (e *encoder) comma(i int) {
	if i > 0 {
		e.out = append(e.out, ',')
	}
}
