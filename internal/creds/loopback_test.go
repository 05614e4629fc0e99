package creds_test

import (
	"testing"

	"github.com/playctl/playctl/internal/creds"
)

func TestIsLoopbackName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"localhost":         true,
		"127.0.0.1":         true,
		"127.8.9.1":         true,
		"::1":               true,
		"::ffff:127.0.0.1":  true,
		"0:0:0:0:0:0:0:1":   true,
		"":                  false,
		"LOCALHOST":         true,
		"localho\u017ft":    false, // strings.EqualFold would take it for localhost.
		"localhost.":        false,
		"localhost:7420":    false,
		"localhost.example": false,
		"box.localhost":     false,
		"0.0.0.0":           false,
		"::":                false,
		"::ffff:0.0.0.0":    false,
		"::ffff:192.0.2.1":  false,
		"128.0.0.1":         false,
		"192.0.2.1":         false,
		"127.0.0.1.nip.io":  false,
		"127.1":             false,
		"2130706433":        false,
		"[::1]":             false,
		"127.0.0.1:7420":    false,
		"2001:db8::7f00:1":  false,
		"::127.0.0.1":       false,
		"fe80::1%lo":        false,
	} {
		if got := creds.IsLoopbackName(name); got != want {
			t.Errorf("IsLoopbackName(%q) = %v, want %v", name, got, want)
		}
	}
}
