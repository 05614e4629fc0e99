package render

import (
	"path"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

// failures are errors and warnings with their hints.
var failures = map[string][2]string{
	"hint": {
		"there are no credentials for http://127.0.0.1:7420",
		`make an account with "playctl create-main-node", sign in to one that you have with "playctl login --phrase http://127.0.0.1:7420", or set PLAYCTL_NODE_ID and PLAYCTL_PHRASE`,
	},
	"long-command": {
		"cannot reach the host",
		`the credentials at hand are for another host: get some with "playctl create-main-node --context a-long-name --server https://play-with-a-long-name.example.com:7420", and try again`,
	},
	"lines": {
		"program.aql:1:6: expected the name of a space, the one that a statement before it made, or an id\n  SHOW FOO WITH EVERYTHING THAT A PERSON MIGHT HAVE TYPED INTO ONE LINE OF A PROGRAM\n       ^\nusage: playctl aql [file] [flags]",
		"",
	},
}

func TestFailuresGolden(t *testing.T) {
	t.Parallel()
	for look, how := range looks() {
		for name, failure := range failures {
			var out strings.Builder
			Failure(&out, how, failure[0], failure[1])
			golden(t, path.Join("failures", name+"-"+look+".txt"), out.String())
		}
	}
}

// Wrapping replaces spaces with line breaks, and adds nothing but indentation.
// Words and commands stay whole, and only a line with a single one of them can be
// wider than the window.
func TestWrapKeepsWords(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z日-]{1,30}|"playctl [a-z ]{0,60}",?`)
		words := rapid.SliceOfN(word, 1, 30).Draw(t, "words")
		indent, width := rapid.IntRange(0, 9).Draw(t, "indent"), rapid.IntRange(1, 100).Draw(t, "width")
		text := strings.Join(words, " ")
		wrapped := Wrap(text, indent, width)
		if got := strings.Fields(wrapped); strings.Join(got, " ") != strings.Join(strings.Fields(text), " ") {
			t.Fatalf("%q became %q", text, wrapped)
		}
		for i, line := range strings.Split(wrapped, "\n") {
			wide := ansi.StringWidth(line)
			if i == 0 {
				wide += indent
			}
			if one := unbroken().FindAllString(line, -1); wide > width && len(one) != 1 {
				t.Fatalf("a line has %d columns of %d: %q", wide, width, line)
			}
		}
		for _, one := range words {
			if strings.Contains(one, `"`) && !strings.Contains(wrapped, one) {
				t.Fatalf("the command %q was wrapped: %q", one, wrapped)
			}
		}
	})
}

// Without a window, or if all lines are narrow enough, a message is unchanged.
func TestWrapKeepsNarrowMessages(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "two  spaces", "  a line with a form  of its own that is wider than the window", "one\n\ntwo\n"} {
		if got := Wrap(text, 0, 20); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	long := strings.Repeat("word ", 100)
	if got := Wrap(long, 0, 0); got != long {
		t.Errorf("without a window: %q", got)
	}
}
