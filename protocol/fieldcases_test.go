package protocol_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// field describes the valid values of one field of a request; the test cases are
// generated from it: absent, null, every other type, empty, one too long, wrong
// case.
type field struct {
	// path is the field's path, such as agent.toolNames[0].
	path string
	// kind is string, number, object or array.
	kind     string
	optional bool
	// blank is set if a string may be empty or white space.
	blank bool
	// longest is the largest value within a limit and tooLong the smallest beyond
	// it.
	longest, tooLong any
	// good and bad are further values that must be accepted and refused.
	good, bad []any
	// element is set for elements of an array, which cannot be absent.
	element bool
	// code is the error code of wrong values, if not body_invalid.
	code protocol.Code
}

// request is a kind of request with a body that has all its fields.
type request struct {
	name   string
	parse  func(protocol.Object) (any, *protocol.Error)
	body   string
	fields []field
}

// anyParser converts the parsers of all requests to one type.
func anyParser[T any](parse func(protocol.Object) (T, *protocol.Error)) func(protocol.Object) (any, *protocol.Error) {
	return func(o protocol.Object) (any, *protocol.Error) {
		r, err := parse(o)
		return r, err
	}
}

var otherTypes = map[string]any{
	"string": "text", "number": 7, "object": map[string]any{}, "array": []any{}, "boolean": true,
}

func (r *request) run(t *testing.T) {
	t.Helper()
	t.Run("round trip", r.roundTrip)
	t.Run("copy", r.testCopy)
	for _, f := range r.fields {
		t.Run(f.path, func(t *testing.T) {
			r.testField(t, &f)
		})
	}
}

// roundTrip checks that a parsed body is written in a form that parses to the same
// value.
func (r *request) roundTrip(t *testing.T) {
	first, err := r.parse(object(t, r.body))
	if err != nil {
		t.Fatalf("the body is refused: %v", err)
	}
	wire, merr := json.Marshal(first)
	if merr != nil {
		t.Fatal(merr)
	}
	second, err := r.parse(object(t, string(wire)))
	if err != nil {
		t.Fatalf("the encoded body is refused: %v\n%s", err, wire)
	}
	wireEqual(t, second, string(wire))
	// All sent members are in the written form.
	var sent, got map[string]any
	decode(t, r.body, &sent)
	decode(t, string(wire), &got)
	for name := range sent {
		if _, ok := got[name]; !ok {
			t.Errorf("the field %s is missing", name)
		}
	}
}

// testCopy checks that a parsed value does not change when the buffer of the body is
// reused.
func (r *request) testCopy(t *testing.T) {
	body := []byte(r.body)
	o, err := protocol.ParseObject(body)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.parse(o)
	if err != nil {
		t.Fatal(err)
	}
	before := encode(t, got)
	for i := range body {
		body[i] = '7'
	}
	if after := encode(t, got); after != before {
		t.Errorf("the parsed value changed with the body:\n%s\n%s", before, after)
	}
}

func (r *request) testField(t *testing.T, f *field) {
	t.Helper()
	code := f.code
	if code == "" {
		code = protocol.CodeBodyInvalid
	}
	if !f.element {
		r.testAbsent(t, f, func(body map[string]any) { edit(t, body, f.path, nil, true) }, "absent")
		r.testAbsent(t, f, func(body map[string]any) { edit(t, body, f.path, nil, false) }, "null")
		r.testAbsent(t, f, func(body map[string]any) {
			value := edit(t, body, f.path, nil, true)
			edit(t, body, capitalized(f.path), value, false)
		}, "wrong case")
	} else {
		r.refuse(t, f, nil, protocol.CodeBodyInvalid)
	}
	for kind, value := range otherTypes {
		if kind != f.kind {
			r.refuse(t, f, value, protocol.CodeBodyInvalid)
		}
	}
	if f.kind == "string" {
		for _, blank := range []string{"", " ", "\t\u00a0\ufeff"} {
			if f.blank {
				r.accept(t, f, blank)
			} else {
				r.refuse(t, f, blank, code)
			}
		}
	}
	if f.longest != nil {
		r.accept(t, f, f.longest)
		r.refuse(t, f, f.tooLong, protocol.CodeBodyInvalid)
	}
	for _, v := range f.good {
		r.accept(t, f, v)
	}
	for _, v := range f.bad {
		r.refuse(t, f, v, code)
	}
}

// testAbsent checks a body in which a field is absent in one of the possible ways.
func (r *request) testAbsent(t *testing.T, f *field, change func(map[string]any), how string) {
	t.Helper()
	var body map[string]any
	decode(t, r.body, &body)
	change(body)
	_, err := r.parse(object(t, encode(t, body)))
	switch {
	case f.optional && err != nil:
		t.Errorf("%s: %v", how, err)
	case !f.optional && err == nil:
		t.Errorf("%s: accepted", how)
	case !f.optional && (err.Code != protocol.CodeBodyInvalid || err.Field != f.path || !strings.Contains(err.Message, f.path)):
		t.Errorf("%s: got %s for %q: %s", how, err.Code, err.Field, err.Message)
	}
}

func (r *request) refuse(t *testing.T, f *field, value any, code protocol.Code) {
	t.Helper()
	err := r.with(t, f, value)
	switch {
	case err == nil:
		t.Errorf("%.80s was accepted", encode(t, value))
	case err.Code != code || !strings.HasPrefix(err.Field, f.path) || !strings.Contains(err.Message, err.Field):
		t.Errorf("%.80s: got %s for %q: %s", encode(t, value), err.Code, err.Field, err.Message)
	}
}

func (r *request) accept(t *testing.T, f *field, value any) {
	t.Helper()
	if err := r.with(t, f, value); err != nil {
		t.Errorf("%.80s: %v", encode(t, value), err)
	}
}

func (r *request) with(t *testing.T, f *field, value any) *protocol.Error {
	t.Helper()
	var body map[string]any
	decode(t, r.body, &body)
	edit(t, body, f.path, value, false)
	_, err := r.parse(object(t, encode(t, body)))
	return err
}

// capitalized changes the case of the last name of a path.
func capitalized(path string) string {
	at := strings.LastIndexByte(path, '.') + 1
	return path[:at] + strings.ToUpper(path[at:at+1]) + path[at+1:]
}

// edit sets or deletes the value at a path and returns the previous one.
func edit(t *testing.T, body map[string]any, path string, value any, remove bool) any {
	t.Helper()
	var at any = body
	steps := strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' })
	for i, step := range steps {
		last := i == len(steps)-1
		switch node := at.(type) {
		case map[string]any:
			old := node[step]
			switch {
			case last && remove:
				delete(node, step)
				return old
			case last:
				node[step] = value
				return old
			}
			at = old
		case []any:
			n, err := strconv.Atoi(step)
			if err != nil {
				t.Fatal(err)
			}
			if last {
				old := node[n]
				node[n] = value
				return old
			}
			at = node[n]
		default:
			t.Fatalf("the body has nothing at %s", path)
		}
	}
	return nil
}

func decode(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
}

func encode(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// chars returns a text of n characters of two bytes each.
func chars(n int) string { return strings.Repeat("é", n) }

func sized(n int) map[string]any {
	// {"a":"…"} has eight bytes of its own.
	return map[string]any{"a": strings.Repeat("x", n-8)}
}
