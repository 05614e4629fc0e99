package protocol

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// Object is a JSON object of a request's body, read strictly. The zero Object
// is {}.
type Object struct {
	path    string
	members []member
}

// Len is how many members the object has.
func (o Object) Len() int { return len(o.members) }

// Raw gives the text of a member as it was sent, nil if there is none. It
// belongs to the body.
func (o Object) Raw(name string) json.RawMessage {
	for i := range o.members {
		if string(o.members[i].name) == name {
			return o.members[i].value
		}
	}
	return nil
}

// StringOr gives a member that is a string, and other where it is absent or
// anything else. It is for values that are looked at before the body as a whole
// is judged, such as an API key.
func (o Object) StringOr(name, other string) string {
	if v := o.Raw(name); kindOf(v) == kindString {
		return stringOf(v)
	}
	return other
}

// BodyAPIKey gives the `apiKey` of a players body, "" if there is none.
func (o Object) BodyAPIKey() Secret { return NewSecret(o.StringOr("apiKey", "")) }

// field is the path of a member, for errors.
func (o Object) field(name string) string {
	if o.path == "" {
		return name
	}
	return o.path + "." + name
}

// object opens a member that is known to be a valid object.
func (o Object) object(path string, text []byte) Object {
	s := scanner{text: text}
	members, err := s.members(1)
	if err != nil {
		// The whole body passed the same checks at a greater depth.
		panic("protocol: reopen a checked object: " + err.Message)
	}
	return Object{path: path, members: members}
}

// valueKind is the type of a JSON value as errors call it.
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

// elementsOf takes a text apart that is known to be a valid array.
func elementsOf(text []byte) [][]byte {
	s := scanner{text: text}
	elements, err := s.elements(1)
	if err != nil {
		panic("protocol: reopen a checked array: " + err.Message)
	}
	return elements
}

func elementField(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
