// Package fieldorder writes a tool's JSON Schema as rows need it: with the order in which
// its parameters were written, since rows are canonical JSON, which sorts names, and with
// the types of JSON Schema in lower case, which Gemini has in upper case.
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

// Write returns a schema with types in lower case, whose properties state their order, in
// it and in nested schemas. It does not change a text that is not a JSON object, a schema that
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
	members, ok := Members(schema)
	if !ok || depth > deepest {
		return schema
	}
	changed := false
	for i := range members {
		m := &members[i]
		var after json.RawMessage
		switch m.Name {
		case "properties":
			after = w.each(m.Value, depth, true)
		case "$defs", "definitions":
			after = w.each(m.Value, depth, false)
		case "items":
			after = w.schema(m.Value, depth+1)
		case "anyOf", "oneOf", "allOf":
			after = w.alternatives(m.Value, depth)
		case "type":
			after = bytes.ToLower(m.Value)
		default:
			continue
		}
		changed = changed || !bytes.Equal(after, m.Value)
		m.Value = after
	}
	if !changed {
		return schema
	}
	return Text(members)
}

// each writes the order into each member of an object of schemas, and if they are
// properties, their own order as well.
func (w writer) each(object json.RawMessage, depth int, properties bool) json.RawMessage {
	members, ok := Members(object)
	if !ok {
		return object
	}
	numbered := properties && len(members) > 1 && (w.sorted || !slices.IsSortedFunc(members, func(a, b Member) int { return strings.Compare(a.Name, b.Name) }))
	changed := false
	for i := range members {
		after := w.schema(members[i].Value, depth+1)
		if property, ok := Members(after); ok && numbered && !slices.ContainsFunc(property, func(m Member) bool { return m.Name == Key }) {
			place, err := json.Marshal(i)
			if err != nil {
				return object
			}
			after = Text(append(property, Member{Key, place}))
		}
		changed = changed || !bytes.Equal(after, members[i].Value)
		members[i].Value = after
	}
	if !changed {
		return object
	}
	return Text(members)
}

// alternatives writes the order into each schema of a list.
func (w writer) alternatives(list json.RawMessage, depth int) json.RawMessage {
	var schemas []json.RawMessage
	if json.Unmarshal(list, &schemas) != nil {
		return list
	}
	changed := false
	for i, schema := range schemas {
		schemas[i] = w.schema(schema, depth+1)
		changed = changed || !bytes.Equal(schemas[i], schema)
	}
	if after, err := json.Marshal(schemas); changed && err == nil {
		return after
	}
	return list
}

// Member is a member of a JSON object.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Members returns the members of an object in the order in which they were written; ok
// is false if the text is not an object.
func Members(object json.RawMessage) (members []Member, ok bool) {
	d := json.NewDecoder(bytes.NewReader(object))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, false
		}
		m := Member{}
		if m.Name, ok = name.(string); !ok || d.Decode(&m.Value) != nil {
			return nil, false
		}
		members = append(members, m)
	}
	_, err := d.Token()
	return members, err == nil
}

// Text returns an object with members in their order.
func Text(members []Member) json.RawMessage {
	b := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		// A string that was decoded can be encoded.
		name, _ := json.Marshal(m.Name) //nolint:errchkjson // A string never fails.
		b = append(append(append(b, name...), ':'), m.Value...)
	}
	return append(b, '}')
}
