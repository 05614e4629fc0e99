package world

import (
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/render"
)

// Control characters in an address from a host do not reach the clipboard, the screen or
// the title of the terminal.
func TestAddressContainsNoControlCharacters(t *testing.T) {
	t.Parallel()
	const address = "http://127.0.0.1/\x1b]52;c;eA==\a\u009b2J\u202e"
	for _, format := range []render.Format{render.FormatTable, render.FormatJSON, render.FormatNDJSON, render.FormatYAML} {
		r := watchResult{URL: address}
		var out strings.Builder
		printer := render.Printer{Out: &out, Format: format}
		if err := printer.Print(*r.document()); err != nil {
			t.Fatal(err)
		}
		if shown := out.String(); !strings.Contains(shown, "http://127.0.0.1/") || strings.ContainsAny(shown, "\x1b\a\u009b\u202e") {
			t.Errorf("%s: %q", format, shown)
		}
	}
}
