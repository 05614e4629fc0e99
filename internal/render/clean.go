package render

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/playctl/playctl/protocol"
)

// Clean makes untrusted text safe for a terminal and keeps it on one line. A line
// break or a tab becomes a space; every other control character, including those
// that begin an escape sequence, and every character that reorders text (Unicode's
// bidirectional controls) or that is not UTF-8 becomes U+FFFD, so that a name
// cannot move the cursor, overwrite the screen or reverse the text.
func Clean(text string) string {
	return strings.Map(cleaned, text)
}

// cleaned returns the replacement of a character in Clean, -1 for none.
func cleaned(r rune) rune {
	switch {
	case r == '\n' || r == '\t' || r == '\u2028' || r == '\u2029':
		return ' '
	case r == '\r':
		return -1 // half of a line break
	case hostile(r):
		return utf8.RuneError
	}
	return r
}

// cleanLayout is Clean for text whose line breaks and tabs are its layout.
func cleanLayout(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		return cleaned(r)
	}, text)
}

func needsCleaning(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r == '\u2028' || r == '\u2029' || hostile(r) })
}

// hostile reports whether r may have an effect on a terminal besides being shown.
func hostile(r rune) bool {
	return r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}

// colors are the escape sequences that views write themselves.
var colors = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\x1b\\[[0-9;:]*m")
})

// Shielded returns the output of a view, or a message, without control sequences
// except for colors. The author of the output has to clean untrusted text; this is
// a safeguard.
func Shielded(text string) string {
	if !needsCleaning(strings.ReplaceAll(text, "\n", "")) {
		return text
	}
	clean := func(part string) string {
		return strings.Map(func(r rune) rune {
			if r != '\n' && hostile(r) {
				return utf8.RuneError
			}
			return r
		}, part)
	}
	var out strings.Builder
	end := 0
	for _, at := range colors().FindAllStringIndex(text, -1) {
		out.WriteString(clean(text[end:at[0]]) + text[at[0]:at[1]])
		end = at[1]
	}
	out.WriteString(clean(text[end:]))
	return out.String()
}

// Escaped returns JSON, or YAML whose texts with such characters are in double
// quotes, with escapes in place of characters that may have an effect on a
// terminal. Outside of texts there are only line breaks.
func Escaped(text []byte) []byte {
	if !needsCleaning(strings.ReplaceAll(string(text), "\n", "")) {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for _, r := range string(text) {
		if r != '\n' && hostile(r) {
			out = fmt.Appendf(out, "\\u%04x", r)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return out
}

// ShortID returns an id for people: the first 12 characters of an id of 64 hex
// digits, the first 8 of a UUID, any other id unchanged. Commands accept such a
// prefix if it is unambiguous.
func ShortID(id string) string {
	const full, shortUUID = 64, 8
	switch {
	case len(id) == full:
		return Clean(id[:protocol.ShortIDDigits])
	case uuid().MatchString(id):
		return Clean(id[:shortUUID])
	}
	return Clean(id)
}

// uuid matches the form of a UUID (RFC 9562, section 4).
var uuid = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
})
