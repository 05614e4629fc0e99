package chain

import (
	"fmt"
	"reflect"

	"github.com/playctl/playctl/protocol"
)

// AppendOccupant appends the canonical JSON of a row of the map to dst. It is
// what Canonicalize makes of the row's JSON, in one pass; the one difference is
// that a nil list is an empty one and a tool without parameters has the empty
// object, where encoding/json would write null.
//
// It fails on texts that are not UTF-8, numbers that are not finite and raw
// fields that Canonicalize refuses. On an error dst is returned as it was.
func AppendOccupant(dst []byte, o protocol.Occupant) ([]byte, error) {
	var out []byte
	var err error
	switch row := o.(type) {
	case *protocol.Agent:
		out, err = appendRow(dst, agentRow(), row)
	case *protocol.MCP:
		out, err = appendRow(dst, mcpRow(), row)
	case *protocol.Human:
		out, err = appendRow(dst, humanRow(), row)
	case *protocol.Structure:
		out, err = appendRow(dst, structureRow(), row)
	default:
		return dst, fmt.Errorf("%w: no row has the type %T", ErrRow, o)
	}
	if err != nil {
		return dst, fmt.Errorf("encode row %.200q: %w", o.StableKey(), err)
	}
	return out, nil
}

// AppendSpace appends the canonical JSON of an entry of `spaces` to dst. It
// fails only on texts that are not UTF-8; dst is then returned as it was.
func AppendSpace(dst []byte, s *protocol.Space) ([]byte, error) {
	out, err := appendRow(dst, spaceRow(), s)
	if err != nil {
		return dst, fmt.Errorf("encode space %.200q: %w", s.StableKey(), err)
	}
	return out, nil
}

// appendHeader appends the header leaf's payload to dst: the canonical JSON of
// `{ v, sid, bounds }`. It fails on a sid that is not UTF-8 and on bounds that
// are not finite; dst is then returned as it was.
func appendHeader(dst []byte, sid string, b protocol.Bounds) ([]byte, error) {
	out, err := appendRow(dst, headerRow(), &header{Bounds: b, SID: sid, Version: headerVersion})
	if err != nil {
		return dst, fmt.Errorf("encode the chain header: %w", err)
	}
	return out, nil
}

// AppendLastUpdate appends the canonical JSON of an agent's last journey to
// dst, as its row has it. It fails as AppendOccupant does.
func AppendLastUpdate(dst []byte, u *protocol.LastUpdate) ([]byte, error) {
	out, err := appendRow(dst, lastUpdate(), u)
	if err != nil {
		return dst, fmt.Errorf("encode the journey of %.200q: %w", u.PlayerID, err)
	}
	return out, nil
}

// appendRow appends the canonical JSON of what row points to.
func appendRow(dst []byte, t *rowType, row any) ([]byte, error) {
	e := encoder{out: dst}
	e.object(t, reflect.ValueOf(row).Elem())
	return e.out, e.err
}

// encoder appends canonical JSON. The first error sticks.
type encoder struct {
	out []byte
	err error
}

func (e *encoder) object(t *rowType, v reflect.Value) {
	e.out = append(e.out, '{')
	inner := t.inner(v)
	step := stepOfText // whatever its type says, a step that is no structure
	if t.selector != nil && inner.Field(t.selector.index).String() == protocol.StepStructure {
		step = stepOfStructure
	}
	comma := 1 // the first member has none
	for i := range t.fields {
		f := &t.fields[i]
		if f.steps&step == 0 {
			continue
		}
		if f.constant != "" {
			e.out = append(e.out, f.key[comma:]...)
			comma = 0
			continue
		}
		value := inner
		if !f.inner {
			value = v
		}
		value = value.Field(f.index)
		if f.omit && empty(f.shape, value) {
			continue
		}
		e.out = append(e.out, f.key[comma:]...)
		comma = 0
		e.value(f, value)
	}
	e.out = append(e.out, '}')
}

// empty reports whether a value is left out of an object if it may be.
func empty(s shape, v reflect.Value) bool {
	switch s {
	case shapeText, shapeTexts, shapeRaw, shapeList:
		return v.Len() == 0
	case shapeFlag, shapePointer, shapeWhole:
		return v.IsNil()
	}
	return v.IsZero()
}

func (e *encoder) value(f *rowField, v reflect.Value) {
	if e.err != nil {
		return
	}
	switch f.shape {
	case shapeText:
		e.out, e.err = appendString(e.out, v.String())
	case shapeNumber:
		e.out, e.err = appendNumber(e.out, v.Float())
	case shapeCount:
		e.out, e.err = appendNumber(e.out, float64(v.Int()))
	case shapeBool:
		e.boolean(v.Bool())
	case shapeFlag:
		e.boolean(v.Elem().Bool())
	case shapeRaw:
		e.raw(v.Bytes())
	case shapeStruct:
		e.object(f.of, v)
	case shapePointer, shapeWhole:
		e.object(f.of, v.Elem())
	default:
		e.list(f, v)
	}
}

func (e *encoder) boolean(b bool) {
	if b {
		e.out = append(e.out, "true"...)
	} else {
		e.out = append(e.out, "false"...)
	}
}

// raw appends JSON that somebody else wrote; none is the empty object.
func (e *encoder) raw(text []byte) {
	if len(text) == 0 {
		e.out = append(e.out, "{}"...)
		return
	}
	e.out, e.err = Canonicalize(e.out, text)
}

// list appends an array of texts or structs; nil is the empty array, never null.
func (e *encoder) list(f *rowField, v reflect.Value) {
	e.out = append(e.out, '[')
	for i := range v.Len() {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		if f.shape == shapeList {
			e.object(f.of, v.Index(i))
		} else if e.err == nil {
			e.out, e.err = appendString(e.out, v.Index(i).String())
		}
	}
	e.out = append(e.out, ']')
}
