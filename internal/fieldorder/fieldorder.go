// Package fieldorder says in a tool's JSON Schema in which order its parameters
// were written: rows are canonical JSON, which sorts names.
package fieldorder

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Key is the member of a property that counts, from 0, in which order the
// properties of a schema were written.
const Key = "x-order"

// deepest is how many schemas within schemas are looked into.
const deepest = 8

// Write gives a schema whose properties say their order, in it and in the schemas
// within it. It leaves as it is what is no JSON object, what says its order
// already, a single property, and properties that are in the order of their
// names: those may come from a row, which says nothing of how they were written.
func Write(schema json.RawMessage) json.RawMessage { return writer{}.schema(schema, 0) }

// Number is Write for a schema that was just made: properties that are in the order of
// their names were written so, and say it as well.
func Number(schema json.RawMessage) json.RawMessage { return writer{sorted: true}.schema(schema, 0) }

// writer writes the order into a schema; sorted says that it does so for properties in
// the order of their names, too.
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

// each writes the order into each member of an object of schemas, and where they are
// properties into their own.
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

// read gives the members of an object in the order in which they were written; ok
// is false where the text is no object.
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
