package main

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/command/tree"
)

// field is one field of a result.
type field struct {
	// name is its path in the JSON; "?" marks an optional one.
	name, kind, meaning string
	// goName is the struct field to which its comment belongs.
	goName string
}

// results returns the fields of the results of all commands, in their order in the output,
// by the keys of tree.Results. A field without a comment is an error.
func results(root string) (map[string][]field, error) {
	read := &comments{root: root, packages: map[string]map[string]string{}}
	all := map[string][]field{}
	for _, list := range tree.Results() {
		for printed, result := range list {
			typ := reflect.TypeOf(result)
			fields, err := read.fieldsOf(typ, "", typ.String())
			if err != nil {
				return nil, err
			}
			for _, f := range fields {
				if f.meaning == "" {
					return nil, fmt.Errorf("%s has no comment, which is the documentation of %q of %q: add one", f.goName, f.name, printed)
				}
			}
			all[printed] = fields
		}
	}
	return all, nil
}

// fieldsOf returns the fields of a type in its JSON, each followed by the fields
// inside it.
func (c *comments) fieldsOf(typ reflect.Type, prefix, within string) ([]field, error) {
	var fields []field
	add := func(typ reflect.Type, prefix string) error {
		below, err := c.fieldsOf(typ, prefix, typ.String())
		fields = append(fields, below...)
		return err
	}
	for of := range typ.Fields() {
		name, options, _ := strings.Cut(of.Tag.Get("json"), ",")
		if name == "-" || name == "" && !of.Anonymous {
			continue
		}
		if of.Anonymous && name == "" {
			if err := add(of.Type, prefix); err != nil {
				return nil, err
			}
			continue
		}
		path := prefix + name
		if strings.Contains(options, "omit") {
			path += "?"
		}
		meaning, err := c.of(typ, of.Name, name)
		if err != nil {
			return nil, err
		}
		fields = append(fields, field{path, jsonKind(of.Type), meaning, within + "." + of.Name})
		inner, kind := bare(of.Type), ""
		if inner.Kind() == reflect.Slice {
			inner, kind = bare(inner.Elem()), "[]"
		}
		if inner.Kind() == reflect.Struct && inner != reflect.TypeFor[time.Time]() {
			if err := add(inner, path+kind+"."); err != nil {
				return nil, err
			}
		}
	}
	return fields, nil
}

// bare returns the type to which a pointer points.
func bare(typ reflect.Type) reflect.Type {
	if typ.Kind() == reflect.Pointer {
		return typ.Elem()
	}
	return typ
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

const fieldsIntroduction = `# The fields of results

What commands print with ` + "`--output json`" + `, ` + "`ndjson` and `yaml`" + `. A field with ? may be absent; fields may be added, none is
renamed or removed without a new major version. Where a result is a list, ` + "`ndjson`" + ` prints its elements, one a line.
Rows of the map and what events say are in [the protocol](../protocol.md). Times are RFC 3339 in UTC.

This page is generated from the comments of the fields: ` + "`go generate ./cmd/playctl`" + `.
`

// fieldsPage returns the page about the fields of results. The fields are a contract: a
// new line is a feature, a removed line breaks scripts.
func fieldsPage(all map[string][]field) []byte {
	var page bytes.Buffer
	page.WriteString(fieldsIntroduction)
	for _, printed := range slices.Sorted(maps.Keys(all)) {
		commands, part, _ := strings.Cut(printed, "; ")
		heading := "`" + strings.ReplaceAll(commands, ", ", "`, `") + "`"
		if part != "" {
			heading += ": " + part
		}
		fmt.Fprintf(&page, "\n## %s\n\n| field | type | meaning |\n|---|---|---|\n", heading)
		for _, f := range all[printed] {
			fmt.Fprintf(&page, "| `%s` | %s | %s |\n", f.name, f.kind, strings.ReplaceAll(f.meaning, "|", "\\|"))
		}
	}
	return page.Bytes()
}

// withoutResult are the commands that print no result with fields, with the reason.
var withoutResult = map[string]string{
	"chat":       "it is a prompt",
	"top":        "it is a screen",
	"completion": "it prints a script of a shell",
}

var commandName = regexp.MustCompile(`^[a-z -]*?[a-z]( --| [A-Z]|$)`)

// checkDocumented fails if a command that prints a result has none in tree.Results, or if
// tree.Results has one of a command that does not exist.
func checkDocumented(root *cobra.Command, all map[string][]field) error {
	documented := map[string]bool{}
	for printed := range all {
		commands, _, _ := strings.Cut(printed, "; ")
		for one := range strings.SplitSeq(commands, ", ") {
			documented[strings.TrimRight(commandName.FindString(one), " -ABCDEFGHIJKLMNOPQRSTUVWXYZ")] = true
		}
	}
	delete(documented, "error")
	delete(documented, "--dry-run")
	var problems []error
	tree.Each(root, func(cmd *cobra.Command) {
		name := strings.TrimPrefix(cmd.CommandPath(), "playctl ")
		if cmd.HasParent() && cmd.Runnable() && !cmd.HasSubCommands() && !documented[name] && withoutResult[name] == "" {
			problems = append(problems, fmt.Errorf("playctl %s has no result: add the type that it prints to Results of its package", name))
		}
		delete(documented, name)
	})
	for _, name := range slices.Sorted(maps.Keys(documented)) {
		problems = append(problems, fmt.Errorf("there is a result of %q, which is no command: remove it from Results", name))
	}
	return errors.Join(problems...)
}
