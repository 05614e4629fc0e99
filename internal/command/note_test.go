package command

import (
	"os"
	"strings"
	"testing"
	"time"
)

// A note keeps its own colors and line breaks; other control characters are replaced.
func TestNoteContainsNoControlCharacters(t *testing.T) {
	var out strings.Builder
	a := &App{Program: &Program{Stderr: &out, LookupEnv: os.LookupEnv, Now: time.Now}}
	a.Note("\x1b[2mfaint\x1b[0m\n%s", "a\x1b]52;c;eA==\a\u009b2J\u202eb\x7f")
	const want = "\x1b[2mfaint\x1b[0m\na\uFFFD]52;c;eA==\uFFFD\uFFFD2J\uFFFDb\uFFFD\n"
	if out.String() != want {
		t.Errorf("the note is %q, want %q", out.String(), want)
	}
}
