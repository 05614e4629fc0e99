package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// schema is the JSON Schema of a tool's arguments or result, with only those words that
// every vendor of models accepts: a type, which is one word, and what is in it. Gemini
// refuses all tools of a client if one of them has a list of types, and some refuse
// limits, formats, and objects without properties.
type schema struct {
	Type        string `json:"type"`
	Description string `json:"description,omitempty"`
	// Properties is nil for values that are not objects; it is empty if an object may have
	// any members.
	Properties map[string]*schema `json:"properties,omitzero"`
	Items      *schema            `json:"items,omitempty"`
	Required   []string           `json:"required,omitempty"`
	// anything reports that values of other types are accepted too: vendors require a type.
	anything bool
	// unsigned reports that a number must not be negative.
	unsigned bool
}

// These are the types of a schema.
const (
	typeText    = "string"
	typeNumber  = "number"
	typeInteger = "integer"
	typeBoolean = "boolean"
	typeObject  = "object"
	typeList    = "array"
)

// schemaOf describes a type of Go. It panics if a tool has a type that JSON does not have.
func schemaOf[T any]() *schema {
	inferred, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {Type: typeObject},
	}})
	if err != nil {
		panic(err)
	}
	return plain(inferred)
}

// plain returns an inferred schema without null, which is only absent, and without the
// words that schema lacks.
func plain(inferred *jsonschema.Schema) *schema {
	s := &schema{Type: inferred.Type, Description: inferred.Description, Required: inferred.Required}
	for _, one := range inferred.Types {
		if one != "null" {
			s.Type = one
		}
	}
	switch s.Type {
	case "":
		s.Type, s.anything = typeText, true
	case typeObject:
		s.Properties = map[string]*schema{}
		for name, property := range inferred.Properties {
			s.Properties[name] = plain(property)
		}
	case typeList:
		s.Items = plain(inferred.Items)
	case typeInteger:
		s.unsigned = inferred.Minimum != nil
	}
	return s
}

// read reads the arguments of a call into a value, as models and clients send them:
// unknown arguments are ignored, null counts as absent, and so does an empty text where
// none is expected. Numbers, booleans, objects and lists may be texts.
func (s *schema) read(arguments json.RawMessage, into any) error {
	if len(arguments) == 0 {
		arguments = json.RawMessage("null")
	}
	value, err := decode(arguments)
	if list, ok := value.([]any); ok && len(list) == 0 {
		value = nil // an empty object of PHP
	}
	if err == nil {
		value, err = s.fit(value, "")
	}
	if value == nil && err == nil {
		value, err = s.fit(map[string]any{}, "")
	}
	if err != nil {
		return err
	}
	fitting, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(fitting, into)
	}
	if err != nil {
		return fmt.Errorf("read the arguments: %w", err)
	}
	return nil
}

// decode reads a JSON value and keeps its numbers as they are written.
func decode(text []byte) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, fmt.Errorf("read the arguments: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("read the arguments: there is more than one value")
	}
	return value, nil
}

// fit returns a value as the schema requires it, nil for none. path leads to the value.
func (s *schema) fit(value any, path string) (any, error) {
	text, isText := value.(string)
	switch {
	case value == nil, isText && strings.TrimSpace(text) == "" && s.Type != typeText:
		return nil, nil
	case s.anything:
		return value, nil
	case isText && s.Type != typeText:
		// A text that is not JSON is refused by its type below.
		if inner, err := decode([]byte(text)); err == nil {
			value = inner
		}
		if value == nil {
			return nil, nil
		}
	}
	switch s.Type {
	case typeObject:
		if members, ok := value.(map[string]any); ok {
			return s.fitMembers(members, path)
		}
	case typeList:
		return s.fitList(value, path)
	default:
		if fitting := s.fitScalar(value); fitting != nil {
			return fitting, nil
		}
	}
	return nil, s.wrong(value, path)
}

// fitScalar returns a text, a number or a boolean as the schema requires it, nil if it
// does not fit.
func (s *schema) fitScalar(value any) any {
	number, isNumber := value.(json.Number)
	text, isText := value.(string)
	_, isBoolean := value.(bool)
	switch {
	case s.Type == typeText && (isText || isNumber || isBoolean):
		return fmt.Sprint(value)
	case s.Type == typeInteger && isNumber:
		return s.fitInteger(number)
	case s.Type == typeNumber && isNumber:
		return number
	case s.Type == typeBoolean && isBoolean:
		return value
	case s.Type == typeBoolean && isText:
		// JSON would have been read; True is how Python writes it.
		if given, err := strconv.ParseBool(strings.TrimSpace(text)); err == nil {
			return given
		}
	}
	return nil
}

func (s *schema) fitMembers(members map[string]any, path string) (any, error) {
	if len(s.Properties) == 0 {
		return members, nil
	}
	fitting := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[name]
		at := strings.TrimPrefix(path+"."+name, ".")
		value, err := property.fit(members[name], at)
		switch {
		case err != nil:
			return nil, err
		case value != nil:
			fitting[name] = value
		case slices.Contains(s.Required, name):
			return nil, fmt.Errorf("the argument %s is missing: %s", at, property.Description)
		}
	}
	return fitting, nil
}

// fitList also accepts one value instead of a list with it.
func (s *schema) fitList(value any, path string) (any, error) {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	fitting := []any{}
	for i, item := range list {
		item, err := s.Items.fit(item, fmt.Sprintf("%s[%d]", path, i))
		if err != nil {
			return nil, err
		}
		if item != nil {
			fitting = append(fitting, item)
		}
	}
	return fitting, nil
}

// fitInteger also accepts 5.0 and 5e0.
func (s *schema) fitInteger(number json.Number) any {
	about, err := number.Float64()
	if err != nil || math.Abs(about) > math.MaxUint64 {
		return nil
	}
	value, ok := new(big.Rat).SetString(number.String())
	if !ok || !value.IsInt() || s.unsigned && value.Sign() < 0 {
		return nil
	}
	return json.Number(value.Num().String())
}

// wrong is the error for a value of another type.
func (s *schema) wrong(value any, path string) error {
	wanted := map[string]string{typeText: "a text", typeNumber: "a number", typeInteger: "a whole number", typeBoolean: "true or false", typeObject: "an object", typeList: "a list"}[s.Type]
	if s.unsigned {
		wanted += ", 0 or more"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("the argument %s: %w", path, err)
	}
	const most = 100
	if len(text) > most {
		text = append(text[:most:most], "…"...)
	}
	if path == "" {
		return fmt.Errorf("the arguments are %s: they must be %s", text, wanted)
	}
	return fmt.Errorf("the argument %s is %s: it must be %s", path, text, wanted)
}
