package protocol

import (
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

func (p *planned) text(f *fields, into reflect.Value) {
	text, ok := f.present(p.Name, kindString, f.optional)
	if !ok {
		into.SetString(p.Default)
		return
	}
	s := stringOf(text)
	switch {
	case p.Words != nil:
		if !slices.Contains(p.Words, s) {
			f.wrong(p.Name, "must be one of %s", strings.Join(p.Words, ", "))
			return
		}
	case p.Form == "oneLine":
		s = OneLine(s, p.Chars)
	default:
		if s = p.form(f, s); f.err != nil {
			return
		}
	}
	into.SetString(s)
}

// form checks a text against the field's form and lengths, and returns it in the
// form in which it is kept.
func (p *planned) form(f *fields, s string) string {
	path := f.obj.field(p.Name)
	if id, fault, ok := p.identifier(path, s); ok {
		f.err = fault
		return id
	}
	if f.err = p.lengthFault(path, s, f.blank || p.Form == "stableKey" || p.Form == "occupantKey"); f.err != nil {
		return ""
	}
	switch p.Form {
	case "":
	case "line":
		return NormalizeText(s)
	case "name", "ownName":
		f.err = p.visibleFault(path, s)
	case "rootKey":
		return NormalizeRootKey(s)
	case "stableKey":
		f.err = stableKeyFault(path, s)
	case "occupantKey":
		f.err = occupantKeyFault(path, s)
	case "time":
		if _, err := ParseTime(s); err != nil {
			f.err = FieldError(path, "must be an RFC 3339 time such as 2026-01-02T03:04:05.678Z")
		}
	case "url":
		f.err = urlFault(path, s)
	default:
		panic("protocol: no request has texts of the form " + p.Form)
	}
	return s
}

// visibleFault refuses a name without a visible character. Names of the form "ownName",
// which only this project's clients send, must also be valid.
func (p *planned) visibleFault(path, s string) *Error {
	clean, visible := cleanName(s)
	switch {
	case !visible:
		return FieldError(path, "must have a visible character")
	case clean != s && p.Form == "ownName":
		return nameFault(path)
	}
	return nil
}

func nameFault(path string) *Error {
	return FieldError(path, "must not have control characters, direction marks or characters that cannot be seen")
}

func occupantKeyFault(path, s string) *Error {
	if fault := stableKeyFault(path, s); fault != nil || NodeKindOf(s) == NodeOccupant {
		return fault
	}
	return FieldError(path, "must be the key of an occupant")
}

// identifier checks a text whose form is that of an id; ok reports whether it is.
func (p *planned) identifier(path, s string) (id string, fault *Error, ok bool) {
	switch p.Form {
	case "id":
	case "keyName":
		if fault = idFault(path, s); fault == nil && !ValidName(s) {
			fault = nameFault(path)
		}
		return s, fault, true
	case "agent":
		s = NormalizeAgentID(s)
	case "account":
		s = NormalizeNodeID(s)
	case "node":
		if s = NormalizeNodeID(s); !ValidHex64(s) {
			fault = FieldError(path, "must be a node id: 64 hex digits")
		}
		return s, fault, true
	default:
		return s, nil, false
	}
	return s, idFault(path, s), true
}

func (p *planned) lengthFault(path, s string, blank bool) *Error {
	if !blank && TrimSpace(s) == "" {
		return FieldError(path, "must not be empty")
	}
	if p.Bytes > 0 && len(s) > p.Bytes {
		return FieldError(path, "has %d bytes, at most %d are allowed", len(s), p.Bytes)
	}
	// A text of n bytes has at most n characters: count only where it matters.
	if p.Chars > 0 && len(s) > p.Chars {
		if n := utf8.RuneCountInString(s); n > p.Chars {
			return FieldError(path, "has %d characters, at most %d are allowed", n, p.Chars)
		}
	}
	return nil
}

func idFault(path, s string) *Error {
	switch {
	case ValidID(s):
		return nil
	case s == "":
		return FieldError(path, "must not be empty")
	}
	return FieldError(path, "must be an id: 1 to %d characters without white space, control characters and ':'", MaxIDChars)
}

func stableKeyFault(path, s string) *Error {
	if NodeKindOf(s) != "" {
		return nil
	}
	return &Error{
		Code:    CodeStableKeyUnknown,
		Message: "the field " + path + " is no stable key: it must be __genesis__, __header__ or start with agent:, mcp:, human:, structure: or space:",
		Field:   path,
	}
}

// secret reads a passwHash, whose case is fixed because it is compared as text,
// or any other text that is compared and never kept.
func (p *planned) secret(f *fields, into reflect.Value) {
	text, ok := f.present(p.Name, kindString, f.optional)
	if !ok {
		return
	}
	s := stringOf(text)
	if p.Form == "hash" && !ValidHex64(s) {
		f.wrong(p.Name, "must be 64 lower-case hex digits")
		return
	}
	*into.Addr().Interface().(*WireSecret) = NewSecret(s).Wire() //nolint:forcetypeassert // the reader of this type
}

// texts reads a list of texts. An empty one is not nil.
func (p *planned) texts(f *fields, into reflect.Value) {
	elements, ok := p.elements(f)
	if !ok {
		if p.Default != "" && f.err == nil {
			into.Set(reflect.ValueOf(strings.Split(p.Default, "|")).Convert(into.Type()))
		}
		return
	}
	list := make([]string, 0, len(elements))
	for i, e := range elements {
		path := elementField(f.obj.field(p.Name), i)
		if got := kindOf(e); got != kindString {
			f.err = FieldError(path, "must be a string, not %s", got)
			return
		}
		s := stringOf(e)
		if f.err = p.lengthFault(path, s, f.blank); f.err != nil {
			return
		}
		list = append(list, s)
	}
	for i, s := range list {
		switch path := elementField(f.obj.field(p.Name), i); {
		case p.Words != nil && !slices.Contains(p.Words, s):
			f.err = FieldError(path, "must be one of %s", strings.Join(p.Words, ", "))
			return
		case p.Unique && slices.Contains(list[:i], s):
			f.err = FieldError(path, "repeats an element")
			return
		}
	}
	into.Set(reflect.ValueOf(list).Convert(into.Type()))
}
