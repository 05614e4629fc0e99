package aql

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// FuzzParse parses any text: nothing panics, a problem points into the text, and
// the printed form of a program parses as the same program.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"CONNECT\nLET a = \"x\" $b.c.0\nSHOW VARIABLES # all\n",
		"create space \"a\" design \"b\" owner \"c\" amenities shop,car_wash keyfile \"f\" into s\r\n",
		"USE SPACE NODE $s.nodeId PASSPHRASE $s.phrase\nADD SPACE AMENITY shop\nREMOVE SPACE\n",
		"USE AGENT NODE Ada\nSEND \"\\u{1F33B}\\n\"\nINSPECT AGENT INTO x\nFETCH SNAPSHOT INTO y",
		"LET p FROM ENV P\nLET q FROM FILE ./f\nLET r FROM PROMPT \"?\"\n\x00\xff\"\\", "\uFEFF#\u202e",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		program, err := Parse("t", text)
		checkPlaces(t, text, err)
		warnings, mistakes := program.Check(Scope{})
		checkPlaces(t, text, mistakes)
		if warnings != nil {
			checkPlaces(t, text, warnings)
		}
		// A completion tries every keyword, so only some places are tried.
		for i := 0; i < len(text); i += 1 + len(text)/8 {
			start, _ := Complete(text[:i], Known{Variables: []string{"a"}, Agents: names(`A "b"`)})
			if start < 0 || start > i {
				t.Fatalf("completion of %q starts at %d", text[:i], start)
			}
		}
		if err != nil {
			return
		}
		printed := program.Format()
		again, err := Parse("t", printed)
		if err != nil {
			t.Fatalf("%q is printed as\n%s\nwhich does not parse: %v", text, printed, err)
		}
		if diff := cmp.Diff(program, again, withoutPlaces); diff != "" {
			t.Fatalf("%q is printed as another program:\n%s", text, diff)
		}
		if twice := again.Format(); twice != printed {
			t.Fatalf("%q is printed as\n%s\nand then as\n%s", text, printed, twice)
		}
	})
}

// checkPlaces checks that problems point into the text.
func checkPlaces(t *testing.T, text string, err error) {
	t.Helper()
	problems, _ := err.(LineErrors) //nolint:errorlint // Parse and Check return it unwrapped
	if err != nil && len(problems) == 0 {
		t.Fatalf("the error is %T", err)
	}
	lines := strings.Split(strings.TrimPrefix(text, "\uFEFF"), "\n")
	for _, problem := range problems {
		line, column := problem.Line, problem.Column
		if line < 1 || line > len(lines) || column < 1 || column > utf8.RuneCountInString(lines[line-1])+1 {
			t.Fatalf("a problem of %q is at %d:%d", text, line, column)
		}
		if shown := problem.Error(); !utf8.ValidString(shown) || strings.ContainsAny(shown, "\x1b\x00\r\u202e") {
			t.Fatalf("a problem of %q is reported as %q", text, shown)
		}
	}
}
