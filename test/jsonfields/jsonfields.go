// Package jsonfields compares the fields of the JSON output of commands, and the
// comments of those fields, with a list stored beside their tests. The
// documentation page about the fields is generated from these lists.
package jsonfields

import (
	"encoding"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the list of fields")

// Golden is the path of the list, relative to its package. A line is the command
// that prints the field, a colon, the field, its type, a tab and its meaning.
const Golden = "testdata/json-fields.txt"

// Check compares the fields of results, by the command that prints them, with the
// list. The fields are a contract: a new line in the list is a feature, a removed
// line breaks scripts. A field without a comment fails the test. A result is named
// by its commands, separated by commas, and the options with which they print it,
// such as "logs --output ndjson".
func Check(t *testing.T, results map[string]any) {
	t.Helper()
	read := newComments(t)
	var lines []string
	for command, result := range results {
		typ := reflect.TypeOf(result)
		for _, field := range read.fieldsOf(typ, "", typ.String()) {
			if field.meaning == "" {
				t.Errorf("%s has no comment, which is the documentation of %q of %q", field.goName, field.name, command)
			}
			lines = append(lines, fmt.Sprintf("%s: %s %s\t%s", command, field.name, field.kind, field.meaning))
		}
	}
	// The fields of a result stay in their order in the output.
	slices.SortStableFunc(lines, func(a, b string) int {
		commandOfA, _, _ := strings.Cut(a, ":")
		commandOfB, _, _ := strings.Cut(b, ":")
		return strings.Compare(commandOfA, commandOfB)
	})
	got := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(Golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(Golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("what scripts rely on has changed; if that is meant, run this test with -update, then go generate ./cmd/playctl\n%s", diff)
	}
}

// field is one field of a result.
type field struct {
	// name is its path in the JSON; "?" marks an optional one.
	name, kind, meaning string
	// goName is the struct field to which its comment belongs.
	goName string
}

// fieldsOf returns the fields of a type in its JSON, each followed by the fields
// inside it.
func (c *comments) fieldsOf(typ reflect.Type, prefix, within string) []field {
	var fields []field
	for of := range typ.Fields() {
		name, options, _ := strings.Cut(of.Tag.Get("json"), ",")
		if name == "-" || name == "" && !of.Anonymous {
			continue
		}
		if of.Anonymous && name == "" {
			fields = append(fields, c.fieldsOf(of.Type, prefix, of.Type.String())...)
			continue
		}
		path := prefix + name
		if strings.Contains(options, "omit") {
			path += "?"
		}
		fields = append(fields, field{path, jsonKind(of.Type), c.of(typ, of.Name, name), within + "." + of.Name})
		inner, kind := bare(of.Type), ""
		if inner.Kind() == reflect.Slice {
			inner, kind = bare(inner.Elem()), "[]"
		}
		if isObject(inner) {
			fields = append(fields, c.fieldsOf(inner, path+kind+".", inner.String())...)
		}
	}
	return fields
}

// bare returns the type to which a pointer points.
func bare(typ reflect.Type) reflect.Type {
	if typ.Kind() == reflect.Pointer {
		return typ.Elem()
	}
	return typ
}

func isObject(typ reflect.Type) bool {
	return typ.Kind() == reflect.Struct && typ != reflect.TypeFor[time.Time]()
}

func jsonKind(typ reflect.Type) string {
	typ = bare(typ)
	switch {
	case typ.Kind() == reflect.String || typ.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return "string"
	case typ == reflect.TypeFor[json.RawMessage]() || typ.Kind() == reflect.Interface:
		return "any"
	case typ.Kind() == reflect.Bool:
		return "boolean"
	case typ.Kind() == reflect.Slice || typ.Kind() == reflect.Array:
		return "[]" + jsonKind(typ.Elem())
	case typ.Kind() == reflect.Map || typ.Kind() == reflect.Struct:
		return "object"
	}
	return "number"
}
