package sdk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/playctl/playctl/internal/fieldorder"
)

// newProgramTool returns a tool for a function, whose parameter type describes the
// arguments.
func newProgramTool[In, Out any](name, description string, do func(context.Context, In) (Out, error)) (programTool, error) {
	t := programTool{Tool: Tool{Name: assistName(name), Description: description}}
	form, err := t.describe(reflect.TypeFor[In]())
	if do == nil {
		err = errors.New("it has no function")
	}
	if err != nil {
		return programTool{}, t.wrong("%w", err)
	}
	t.run = func(ctx context.Context, args []byte) (any, error) {
		var in In
		if err := readArgs(form, args, &in); err != nil {
			return nil, err
		}
		return do(ctx, in)
	}
	return t, nil
}

// describe sets the schema of a tool's arguments, and returns its validator.
func (t *programTool) describe(in reflect.Type) (*jsonschema.Resolved, error) {
	schema, err := schemaOf(in)
	if err != nil {
		return nil, fmt.Errorf("its arguments: %w", err)
	}
	text, err := json.Marshal(schema)
	if err != nil {
		return nil, fmt.Errorf("the schema of its arguments: %w", err)
	}
	t.Schema = fieldorder.Number(text)
	form, err := schema.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("the schema of its arguments: %w", err)
	}
	return form, nil
}

// readArgs checks arguments and reads them into v. An error is for the asker.
func readArgs(form *jsonschema.Resolved, args []byte, v any) error {
	if len(args) == 0 {
		args = []byte("{}")
	}
	var object any
	err := json.Unmarshal(args, &object)
	if err == nil {
		omitNulls(form.Schema(), object)
		err = form.Validate(object)
	}
	if err == nil {
		err = checkDates(form.Schema(), object, nil)
	}
	if err == nil {
		err = json.Unmarshal(args, v)
	}
	if err != nil {
		return ToolErrorf("the arguments do not match the tool's parameters: %s", inWords(err))
	}
	return nil
}

// omitNulls removes optional arguments that are null, which models send for what they
// leave out. The schema does not allow null.
func omitNulls(s *jsonschema.Schema, value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, argument := range value {
			described := s.Properties[name]
			switch {
			case described == nil:
				described = s.AdditionalProperties
			case argument == nil && !slices.Contains(s.Required, name):
				delete(value, name)
				continue
			}
			if described != nil {
				omitNulls(described, argument)
			}
		}
	case []any:
		for i := range value {
			if s.Items != nil {
				omitNulls(s.Items, value[i])
			}
		}
	}
}

// The names of date formats in JSON Schema, for which forms have controls.
const (
	formatDate = "date"
	formatTime = "date-time"
)

// checkDates refuses texts that are not dates if the schema requires one: the
// validator accepts any text. path leads to the value.
func checkDates(s *jsonschema.Schema, value any, path []string) error {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			inner := s.Properties[name]
			if inner == nil {
				inner = s.AdditionalProperties
			}
			if inner == nil {
				continue
			}
			if err := checkDates(inner, value[name], append(path, name)); err != nil {
				return err
			}
		}
	case []any:
		for i := range value {
			if s.Items == nil {
				break
			}
			if err := checkDates(s.Items, value[i], path); err != nil {
				return err
			}
		}
	case string:
		if example, ok := isDate(s.Format, value); !ok {
			return fmt.Errorf("%s: %q is not a %s, such as %s", strings.Join(path, "."), value, s.Format, example)
		}
	}
	return nil
}

// isDate reports whether a text has a format, and returns an example.
func isDate(format, text string) (example string, ok bool) {
	layout := time.RFC3339
	switch example = "2026-05-06T07:08:09Z"; format {
	case formatTime:
	case formatDate:
		example, layout = "2026-05-06", time.DateOnly
	default:
		return "", true
	}
	_, err := time.Parse(layout, text)
	return example, err == nil
}

// inWords removes the position in the schema from an error of the validator.
func inWords(err error) string {
	text := err.Error()
	for {
		place, rest, ok := strings.Cut(text, ": ")
		at, found := strings.CutPrefix(place, "validating ")
		switch {
		case !ok || !found:
			return text
		case strings.HasPrefix(rest, "validating ") || at == "root":
			text = rest
		default:
			return argumentAt(at) + ": " + rest
		}
	}
}

// argumentAt names the argument that a place in a schema describes.
func argumentAt(place string) string {
	var names []string
	for part := range strings.SplitSeq(place, "/") {
		if part != "" && part != "properties" && part != "items" {
			names = append(names, part)
		}
	}
	return strings.Join(names, ".")
}

// schemaOf returns the JSON Schema of a struct type. Values that may be nil in Go are
// optional instead of nullable.
func schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	schema, err := jsonschema.ForType(t, nil)
	if err != nil {
		return nil, fmt.Errorf("%v cannot be described in JSON Schema: %w", t, err)
	}
	if schema.Type != "object" {
		return nil, fmt.Errorf("%v is not a struct: arguments have names", t)
	}
	if err := refine(t, schema); err != nil {
		return nil, err
	}
	return schema, nil
}

// refine removes null from a schema, and adds the values of enum tags and the formats of
// dates.
func refine(t reflect.Type, s *jsonschema.Schema) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == reflect.TypeFor[time.Time]() {
		s.Format = formatTime
	}
	if at := slices.Index(s.Types, "null"); at >= 0 && len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1-at], nil
	}
	switch {
	case s.Items != nil:
		return refine(t.Elem(), s.Items)
	case t.Kind() == reflect.Map && s.AdditionalProperties != nil:
		return refine(t.Elem(), s.AdditionalProperties)
	case t.Kind() != reflect.Struct || s.Properties == nil:
		return nil
	}
	return refineFields(t, s)
}

func refineFields(t reflect.Type, s *jsonschema.Schema) error {
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		name = cmp.Or(name, field.Name)
		property := s.Properties[name]
		if property == nil || field.Anonymous || !field.IsExported() {
			continue
		}
		if err := refine(field.Type, property); err != nil {
			return err
		}
		if field.Type.Kind() == reflect.Pointer {
			s.Required = slices.DeleteFunc(s.Required, func(required string) bool { return required == name })
		}
		err := errors.Join(enumerate(field.Tag.Get("enum"), property), format(field.Tag.Get("format"), property))
		if err != nil {
			return fmt.Errorf("the field %s: %w", field.Name, err)
		}
	}
	return nil
}

// enumerate adds the values that a tag lists for a text.
func enumerate(tag string, s *jsonschema.Schema) error {
	if tag == "" {
		return nil
	}
	s, err := textOf(s, "enum")
	if err != nil {
		return err
	}
	for value := range strings.SplitSeq(tag, ",") {
		s.Enum = append(s.Enum, value)
	}
	return nil
}

// format adds the date format that a tag names for a text.
func format(tag string, s *jsonschema.Schema) error {
	if tag == "" {
		return nil
	}
	s, err := textOf(s, "format")
	if err != nil {
		return err
	}
	if s.Format != "" {
		return errors.New("the tag format is for a text: a time.Time has its own")
	}
	if tag != formatDate && tag != formatTime {
		return fmt.Errorf("the format %q is unknown: it must be %s or %s", tag, formatDate, formatTime)
	}
	s.Format = tag
	return nil
}

// textOf returns the schema of a text, or of each text of a list.
func textOf(s *jsonschema.Schema, tag string) (*jsonschema.Schema, error) {
	if s.Items != nil {
		s = s.Items
	}
	if s.Type != "string" {
		return nil, fmt.Errorf("the tag %s is for a text or a list of texts", tag)
	}
	return s, nil
}
