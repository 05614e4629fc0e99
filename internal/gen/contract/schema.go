package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/playctl/playctl/protocol"
)

// object is a JSON object of the document.
type object = map[string]any

func ref(name string) object { return object{"$ref": "#/components/schemas/" + name} }

// The fields of requests, and of what a host sends, are described differently: a
// host accepts further fields, and null for optional ones; its own output is
// described exactly.
type direction bool

const (
	taken direction = false
	sent  direction = true
)

// schemas generates the components that are schemas.
type schemas struct {
	source *source
	made   object
}

// onlyValue describes a constant value, with its type, by which client generators
// recognize it.
func onlyValue(value any) object {
	if _, ok := value.(bool); ok {
		return object{"type": "boolean", "const": value}
	}
	return object{"type": "string", "const": value}
}

// forms are the syntaxes of texts with a component of their own.
var forms = map[string]string{
	"id": "Id", "hex64": "Hex64", "stamp": "Time", "uuid": "SessionId", "stableKey": "StableKey",
}

const (
	hexPattern       = "^[0-9a-f]{64}$"
	occupantsPattern = "^(agent|mcp|human|structure):"
)

func newSchemas(s *source) *schemas {
	d := &schemas{source: s, made: object{
		"SessionId": object{
			"type": "string", "description": "A random UUID (version 4) that names the live session. It proves nothing.",
			"pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
		},
		"Hex64": object{"type": "string", "pattern": hexPattern},
		"Id": object{
			"type": "string", "minLength": 1, "maxLength": protocol.MaxIDChars, "pattern": `^[^\s:\x00-\x1f\x7f]+$`,
			"description": fmt.Sprintf("1 to %d characters without white space, control characters and colons.", protocol.MaxIDChars),
		},
		"Time": object{
			"type": "string", "description": "RFC 3339 in UTC with milliseconds.",
			"pattern": `^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$`,
		},
		"Position":    object{"type": "integer", "description": "A rev or a seq.", "minimum": 0, "maximum": protocol.MaxSafeInteger},
		"Count":       object{"type": "integer", "minimum": 0},
		"StableKey":   object{"type": "string", "pattern": "^(__genesis__$|__header__$|agent:|mcp:|human:|structure:|space:)"},
		"NodeIdInput": object{"type": "string", "description": "A node id; trimmed and lower-cased by the host.", "pattern": `^\s*[0-9A-Fa-f]{64}\s*$`},
	}}
	for _, e := range protocol.Enums() {
		d.made[e.Name] = object{"type": "string", "enum": e.Words}
	}
	return d
}

// all returns every schema of the contract.
func (d *schemas) all() object {
	for _, t := range slices.Concat(shown(), answered()) {
		if t != reflect.TypeFor[protocol.IntercomCommand]() && t != reflect.TypeFor[protocol.EventHead]() {
			d.made[schemaName(typeName(t))] = d.structure(t, sent, t != reflect.TypeFor[protocol.IntercomResult]())
		}
	}
	payloads := map[reflect.Type]bool{}
	for _, o := range protocol.Operations() {
		payloads[reflect.TypeOf(o.Request)] = true
	}
	for _, body := range bodies() {
		payloads[reflect.TypeOf(body)] = false
	}
	for _, t := range asked() {
		if !payloads[t] || t == reflect.TypeFor[protocol.IntercomCommand]() {
			d.made[inputName(t)] = d.structure(t, taken, false)
		}
	}
	d.made["Occupant"] = union("kind", form{"AgentRow", []string{"agent"}}, form{"McpRow", []string{"mcp"}}, form{"HumanRow", []string{"human"}}, form{"StructureRow", []string{"structure"}})
	d.events()
	d.operations()
	d.errors()
	delete(d.made, "ErrorBody")
	return d.made
}

// schemaName returns the name of a component for a type's name.
func schemaName(name string) string {
	if name == "WorldSnapshot" {
		return "Snapshot"
	}
	return name
}

// inputName returns the name of a component for a type of a request. A type that
// hosts send as well has a component for each direction.
func inputName(t reflect.Type) string {
	name := typeName(t)
	if strings.HasSuffix(name, "Request") || t == reflect.TypeFor[protocol.IntercomCommand]() {
		return name
	}
	return name + "Input"
}

