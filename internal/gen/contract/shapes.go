package main

import (
	"reflect"
	"slices"
	"strings"

	"github.com/playctl/playctl/protocol"
)

const shapesHead = `
/**
 * A field as a reader takes it that does not trust its host. ` + "`of`" + ` is the shape of an object or of a list's objects, ` + "`older`" + ` the
 * name on hosts of the older service. What a field needs:
 * - must: without it, in its type and as one of its words, what holds it is refused
 * - filled: as must, and not empty
 * - zero: else it reads as '', 0, false, [], or as its fallback
 * - optional: else it is left out
 */
export interface Field {
  readonly name: string
  readonly type: 'text' | 'number' | 'boolean' | 'json' | 'object' | 'texts' | 'objects'
  readonly need: 'must' | 'filled' | 'zero' | 'optional'
  readonly of?: string
  readonly words?: readonly string[]
  readonly fallback?: string
  readonly older?: string
}

/** The fields of rows and of events, by the names of the types. */
export const shapes = {`

// shapes writes the fields of what hosts send, for readers.
func (w *writer) shapes(types []reflect.Type) {
	w.line("%s", shapesHead)
	for _, t := range types {
		fields := protocol.FieldsOf(t)
		if len(fields) == 0 {
			continue
		}
		w.line("  %s: [", typeName(t))
		for i := range fields {
			w.line("    { %s },", shape(&fields[i]))
		}
		w.line("  ],")
	}
	w.line("} as const satisfies Readonly<Record<string, readonly Field[]>>")
}

// requests writes the names of the fields of what clients send, by operation and route,
// and of the objects in it. It is short because pages load it.
func (w *writer) requests() {
	w.line("\n/** The names of the fields of requests, by operation and route, and of the objects in them, by type. A name with a colon is that of an object, or of a list of objects, of a type. */")
	w.line("export const requestFields = {")
	for _, o := range protocol.Operations() {
		w.line("  %s: %s,", o.Op, quote(fieldNames(reflect.TypeOf(o.Request))))
	}
	routes := map[string]reflect.Type{}
	for _, r := range protocol.Routes("{service}") {
		if r.Request != nil {
			routes[r.Path] = reflect.TypeOf(r.Request)
		}
	}
	for _, path := range append(servicePaths(), constant{"ValidateNode", protocol.PathValidateNode}) {
		if t := routes[path.value]; t != nil && path.name != "RPC" {
			w.line("  %s: %s,", lower(path.name), quote(fieldNames(t)))
		}
	}
	for _, t := range objectsIn(asked()) {
		w.line("  %s: %s,", typeName(t), quote(fieldNames(t)))
	}
	w.line("} as const")
}

// fieldNames lists the names of the fields of a type.
func fieldNames(t reflect.Type) string {
	var names []string
	for _, f := range protocol.FieldsOf(t) {
		name := f.Name
		if inner := structOf(&f); inner != nil && !open[inner] {
			name += ":" + typeName(inner)
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// objectsIn lists the types of the objects in the fields of types.
func objectsIn(types []reflect.Type) []reflect.Type {
	var list []reflect.Type
	for _, t := range types {
		for _, f := range protocol.FieldsOf(t) {
			if inner := structOf(&f); inner != nil && !open[inner] && !slices.Contains(list, inner) {
				list = append(list, inner)
			}
		}
	}
	return list
}

func shape(f *protocol.Field) string {
	parts := []string{"name: " + quote(f.Name), "type: " + quote(shapeType(f)), "need: " + quote(need(f))}
	if inner := structOf(f); inner != nil && !open[inner] && len(protocol.FieldsOf(inner)) > 0 {
		parts = append(parts, "of: "+quote(typeName(inner)))
	}
	if f.Enum != "" && (f.Must || f.Default != "") {
		parts = append(parts, "words: "+plural(f.Enum))
	}
	if f.Default != "" {
		parts = append(parts, "fallback: "+quote(f.Default))
	}
	if f.Older != "" {
		parts = append(parts, "older: "+quote(f.Older))
	}
	return strings.Join(parts, ", ")
}

func shapeType(f *protocol.Field) string {
	one := element(f)
	switch {
	case structOf(f) != nil || f.Form == "object" || f.Ref != "":
		one = "object"
	case one == "boolean" || one == "number":
	case one == "true" || one == "false":
		one = "boolean"
	case one == "Json":
		one = "json"
	default:
		one = "text"
	}
	if isList(f) {
		one += "s"
	}
	return one
}

func need(f *protocol.Field) string {
	switch {
	case f.Filled:
		return "filled"
	case f.Must:
		return "must"
	case f.Optional || f.Null || f.When.Field != "":
		return "optional"
	}
	return "zero"
}
