package protocol

import (
	"github.com/go-json-experiment/json/jsontext"
)

// appendString appends a JSON string. Invalid UTF-8, which no parsed text has,
// becomes U+FFFD.
func appendString(dst []byte, s string) []byte {
	// The error only reports such a replacement.
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}