// structure describes a struct, as one of several if some fields exist only for
// some values of another.
func (d *schemas) structure(t reflect.Type, way direction, closed bool) object {
	fields := protocol.FieldsOf(t)
	variants := variantsOf(fields)
	if len(variants) == 0 {
		o := d.object(t, fields, way, closed)
		if kind := kindOf(t); kind != "" {
			o["properties"].(object)["kind"] = onlyValue(kind)
			o["required"] = append([]string{"kind"}, o["required"].([]string)...)
		}
		return describe(o, d.source.doc(t))
	}
	name := inputName(t)
	if way == sent {
		name = schemaName(typeName(t))
	}
	var forms []form
	for _, v := range variants {
		there := variantFields(fields, v)
		for i := range there {
			f := &there[i]
			if c := f.Required; c.Field == v.Field && slices.Contains(c.Words, v.Words[0]) {
				f.Optional = false
			}
			f.Required = protocol.Condition{}
		}
		one := form{name, v.Words}
		for i, word := range v.Words {
			if i > 0 {
				one.schema += "Or"
			}
			one.schema += capital(word)
		}
		d.made[one.schema] = d.object(t, there, way, closed)
		forms = append(forms, one)
	}
	return describe(union(variants[0].Field, forms...), d.source.doc(t))
}

func (d *schemas) object(t reflect.Type, fields []protocol.Field, way direction, closed bool) object {
	properties, required := object{}, []string{}
	for i := range fields {
		f := &fields[i]
		if !f.Optional || f.Sent && way == sent {
			required = append(required, f.Name)
		}
		properties[f.Name] = d.field(t, f, way)
	}
	o := object{"type": "object", "properties": properties}
	if len(required) > 0 {
		o["required"] = required
	}
	if closed {
		o["additionalProperties"] = false
	}
	return o
}

func describe(o object, text string) object {
	if text != "" {
		o["description"] = text
	}
	return o
}

func (d *schemas) field(t reflect.Type, f *protocol.Field, way direction) object {
	o := d.value(f, way)
	if isList(f) {
		o = object{"type": "array", "items": o}
		span(o, f.Items, "minItems", "maxItems")
		if f.Unique {
			o["uniqueItems"] = true
		}
		if f.Contains != "" {
			o["contains"] = onlyValue(f.Contains)
		}
	}
	if f.Null || f.Optional && way == taken {
		orNull(o)
	}
	if f.Default != "" && way == taken {
		o["default"] = defaultOf(f)
	}
	return describe(o, strings.TrimSpace(d.source.fieldDoc(t, f)+" "+d.remarks(f, way)))
}

// remarks returns the rules that a schema cannot express.
func (d *schemas) remarks(f *protocol.Field, way direction) string {
	var list []string
	switch {
	case way == sent:
	case f.Bytes > 0 && f.Type.Kind() == reflect.String:
		list = append(list, bytesOf(f.Bytes)+" at most.")
	case f.Bytes > 0:
		list = append(list, bytesOf(f.Bytes)+" of JSON at most.")
	case f.Clamp:
		list = append(list, fmt.Sprintf("Seconds; clamped to %d to %d.", f.Range.Least, f.Range.Most))
	}
	if f.Required.Field != "" {
		list = append(list, "Needed where "+f.Required.Field+" is "+strings.Join(f.Required.Words, " or ")+".")
	}
	return strings.Join(list, " ")
}

func bytesOf(n int) string {
	if n%1024 == 0 {
		return strconv.Itoa(n/1024) + " KiB"
	}
	return strconv.Itoa(n) + " bytes"
}

func defaultOf(f *protocol.Field) any {
	if isList(f) {
		return strings.Split(f.Default, "|")
	}
	if f.Type.Kind() != reflect.Int {
		return f.Default
	}
	for _, l := range protocol.Limits() {
		if l.Name == f.Default {
			return l.Value
		}
	}
	panic("no limit has the name " + f.Default)
}

