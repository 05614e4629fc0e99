package creds

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// FileError says what is wrong with a file, where in it, and what to do. It
// never quotes the file's values: they may be secrets.
type FileError struct {
	// Path is the file.
	Path string
	// Line and Column are the place of the problem, from 1, in characters; 0 if it has
	// none.
	Line, Column int
	// Problem is a clause about the file's content or state.
	Problem string
	// Err is the cause, if there is one.
	Err error
}

// Error returns "path:line:column: problem", without unknown parts.
func (e *FileError) Error() string {
	var b strings.Builder
	b.WriteString(e.Path)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
		if e.Column > 0 {
			fmt.Fprintf(&b, ":%d", e.Column)
		}
	}
	b.WriteString(": ")
	b.WriteString(e.Problem)
	return b.String()
}

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// decodeJSON reads data strictly into target: no duplicate names, no invalid
// UTF-8, nothing after the value, names in their exact case. The error is a
// *FileError with the place of the problem.
func decodeJSON(path string, data []byte, target any) error {
	err := json.Unmarshal(data, target)
	if err == nil {
		return nil
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return &FileError{Path: path, Problem: "it is empty", Err: err}
	}
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return jsonError(path, data, syntactic.ByteOffset, "the JSON is broken: "+reason(syntactic.Err), err)
	}
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		return jsonError(path, data, semantic.ByteOffset, semanticProblem(semantic), err)
	}
	return &FileError{Path: path, Problem: "it cannot be read as JSON", Err: err}
}

// semanticProblem describes a value of the wrong kind or content. The library's own
// error may quote the value, so it is not used.
func semanticProblem(err *json.SemanticError) string {
	field := strings.TrimPrefix(strings.ReplaceAll(string(err.JSONPointer), "/", "."), ".")
	field = cmp.Or(field, "the document")
	var wanted fieldError
	switch {
	case errors.As(err.Err, &wanted):
		return fmt.Sprintf("%s %s", field, wanted)
	case err.JSONKind != 0:
		return fmt.Sprintf("%s has an invalid value (%s)", field, kindName(err.JSONKind))
	default:
		return field + " has an invalid value"
	}
}

// fieldError states what a field must be. This package writes it; it contains no
// input.
type fieldError string

func (e fieldError) Error() string { return string(e) }

func jsonError(path string, data []byte, offset int64, problem string, err error) *FileError {
	line, column := position(data, offset)
	return &FileError{Path: path, Line: line, Column: column, Problem: problem, Err: err}
}

// position returns the line and the column, both from 1, of the character at
// offset. An offset past the end is the end.
func position(data []byte, offset int64) (line, column int) {
	before := data[:min(max(offset, 0), int64(len(data)))]
	line = 1 + bytes.Count(before, []byte{'\n'})
	column = 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return line, column
}

func reason(err error) string {
	if err == nil {
		return "it is not valid JSON"
	}
	return err.Error()
}

func kindName(kind jsontext.Kind) string {
	switch kind {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	case '[':
		return "an array"
	}
	return kind.String()
}
