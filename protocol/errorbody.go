package protocol

import (
	"strconv"
	"time"
	"unicode/utf8"
)

// ErrorBody is an error on the wire.
type ErrorBody struct {
	// Error is one sentence for a person.
	Error string `json:"error"`
	// Code is absent on hosts of the older service.
	Code Code `json:"code,omitempty"`
	// RequestID names the request in the host's log.
	RequestID string `json:"requestId,omitempty"`
}

// maxErrorText bounds what a client keeps of a host's sentence, in code points:
// a broken host must not fill a terminal.
const maxErrorText = 1000

// ParseErrorBody reads the body of a reply that is no 2xx. It always gives an
// error: a body without a code, or that is not JSON at all (a proxy's page),
// gives the status's general code, and its own words where it has any.
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

// ParseRetryAfter reads a `Retry-After` header as seconds or as an HTTP date
// (RFC 9110 section 10.2.3), which needs the present time. It gives 0 for what
// it cannot read and for a date that is past.
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