// orNull changes a schema so that it allows null.
func orNull(o object) {
	switch {
	case o["$ref"] != nil:
		o["anyOf"] = []any{object{"$ref": o["$ref"]}, object{"type": "null"}}
		delete(o, "$ref")
	case o["type"] != nil:
		o["type"] = []any{o["type"], "null"}
	}
	if words, ok := o["enum"].([]any); ok {
		o["enum"] = append(slices.Clone(words), nil)
	}
	if word := o["const"]; word != nil {
		o["enum"] = []any{word, nil}
		delete(o, "const")
	}
}

// value describes the value of a field, or an element of its list.
func (d *schemas) value(f *protocol.Field, way direction) object { //nolint:cyclop // one case for each type
	inner := structOf(f)
	switch {
	case f.Ref != "" && inner == nil:
		return ref(f.Ref)
	case inner != nil && (way == taken || inner == reflect.TypeFor[protocol.IntercomCommand]()):
		return ref(inputName(inner))
	case inner != nil:
		return ref(schemaName(typeName(inner)))
	}
	t := f.Type
	for t.Kind() == reflect.Pointer || isList(&protocol.Field{Type: t}) {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return raw(f)
	case t == reflect.TypeFor[protocol.WireSecret]() && f.Form == "hash":
		return object{"type": "string", "pattern": hexPattern}
	case t == reflect.TypeFor[protocol.WireSecret]() && way == taken:
		return object{"type": "string"}
	case t == reflect.TypeFor[protocol.WireSecret]():
		return object{"type": "string", "minLength": 1}
	case t.Kind() == reflect.String:
		return text(f, way)
	case t.Kind() == reflect.Bool && f.Const != "":
		return onlyValue(f.Const == "true")
	case t.Kind() == reflect.Bool:
		return object{"type": "boolean"}
	}
	return number(f, t)
}

func raw(f *protocol.Field) object {
	switch {
	case f.Form == "object":
		return object{"type": "object"}
	case f.Optional:
		return object{}
	}
	return object{"not": object{"type": "null"}}
}

func text(f *protocol.Field, way direction) object { //nolint:cyclop // one case for each form
	switch {
	case f.Enum != "":
		return ref(f.Enum)
	case f.Const != "":
		return onlyValue(f.Const)
	case len(f.Words) == 1:
		return onlyValue(f.Words[0])
	case f.Words != nil:
		words := make([]any, len(f.Words))
		for i, word := range f.Words {
			words[i] = word
		}
		return object{"type": "string", "enum": words}
	case f.Form == "time":
		return object{"type": "string", "format": "date-time"}
	case f.Form == "channelKey":
		return object{"type": "string", "pattern": "^intercom:human:.+:agent:.+$"}
	}
	if way == sent && forms[f.Form] != "" {
		return ref(forms[f.Form])
	}
	o := object{"type": "string"}
	if !f.Blank {
		o["minLength"] = 1
	}
	if f.Chars > 0 {
		o["maxLength"] = f.Chars
	}
	if f.Prefix != "" {
		o["pattern"] = "^" + f.Prefix
	}
	switch f.Form {
	case "node":
		return ref("NodeIdInput")
	case "url":
		o["pattern"] = "^[Hh][Tt][Tt][Pp][Ss]?://"
	case "stableKey":
		o = ref("StableKey")
		o["maxLength"] = f.Chars
	case "occupantKey":
		o["pattern"] = occupantsPattern
	}
	return o
}

func number(f *protocol.Field, t reflect.Type) object {
	o := object{"type": "integer"}
	switch {
	case f.Clamp:
		return object{"type": "number"}
	case t.Kind() == reflect.Float64 && f.Form != "cell":
		o["type"] = "number"
	case t.Kind() == reflect.Uint64:
		return ref("Position")
	case f.Range == protocol.Span{} && f.Form != "cell":
		return ref("Count")
	}
	span(o, f.Range, "minimum", "maximum")
	return o
}

func span(o object, s protocol.Span, least, most string) {
	if s.HasLeast {
		o[least] = s.Least
	}
	if s.HasMost {
		o[most] = s.Most
	}
}
