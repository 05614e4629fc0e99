package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/playctl/playctl/protocol"
)

// document generates the OpenAPI document: routes and schemas from the contract, what
// else it says from the YAML files of a folder.
func document(s *source, folder string) ([]byte, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, fmt.Errorf("list the sources of the document: %w", err)
	}
	d := newSchemas(s)
	whole := object{"components": object{"schemas": d.all()}}
	special := map[string]map[string]details{}
	for _, name := range names {
		text, err := os.ReadFile(name) //nolint:gosec // G304: a file of this repository
		if err != nil {
			return nil, fmt.Errorf("read a source of the document: %w", err)
		}
		var part struct {
			Paths map[string]map[string]details
			Rest  object `yaml:",inline"`
		}
		reader := yaml.NewDecoder(bytes.NewReader(text))
		reader.KnownFields(true)
		if err := reader.Decode(&part); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		for path, methods := range part.Paths {
			if special[path] != nil {
				return nil, fmt.Errorf("take in %s: %s is in two sources", name, path)
			}
			special[path] = methods
		}
		maps.DeleteFunc(part.Rest, func(key string, _ any) bool { return strings.HasPrefix(key, "x-source-") })
		if err := join(whole, part.Rest, ""); err != nil {
			return nil, fmt.Errorf("take in %s: %w", name, err)
		}
	}
	whole["paths"], err = routes(special)
	if err != nil {
		return nil, err
	}
	lists(whole)
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(whole); err != nil {
		return nil, fmt.Errorf("write the document: %w", err)
	}
	return out.Bytes(), nil
}

// join adds the members of one object to another, and refuses to overwrite any.
func join(into, from object, at string) error {
	for key, value := range from {
		there, taken := into[key]
		if !taken {
			into[key] = value
			continue
		}
		a, ok := there.(object)
		b, too := value.(object)
		if !ok || !too {
			return fmt.Errorf("%s/%s is in two sources", at, key)
		}
		if err := join(a, b, at+"/"+key); err != nil {
			return err
		}
	}
	return nil
}

// lists fills in the lists of operations and of events.
func lists(whole object) {
	paths := whole["paths"].(object)
	rpc := paths[protocol.ServicePlay.RPC()].(object)["post"].(object)
	var asked []form
	var answered []any
	operations, replies := object{}, map[string]bool{}
	for _, o := range protocol.Operations() {
		reply := schemaName(typeName(reflect.TypeOf(o.Reply)))
		operations[string(o.Op)] = object{"summary": o.Summary, "request": ref(envelope(o.Op)), "reply": ref(reply)}
		asked = append(asked, form{envelope(o.Op), []string{string(o.Op)}})
		if !replies[reply] {
			replies[reply] = true
			answered = append(answered, ref(reply))
		}
	}
	// Client generators cannot send a body whose schema has no name.
	schemas := whole["components"].(object)["schemas"].(object)
	schemas["RpcRequest"] = describe(union("op", asked...), "An operation with its payload.")
	schemas["RpcReply"] = object{"anyOf": answered, "description": "The reply of the requested operation."}
	rpc["responses"].(object)["200"].(object)["content"] = jsonContent("RpcReply")
	rpc["x-operations"] = operations
	events := object{}
	for _, e := range protocol.Events() {
		events[string(e.Kind)] = ref(eventName(e.Data))
	}
	stream := paths[protocol.ServicePlay.Events()].(object)["get"].(object)["responses"].(object)["200"].(object)
	stream["content"] = object{protocol.MediaTypeSSE: object{"schema": object{"type": "string"}, "x-events": events}}
}

// envelope returns the name of the schema of an operation's body.
func envelope(op protocol.Op) string {
	return strings.ToUpper(string(op[:1])) + string(op[1:]) + "Request"
}

// eventName returns the name of the schema of an event's data.
func eventName(data any) string {
	return strings.TrimSuffix(typeName(reflect.TypeOf(data)), "Data") + "Data"
}

// form is a schema of a union, and the values of the property by which clients
// recognize it.
type form struct {
	schema string
	values []string
}

// union describes a value that has one of several forms. Client generators need the
// name of the property, and a component for each form.
func union(property string, forms ...form) object {
	list, mapping := make([]any, len(forms)), object{}
	for i, one := range forms {
		list[i] = ref(one.schema)
		for _, value := range one.values {
			mapping[value] = ref(one.schema)["$ref"]
		}
	}
	return object{"oneOf": list, "discriminator": object{"propertyName": property, "mapping": mapping}}
}

// operations describes the bodies of the rpc route.
func (d *schemas) operations() {
	for _, o := range protocol.Operations() {
		payload := d.structure(reflect.TypeOf(o.Request), taken, false)
		required := []string{"op", "payload"}
		if payload["required"] == nil {
			required = required[:1]
			orNull(payload)
		}
		d.made[envelope(o.Op)] = object{
			"type": "object", "description": o.Summary, "required": required,
			"properties": object{"op": onlyValue(o.Op), "payload": payload},
		}
	}
}

// events describes the data of the events: their own fields and the head.
func (d *schemas) events() {
	for _, e := range protocol.Events() {
		if e.Kind == protocol.EventAgentSignal {
			d.signals()
			continue
		}
		o := d.structure(reflect.TypeOf(e.Data), sent, true)
		d.made[eventName(e.Data)] = describe(d.withHead(o, e.Notifies), capital(e.Summary)+".")
	}
}

func (d *schemas) signals() {
	name := eventName(protocol.AgentSignalData{})
	var forms []form
	for _, s := range protocol.Signals() {
		player := ref("Id")
		if s.World {
			player = onlyValue(protocol.WorldPlayerID)
		}
		o := object{
			"type": "object", "additionalProperties": false, "required": []string{"playerId", "kind", "data"},
			"properties": object{"playerId": player, "kind": onlyValue(s.Kind), "data": ref(typeName(reflect.TypeOf(s.Data)))},
		}
		one := form{name + capital(s.Kind), []string{s.Kind}}
		d.made[one.schema] = describe(d.withHead(o, s.Notifies), capital(s.Summary)+".")
		forms = append(forms, one)
	}
	d.made[name] = union("kind", forms...)
}

// withHead adds the fields of every event's data.
func (d *schemas) withHead(o object, n protocol.Notifies) object {
	head := protocol.FieldsOf(reflect.TypeFor[protocol.EventHead]())
	for i := range head {
		f := &head[i]
		change := !f.Sent
		if change && n == protocol.NotifiesNever {
			continue
		}
		o["properties"].(object)[f.Name] = d.field(reflect.TypeFor[protocol.EventHead](), f, sent)
		if f.Sent || f.Ref == "Notify" && n == protocol.NotifiesAlways {
			o["required"] = append(o["required"].([]string), f.Name)
		}
	}
	return o
}

// errors describes the refusals. Each status has its own schema, so that a code is
// never documented with another status.
func (d *schemas) errors() {
	codes := map[int][]any{}
	for _, code := range protocol.Codes() {
		status := protocol.Status(code)
		codes[status] = append(codes[status], code)
	}
	for status, list := range codes {
		code := object{"enum": list}
		if len(list) == 1 {
			code = onlyValue(list[0])
		}
		d.made[fmt.Sprintf("Error%d", status)] = object{
			"type": "object", "additionalProperties": false, "required": []string{"error", "code", "requestId"},
			"properties": object{
				"error":     object{"type": "string", "minLength": 1, "description": "One sentence for a person."},
				"code":      code,
				"requestId": object{"type": "string", "minLength": 1, "description": "The value of the x-request-id header."},
			},
		}
	}
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
