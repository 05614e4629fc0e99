// Package jsonfields compares the fields of what commands print as JSON with a list
// that is kept beside their tests.
package jsonfields

import (
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

// golden is the list, one field a line.
const golden = "testdata/json-fields.txt"

// Check compares the fields of results, by what prints them, with the list. They
// are a promise: a new line in the list is a feature, a line that is gone breaks
// scripts.
func Check(t *testing.T, results map[string]any) {
	t.Helper()
	var lines []string
	for command, result := range results {
		for _, field := range fieldsOf(reflect.TypeOf(result)) {
			lines = append(lines, command+": "+field)
		}
	}
	slices.Sort(lines)
	got := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("what scripts rely on has changed; if that is meant, run this test with -update\n%s", diff)
	}
}

// fieldsOf are the fields of a type in its JSON with their types, those inside
// others by their path; "?" marks one that may be absent.
func fieldsOf(typ reflect.Type) []string {
	var fields []string
	for field := range typ.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if field.Anonymous && name == "" {
			fields = append(fields, fieldsOf(field.Type)...)
			continue
		}
		if strings.Contains(options, "omit") {
			name += "?"
		}
		inner, kind := field.Type, ""
		if inner.Kind() == reflect.Slice && inner.Elem().Kind() != reflect.Uint8 {
			inner, kind = inner.Elem(), "[]"
		}
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct && inner != reflect.TypeFor[time.Time]() {
			for _, below := range fieldsOf(inner) {
				fields = append(fields, name+kind+"."+below)
			}
			continue
		}
		fields = append(fields, fmt.Sprintf("%s %s%s", name, kind, jsonKind(inner)))
	}
	return fields
}

func jsonKind(typ reflect.Type) string {
	switch {
	case typ == reflect.TypeFor[time.Time]() || typ.Kind() == reflect.String:
		return "string"
	case typ.Kind() == reflect.Bool:
		return "boolean"
	case typ.Kind() == reflect.Slice:
		return "object"
	}
	return "number"
}
