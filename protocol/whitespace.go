package protocol

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// IsWhiteSpace reports whether r is white space for phrases and interaction
// texts: exactly the set that ECMAScript's trim removes (WhiteSpace and
// LineTerminator of ECMA-262), so that clients in any language agree. It is not
// unicode.IsSpace, which has U+0085 and lacks U+FEFF.
func IsWhiteSpace(r rune) bool {
	switch {
	case r >= 0x09 && r <= 0x0D, r >= 0x2000 && r <= 0x200A:
		return true
	}
	switch r {
	case 0x20, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
		return true
	}
	return false
}

// TrimSpace cuts white space, as IsWhiteSpace has it, from both ends.
func TrimSpace(s string) string {
	if s == "" {
		return s
	}
	// Most texts need no trimming and start and end in ASCII: look before
	// decoding.
	first, last := s[0], s[len(s)-1]
	if first > ' ' && first < utf8.RuneSelf && last > ' ' && last < utf8.RuneSelf {
		return s
	}
	return strings.TrimFunc(s, IsWhiteSpace)
}

// NormalizeText is what a host records of an interaction's text: trimmed with
// TrimSpace, then cut at MaxInteractionChars code points. "" means that there is
// nothing to record.
func NormalizeText(text string) string {
	return truncate(TrimSpace(text), MaxInteractionChars)
}

// LowerCase maps a text to lower case as ECMAScript's toLowerCase does, so that
// clients in any language agree: by Unicode's full mapping, where one letter may
// become two and a sigma at the end of a word has a form of its own, and not by
// the rules of any one language.
func LowerCase(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return cases.Lower(language.Und).String(s)
		}
	}
	return strings.ToLower(s)
}

// NormalizePhrase turns every run of white space, as IsWhiteSpace has it, into
// one space and trims both ends. Letters keep their case and their Unicode form;
// bytes that are not UTF-8 stay as they are.
func NormalizePhrase(phrase string) string {
	return strings.Join(strings.FieldsFunc(phrase, IsWhiteSpace), " ")
}
