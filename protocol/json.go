package protocol

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// ParseObject reads the body of a request, strictly.
//
// `json_invalid` is for an empty body and for one that is not exactly one JSON
// text (RFC 8259) in UTF-8, without a byte order mark, duplicate names, lone
// surrogate escapes, numbers that a double cannot hold or nesting beyond
// MaxDepth, in fields that nobody asks for as well. A JSON text that is not an
// object is `body_invalid`.
//
// The Object refers to body, which must not be changed afterwards; what the
// Parse functions of requests take out of it are copies.
func ParseObject(body []byte) (Object, *Error) {
	// Grammar, UTF-8 and names are jsontext's (RFC 7493); depth and numbers, of
	// which it knows nothing, are checked while the members are taken apart.
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

// syntaxError says why a body is no valid JSON. It reads it a second time, as
// only refused bodies come here.
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
