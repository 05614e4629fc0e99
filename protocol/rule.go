package protocol

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Field describes one field of a struct of the contract, from its tags: the name
// and whether it may be absent come from `json`, the rest from `rule`. The strict
// reader of requests obeys it, and the schemas, the TypeScript types and the
// tables of the documentation are generated from it.
//
// In a rule, options are separated by commas, and a number may be the name of
// one of the Limits.
type Field struct {
	// Name is the field's name on the wire, Go its name in the struct.
	Name, Go string
	// Type is the Go type, Index its place in the struct.
	Type  reflect.Type
	Index []int
	// Optional reports whether the field may be absent. In a request null counts as
	// absence.
	Optional bool
	// Sent reports whether hosts of this version always send the field (`sent`),
	// although readers must not rely on it.
	Sent bool
	// Null reports whether the field is null if it does not apply (`null`).
	Null bool
	// Form is the syntax of a text, or of the texts of a list (`form=`).
	Form string
	// Enum names the enumeration that the text is a word of (`enum=`), Words are
	// its words. Const is the only value (`const=`).
	Enum, Const string
	Words       []string
	// Ref names the Go type whose JSON a raw value holds (`ref=`).
	Ref string
	// Chars and Bytes are the greatest lengths of a text or, for Bytes, of a JSON
	// value; 0 for no limit.
	Chars, Bytes int
	// Prefix is the start of a text (`prefix=`); a separate check with a better
	// message enforces it.
	Prefix string
	// Blank allows a text that is empty or only white space.
	Blank bool
	// Range bounds a number (`range=least..most`). Clamp reports whether a number
	// outside is moved to the nearer end, and fractions are cut (`clamp=`).
	Range Span
	Clamp bool
	// Items bounds the length of a list (`items=`), Unique forbids repetitions,
	// Contains is a word that must be in it.
	Items    Span
	Unique   bool
	Contains string
	// Default is the value of an absent field; several words of a list are separated
	// by '|'.
	Default string
	// When has the values of an earlier field for which this one may be present
	// (`when=kind:a|b`), Required those for which it must be.
	When, Required Condition
	// Last reports whether the field is checked after the others.
	Last bool
	// Must reports whether tolerant readers refuse an object in which the field is missing or
	// of another type (`must`), Filled whether they refuse one in which it is empty as well
	// (`filled`), and Older is the name that the field has on hosts of the agent-play service.
	Must, Filled bool
	Older        string
}

// Span is a range of whole numbers; an end may be open.
type Span struct {
	Least, Most       int64
	HasLeast, HasMost bool
}

// Condition is met if a field has one of its words.
type Condition struct {
	Field string
	Words []string
}

// FieldsOf describes the fields of a struct of the contract, in their order. It
// panics if a tag is wrong, which tests check for every type.
func FieldsOf(t reflect.Type) []Field {
	var list []Field
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			for _, inner := range FieldsOf(f.Type) {
				inner.Index = append([]int{i}, inner.Index...)
				list = append(list, inner)
			}
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" || !f.IsExported() {
			continue
		}
		field := Field{Name: name, Go: f.Name, Type: f.Type, Index: []int{i}, Optional: options != ""}
		if err := field.apply(f.Tag.Get("rule")); err != nil {
			panic(fmt.Sprintf("protocol: the rule of %s.%s: %v", t, f.Name, err))
		}
		list = append(list, field)
	}
	return list
}

func (f *Field) apply(rule string) error {
	if rule == "" {
		return nil
	}
	for option := range strings.SplitSeq(rule, ",") {
		name, value, _ := strings.Cut(option, "=")
		if err := f.set(name, value); err != nil {
			return fmt.Errorf("%s: %w", option, err)
		}
	}
	return nil
}

func (f *Field) set(name, value string) (err error) {
	flags := map[string]*bool{
		"blank": &f.Blank, "unique": &f.Unique, "last": &f.Last, "sent": &f.Sent, "null": &f.Null, "must": &f.Must, "filled": &f.Filled,
	}
	texts := map[string]*string{
		"form": &f.Form, "const": &f.Const, "ref": &f.Ref, "default": &f.Default, "contains": &f.Contains, "older": &f.Older,
		"prefix": &f.Prefix,
	}
	if flag := flags[name]; flag != nil {
		*flag = true
		return nil
	}
	if text := texts[name]; text != nil {
		*text = value
		return nil
	}
	switch name {
	case "enum":
		f.Enum = value
		f.Words, err = wordsOf(value)
	case "chars":
		f.Chars, err = limit(value)
	case "bytes":
		f.Bytes, err = limit(value)
	case "items":
		f.Items, err = span(value)
	case "range", "clamp":
		f.Clamp = name == "clamp"
		f.Range, err = span(value)
	case "when":
		f.When = condition(value)
	case "required":
		f.Required = condition(value)
		f.Optional = f.Optional && value != ""
	default:
		return fmt.Errorf("there is no option of this name")
	}
	return err
}

func wordsOf(enum string) ([]string, error) {
	for _, e := range enums {
		if e.Name == enum {
			return e.Words, nil
		}
	}
	return nil, fmt.Errorf("there is no such enumeration")
}

func condition(text string) Condition {
	field, words, _ := strings.Cut(text, ":")
	if field == "" {
		return Condition{}
	}
	return Condition{Field: field, Words: strings.Split(words, "|")}
}

func (c Condition) met(word string) bool { return slices.Contains(c.Words, word) }

func span(text string) (s Span, err error) {
	least, most, _ := strings.Cut(text, "..")
	if s.HasLeast = least != ""; s.HasLeast {
		n, err := limit(least)
		if err != nil {
			return s, err
		}
		s.Least = int64(n)
	}
	if s.HasMost = most != ""; s.HasMost {
		n, err := limit(most)
		if err != nil {
			return s, err
		}
		s.Most = int64(n)
	}
	return s, nil
}

// limit reads a number or the name of one of the Limits.
func limit(text string) (int, error) {
	for _, l := range limits {
		if l.Name == text {
			return l.Value, nil
		}
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("%s is neither a number nor the name of a limit", text)
	}
	return n, nil
}
