package protocol

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// fields reads the members of an object and keeps the first thing that is wrong
// with them; after that every read gives a zero value. An explicit null counts
// as absent for an optional field and as wrong for a required one.
type fields struct {
	obj   Object
	first **Error
}

func readFields(o Object) fields { return fields{obj: o, first: new(*Error)} }

func (f fields) err() *Error  { return *f.first }
func (f fields) failed() bool { return *f.first != nil }

func (f fields) fail(err *Error) {
	if *f.first == nil {
		*f.first = err
	}
}

func (f fields) wrong(name, format string, args ...any) {
	if *f.first == nil {
		*f.first = FieldError(f.obj.field(name), format, args...)
	}
}

// present gives a member's text when it is there and of the wanted kind.
func (f fields) present(name string, want valueKind, optional bool) ([]byte, bool) {
	if f.failed() {
		return nil, false
	}
	text := f.obj.Raw(name)
	got := kindOf(text)
	switch {
	case got == want:
		return text, true
	case optional && (got == kindAbsent || got == kindNull):
	case got == kindAbsent:
		f.wrong(name, "is missing")
	default:
		f.wrong(name, "must be %s, not %s", want, got)
	}
	return nil, false
}

// textRule says what a string may be.
type textRule struct {
	// chars and bytes are the most that is allowed; 0 for no limit.
	chars, bytes int
	optional     bool
	// blank allows the empty string and one of white space only.
	blank bool
}

func (f fields) text(name string, rule textRule) string {
	text, ok := f.present(name, kindString, rule.optional)
	if !ok {
		return ""
	}
	s := stringOf(text)
	f.checkText(f.obj.field(name), s, rule)
	return s
}

func (f fields) checkText(path, s string, rule textRule) {
	if f.failed() {
		return
	}
	if !rule.blank && TrimSpace(s) == "" {
		f.fail(FieldError(path, "must not be empty"))
		return
	}
	if rule.bytes > 0 && len(s) > rule.bytes {
		f.fail(FieldError(path, "has %d bytes, at most %d are allowed", len(s), rule.bytes))
		return
	}
	// A text of n bytes has at most n characters: count only where it matters.
	if rule.chars > 0 && len(s) > rule.chars {
		if n := utf8.RuneCountInString(s); n > rule.chars {
			f.fail(FieldError(path, "has %d characters, at most %d are allowed", n, rule.chars))
		}
	}
}

// oneOf reads a string that must be one of the given words.
func (f fields) oneOf(name string, optional bool, words ...string) string {
	text, ok := f.present(name, kindString, optional)
	if !ok {
		return ""
	}
	s := stringOf(text)
	for _, w := range words {
		if s == w {
			return w
		}
	}
	f.wrong(name, "must be one of %s", strings.Join(words, ", "))
	return ""
}

// integer reads a whole number from least to most.
func (f fields) integer(name string, optional bool, least, most int64) (int64, bool) {
	n, ok := f.number(name, optional)
	if !ok {
		return 0, false
	}
	if n != math.Trunc(n) {
		f.wrong(name, "must be a whole number")
		return 0, false
	}
	if n < float64(least) || n > float64(most) {
		f.wrong(name, "must be from %s to %s", strconv.FormatInt(least, 10), strconv.FormatInt(most, 10))
		return 0, false
	}
	return int64(n), true
}

// number reads any number that a double holds.
func (f fields) number(name string, optional bool) (float64, bool) {
	text, ok := f.present(name, kindNumber, optional)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		f.wrong(name, "is outside the range of doubles")
		return 0, false
	}
	return n, true
}

// object opens a member that is an object.
func (f fields) object(name string, optional bool) (fields, bool) {
	text, ok := f.present(name, kindObject, optional)
	if !ok {
		return fields{first: f.first}, false
	}
	return fields{obj: f.obj.object(f.obj.field(name), text), first: f.first}, true
}

// array takes a member apart that is an array of at most limit elements.
func (f fields) array(name string, optional bool, limit int) ([][]byte, bool) {
	text, ok := f.present(name, kindArray, optional)
	if !ok {
		return nil, false
	}
	elements := elementsOf(text)
	if len(elements) > limit {
		f.wrong(name, "has %d elements, at most %d are allowed", len(elements), limit)
		return nil, false
	}
	return elements, true
}

// element opens one element of an array that must be an object.
func (f fields) element(path string, text []byte) (fields, bool) {
	if f.failed() {
		return fields{first: f.first}, false
	}
	if got := kindOf(text); got != kindObject {
		f.fail(FieldError(path, "must be an object, not %s", got))
		return fields{first: f.first}, false
	}
	return fields{obj: f.obj.object(path, text), first: f.first}, true
}

// texts reads an array of strings.
func (f fields) texts(name string, optional bool, limit int, rule textRule) []string {
	elements, ok := f.array(name, optional, limit)
	if !ok {
		return nil
	}
	list := make([]string, 0, len(elements))
	for i, e := range elements {
		path := elementField(f.obj.field(name), i)
		if got := kindOf(e); got != kindString {
			f.fail(FieldError(path, "must be a string, not %s", got))
			return nil
		}
		s := stringOf(e)
		if f.checkText(path, s, rule); f.failed() {
			return nil
		}
		list = append(list, s)
	}
	return list
}

// rawObject reads a member that is any object of at most limit bytes, and gives
// a copy of its text.
func (f fields) rawObject(name string, optional bool, limit int) json.RawMessage {
	text, ok := f.present(name, kindObject, optional)
	if !ok {
		return nil
	}
	if !f.checkSize(name, text, limit) {
		return nil
	}
	return bytes.Clone(text)
}

func (f fields) checkSize(name string, text []byte, limit int) bool {
	if len(text) > limit {
		f.wrong(name, "has %d bytes of JSON, at most %d are allowed", len(text), limit)
		return false
	}
	return true
}
