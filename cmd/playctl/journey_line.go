package main

import (
	"bytes"
	"encoding/json"
	"errors"
)

// brokenLine is the line, from 1, in which a text stops being JSON, 0 if it is
// JSON.
func brokenLine(text []byte) int {
	var value any
	err := json.Unmarshal(text, &value)
	var broken *json.SyntaxError
	if !errors.As(err, &broken) {
		return 0
	}
	// The offset is behind the byte that is wrong.
	before := text[:min(max(broken.Offset-1, 0), int64(len(text)))]
	return 1 + bytes.Count(before, []byte("\n"))
}
