package protocol

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// Error is a refusal in the form of the contract, on the host and on the client.
// The wire carries Code, Message and RequestID; the rest is for the code that
// handles it.
//
// Functions of this package that return *Error return a nil pointer for
// success. Compare that pointer before you store it in an error variable.
type Error struct {
	// Code is the value that a program decides on.
	Code Code
	// Message is one sentence for a person. It never holds a secret and never
	// repeats a value of the request.
	Message string
	// Field is the path of the offending field of the body, such as
	// `agent.toolNames[3]`; empty if the body is not the reason.
	Field string
	// RetryAfter is how long to wait before a retry; 0 if not stated.
	RetryAfter time.Duration
	// RequestID names the request in the host's log.
	RequestID string
	// HTTPStatus is the status of the reply; 0 on errors that did not come from a
	// reply, whose status is Status(Code).
	HTTPStatus int
	// Cause is the underlying error, for logs only.
	Cause error
}

// Error returns the sentence and the code. The cause is omitted: it may contain
// details that belong only in the host's log.
func (e *Error) Error() string {
	if e.Message == "" {
		return string(e.Code)
	}
	return e.Message + " (" + string(e.Code) + ")"
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Is reports whether target is an *Error with the same code; a message or a field
// in the target must match as well.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	if !ok {
		return false
	}
	return t.Code == e.Code &&
		(t.Message == "" || t.Message == e.Message) &&
		(t.Field == "" || t.Field == e.Field)
}

// Status returns the HTTP status of the error: the one it came with, else its
// code's.
func (e *Error) Status() int {
	if e.HTTPStatus != 0 {
		return e.HTTPStatus
	}
	return Status(e.Code)
}

// Body returns the error's wire form under a request id.
func (e *Error) Body(requestID string) ErrorBody {
	return ErrorBody{Error: e.Message, Code: e.Code, RequestID: requestID}
}

// Errorf returns an error of a code with a formatted sentence.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// WrapError returns an error of a code that keeps its cause for the log. The cause
// is not part of the sentence.
func WrapError(code Code, cause error, format string, args ...any) *Error {
	e := Errorf(code, format, args...)
	e.Cause = cause
	return e
}

// FieldError returns a `body_invalid` that names a field; the formatted text
// follows the field's name, such as "is missing".
func FieldError(field, format string, args ...any) *Error {
	return &Error{
		Code:    CodeBodyInvalid,
		Message: "the field " + field + " " + fmt.Sprintf(format, args...),
		Field:   field,
	}
}

// CodeOf returns the code of the first *Error in err's chain, `internal` for another
// error and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok && e != nil {
		return e.Code
	}
	return CodeInternal
}

// HasCode reports whether err's chain has an *Error with one of the codes.
func HasCode(err error, codes ...Code) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e != nil && slices.Contains(codes, e.Code)
}

// ErrorBody is an error on the wire.
type ErrorBody struct {
	// Error is one sentence for a person.
	Error string `json:"error"`
	// Code is absent on hosts of the agent-play service.
	Code Code `json:"code,omitempty"`
	// RequestID names the request in the host's log.
	RequestID string `json:"requestId,omitempty"`
}

// maxErrorText bounds a host's sentence at a client, in code points: a broken host
// must not fill a terminal.
const maxErrorText = 1000

// ParseErrorBody reads the body of a reply that is not a 2xx. It always returns an
// error: a body without a code, or that is not JSON at all (a proxy's page),
// results in the general code of the status, with the body's own sentence if it
// has one.
func ParseErrorBody(status int, body []byte) *Error {
	e := &Error{HTTPStatus: status, Code: CodeForStatus(status)}
	var b struct {
		Error     any    `json:"error"`
		Code      string `json:"code"`
		RequestID string `json:"requestId"`
	}
	if err := Decode(body, &b); err == nil {
		if b.Code != "" {
			e.Code = Code(truncate(b.Code, maxErrorText))
		}
		e.Message, _ = b.Error.(string)
		e.Message = truncate(e.Message, maxErrorText)
		e.RequestID = truncate(b.RequestID, maxErrorText)
	}
	if e.Message == "" {
		e.Message = "the host answered with status " + strconv.Itoa(status)
	}
	return e
}

// httpDate is the layout of an IMF-fixdate (RFC 9110 section 5.6.7).
const httpDate = "Mon, 02 Jan 2006 15:04:05 GMT"

// ParseRetryAfter reads a `Retry-After` header as seconds or as an HTTP date (RFC
// 9110 section 10.2.3), which needs the present time. It returns 0 for a value
// that it cannot read and for a past date.
func ParseRetryAfter(header string, now time.Time) time.Duration {
	if n, err := strconv.Atoi(TrimSpace(header)); err == nil {
		const maxSeconds = 24 * 60 * 60
		return time.Duration(min(max(n, 0), maxSeconds)) * time.Second
	}
	at, err := time.Parse(httpDate, TrimSpace(header))
	if err != nil {
		return 0
	}
	return max(at.Sub(now), 0)
}

// truncate cuts text after limit code points.
func truncate(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := 0
	for range limit {
		if end >= len(text) {
			return text
		}
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	return text[:end]
}
