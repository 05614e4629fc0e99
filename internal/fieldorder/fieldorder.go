// Package fieldorder records in a tool's JSON Schema the order in which its
// parameters were written: rows are canonical JSON, which sorts names.
package fieldorder

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Key is the member of a property with its index, from 0, in the order in which the
// properties of a schema were written.
const Key = "x-order"

// deepest is the greatest depth of nested schemas that are processed.
const deepest = 8

// Write returns a schema whose properties state their order, in it and in nested
// schemas. It does not change a text that is not a JSON object, a schema that
// states its order already, a single property, or properties in the order of their
// names: those may come from a row, which does not keep the order.
func Write(schema json.RawMessage) json.RawMessage { return writer{}.schema(schema, 0) }

// Number is Write for a new schema: properties in the order of their names were
// written so, and state it as well.
func Number(schema json.RawMessage) json.RawMessage { return writer{sorted: true}.schema(schema, 0) }

// writer writes the order into a schema; sorted says that it does so even for
// properties in the order of their names.
type writer struct{ sorted bool }

func (w writer) schema(schema json.RawMessage, depth int) json.RawMessage {
	members, ok := read(schema)
	if !ok || depth > deepest {
		return schema
	}
	changed := false
	for i := range members {
		m := &members[i]
		var after json.RawMessage
		switch m.name {
		case "properties":
			after = w.each(m.value, depth, true)
		case "$defs", "definitions":
			after = w.each(m.value, depth, false)
		case "items":
			after = w.schema(m.value, depth+1)
		default:
			continue
		}
		changed = changed || !bytes.Equal(after, m.value)
		m.value = after
	}
	if !changed {
		return schema
	}
	return text(members)
}

// each writes the order into each member of an object of schemas, and if they are
// properties, their own order as well.
func (w writer) each(object json.RawMessage, depth int, properties bool) json.RawMessage {
	members, ok := read(object)
	if !ok {
		return object
	}
	numbered := properties && len(members) > 1 && (w.sorted || !slices.IsSortedFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) }))
	changed := false
	for i := range members {
		after := w.schema(members[i].value, depth+1)
		if property, ok := read(after); ok && numbered && !slices.ContainsFunc(property, func(m member) bool { return m.name == Key }) {
			place, err := json.Marshal(i)
			if err != nil {
				return object
			}
			after = text(append(property, member{Key, place}))
		}
		changed = changed || !bytes.Equal(after, members[i].value)
		members[i].value = after
	}
	if !changed {
		return object
	}
	return text(members)
}

type member struct {
	name  string
	value json.RawMessage
}

// read returns the members of an object in the order in which they were written; ok
// is false if the text is not an object.
func read(object json.RawMessage) (members []member, ok bool) {
	d := json.NewDecoder(bytes.NewReader(object))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, false
		}
		m := member{}
		if m.name, ok = name.(string); !ok || d.Decode(&m.value) != nil {
			return nil, false
		}
		members = append(members, m)
	}
	_, err := d.Token()
	return members, err == nil
}

func text(members []member) json.RawMessage {
	b := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		// A string that was decoded can be encoded.
		name, _ := json.Marshal(m.name) //nolint:errchkjson // A string never fails.
		b = append(append(append(b, name...), ':'), m.value...)
	}
	return append(b, '}')
}
