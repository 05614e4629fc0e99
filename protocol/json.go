package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ParseObject reads the body of a request, strictly.
//
// `json_invalid` is for an empty body and for one that is not exactly one JSON
// text (RFC 8259) in UTF-8, without a byte order mark, duplicate names, lone
// surrogate escapes, numbers that a double cannot hold or nesting beyond MaxDepth,
// even in unknown fields. A JSON text that is not an object is `body_invalid`.
//
// The Object refers to body, which must not be modified afterwards; the Parse
// functions of requests copy values out of it.
func ParseObject(body []byte) (Object, *Error) {
	// Grammar, UTF-8 and names are checked by jsontext (RFC 7493); depth and numbers,
	// which it does not check, are checked while the members are split.
	if !jsontext.Value(body).IsValid() {
		return Object{}, syntaxError(body)
	}
	s := scanner{text: body}
	s.skipSpace()
	if s.text[s.at] != '{' {
		if err := s.checkValue(1); err != nil {
			return Object{}, err
		}
		return Object{}, &Error{Code: CodeBodyInvalid, Message: "the body must be a JSON object"}
	}
	members, err := s.members(1)
	if err != nil {
		return Object{}, err
	}
	return Object{members: members}, nil
}

// syntaxError returns why a body is not valid JSON. It parses the body a second
// time, which only refused bodies need.
func syntaxError(body []byte) *Error {
	if len(bytes.TrimLeft(body, " \t\r\n")) == 0 {
		return Errorf(CodeJSONInvalid, "the body is empty: a JSON object was expected")
	}
	if bytes.HasPrefix(body, []byte("\xEF\xBB\xBF")) {
		return Errorf(CodeJSONInvalid, "the body starts with a byte order mark: send it without")
	}
	d := jsontext.NewDecoder(bytes.NewReader(body))
	err := d.SkipValue()
	at := d.InputOffset()
	if err == nil {
		return Errorf(CodeJSONInvalid, "the body has data after its JSON text, at byte %d or later", at)
	}
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if ok {
		at = syntactic.ByteOffset
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return Errorf(CodeJSONInvalid, "the body has a duplicate name in an object, at byte %d", at)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return Errorf(CodeJSONInvalid, "the body ends inside its JSON text, at byte %d", at)
	case ok && strings.Contains(syntactic.Err.Error(), "UTF-8"):
		return Errorf(CodeJSONInvalid, "the body is not UTF-8 at byte %d", at)
	case ok && strings.Contains(syntactic.Err.Error(), "surrogate"):
		return Errorf(CodeJSONInvalid, "the body has a lone surrogate escape at byte %d", at)
	case ok && strings.Contains(syntactic.Err.Error(), "depth"):
		return depthError(int(at))
	}
	// Nothing of the body is repeated: it may be a broken form of a secret.
	return Errorf(CodeJSONInvalid, "the body is not valid JSON at byte %d", at)
}

func depthError(at int) *Error {
	return Errorf(CodeJSONInvalid, "the body nests deeper than %d levels at byte %d", MaxDepth, at)
}

// Object is a JSON object of a request's body, read strictly. The zero Object
// is {}.
type Object struct {
	path    string
	members []member
}

// Len returns how many members the object has.
func (o Object) Len() int { return len(o.members) }

// Raw returns the text of a member as it was sent, nil if there is none. It
// belongs to the body.
func (o Object) Raw(name string) json.RawMessage {
	for i := range o.members {
		if string(o.members[i].name) == name {
			return o.members[i].value
		}
	}
	return nil
}

// StringOr returns a member that is a string, and other if it is absent or
// anything else. It is for values that are needed before the body as a whole is
// checked, such as an API key.
func (o Object) StringOr(name, other string) string {
	if v := o.Raw(name); kindOf(v) == kindString {
		return stringOf(v)
	}
	return other
}

// BodyAPIKey returns the `apiKey` of a players body, "" if there is none.
func (o Object) BodyAPIKey() Secret { return NewSecret(o.StringOr("apiKey", "")) }

// field returns the path of a member, for errors.
func (o Object) field(name string) string {
	if o.path == "" {
		return name
	}
	return o.path + "." + name
}

// object parses a member that is known to be a valid object.
func (o Object) object(path string, text []byte) Object {
	s := scanner{text: text}
	members, err := s.members(1)
	if err != nil {
		// The whole body passed the same checks at a greater depth.
		panic("protocol: reopen a checked object: " + err.Message)
	}
	return Object{path: path, members: members}
}

// valueKind is the type of a JSON value as error messages name it.
type valueKind string

const (
	kindAbsent valueKind = "absent"
	kindNull   valueKind = "null"
	kindBool   valueKind = "a boolean"
	kindNumber valueKind = "a number"
	kindString valueKind = "a string"
	kindObject valueKind = "an object"
	kindArray  valueKind = "an array"
)

func kindOf(text []byte) valueKind {
	if len(text) == 0 {
		return kindAbsent
	}
	switch text[0] {
	case 'n':
		return kindNull
	case 't', 'f':
		return kindBool
	case '"':
		return kindString
	case '{':
		return kindObject
	case '[':
		return kindArray
	}
	return kindNumber
}

// stringOf reads a text that is known to be a valid string.
func stringOf(text []byte) string {
	inner := text[1 : len(text)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	return string(unquote(text))
}

// elementsOf splits a text that is known to be a valid array.
func elementsOf(text []byte) [][]byte {
	s := scanner{text: text}
	elements, err := s.elements(1)
	if err != nil {
		panic("protocol: reopen a checked array: " + err.Message)
	}
	return elements
}

func elementField(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// Decode reads one JSON text that another side wrote, such as a reply or an
// event's data, into v. Unlike encoding/json it accepts names only in their exact
// case and refuses duplicate names and invalid UTF-8. Unknown fields are ignored.
func Decode(data []byte, v any) error {
	if err := jsonv2.Unmarshal(data, v); err != nil {
		return fmt.Errorf("decode %T: %w", v, err)
	}
	return nil
}

// unmarshalExact accepts the same JSON as encoding/json, but names only in their
// exact case.
func unmarshalExact(data []byte, v any) error {
	return jsonv2.Unmarshal(data, v, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) //nolint:wrapcheck // as that of encoding/json
}

// List is a slice that is never `null` on the wire: nil is written as [].
type List[T any] []T

// MarshalJSON writes the list, [] when it is nil.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]T(l))
}

// appendString appends a JSON string. Invalid UTF-8, which no parsed text has,
// becomes U+FFFD.
func appendString(dst []byte, s string) []byte {
	// The error only reports such a replacement.
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}
