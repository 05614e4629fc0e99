package protocol

import (
	"strings"
	"unicode/utf8"
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
