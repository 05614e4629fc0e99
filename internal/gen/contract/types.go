package main

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/playctl/playctl/protocol"
)

// The types of the contract to which no operation, no event and no route refers.
var (
	rows    = []any{protocol.Agent{}, protocol.MCP{}, protocol.Human{}, protocol.Structure{}, protocol.Space{}, protocol.Snapshot{}}
	further = []any{protocol.AllNodesReply{}, protocol.ErrorBody{}}
)

// bodies lists the bodies of routes, without those of operations.
func bodies() []any {
	var list []any
	for _, r := range protocol.Routes(protocol.ServicePlay) {
		if r.Request != nil && r.Path != protocol.ServicePlay.RPC() {
			list = append(list, r.Request)
		}
	}
	return list
}

// refs are the types of fields that hold raw JSON, by the names in their tags.
var refs = map[string]reflect.Type{
	"Agent": reflect.TypeFor[protocol.Agent](), "MCP": reflect.TypeFor[protocol.MCP](), "Human": reflect.TypeFor[protocol.Human](), "Structure": reflect.TypeFor[protocol.Structure](),
	"Space": reflect.TypeFor[protocol.Space](), "Snapshot": reflect.TypeFor[protocol.Snapshot](), "Notify": reflect.TypeFor[protocol.Notify](),
	"IntercomResult": reflect.TypeFor[protocol.IntercomResult](), "IntercomCommand": reflect.TypeFor[protocol.IntercomCommand](),
}

// open are the types whose objects have more fields than are described: a reader
// keeps all of them.
var open = map[reflect.Type]bool{reflect.TypeFor[protocol.IntercomResult](): true}

// typesOf lists the types of values and of all their fields, in the order of their
// first occurrence.
func typesOf(values []any) []reflect.Type {
	var types []reflect.Type
	seen := map[reflect.Type]bool{}
	var add func(t reflect.Type)
	add = func(t reflect.Type) {
		if seen[t] {
			return
		}
		seen[t] = true
		for _, f := range protocol.FieldsOf(t) {
			if inner := structOf(&f); inner != nil {
				add(inner)
			}
		}
		types = append(types, t)
	}
	for _, v := range values {
		add(reflect.TypeOf(v))
	}
	return types
}

// structOf returns the struct in a field, directly, in a list or as raw JSON; nil
// for another field.
func structOf(f *protocol.Field) reflect.Type {
	if f.Ref != "" {
		return refs[f.Ref]
	}
	t := f.Type
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice && t != reflect.TypeFor[json.RawMessage]() {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct && t != reflect.TypeFor[protocol.WireSecret]() {
		return t
	}
	return nil
}

// isList reports whether a field holds a list.
func isList(f *protocol.Field) bool {
	return f.Type.Kind() == reflect.Slice && f.Type != reflect.TypeFor[json.RawMessage]()
}

// kindOf returns the `kind` of a row; empty for another type.
func kindOf(t reflect.Type) protocol.OccupantKind {
	if o, ok := reflect.TypeAssert[protocol.Occupant](reflect.New(t)); ok {
		return o.OccupantKind()
	}
	return ""
}

// asked returns the types of requests.
func asked() []reflect.Type {
	values := bodies()
	for _, o := range protocol.Operations() {
		values = append(values, o.Request)
	}
	return typesOf(values)
}

// shown returns the types of rows and events.
func shown() []reflect.Type {
	values := slices.Clone(rows)
	for _, e := range protocol.Events() {
		values = append(values, e.Data)
	}
	for _, s := range protocol.Signals() {
		values = append(values, s.Data)
	}
	return typesOf(append(values, protocol.EventHead{}))
}

// answered returns the types of replies.
func answered() []reflect.Type {
	var values []any
	for _, o := range protocol.Operations() {
		values = append(values, o.Reply)
	}
	for _, r := range protocol.Routes(protocol.ServicePlay) {
		if r.Reply != nil && r.Path != protocol.ServicePlay.Snapshot() {
			values = append(values, r.Reply)
		}
	}
	return typesOf(append(values, further...))
}
