package protocol

import (
	"errors"
	"fmt"
	"strings"
	"time"
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

// TrimSpace cuts white space, as IsWhiteSpace defines it, from both ends.
func TrimSpace(s string) string {
	if s == "" {
		return s
	}
	// Most texts need no trimming and start and end in ASCII: check before decoding.
	first, last := s[0], s[len(s)-1]
	if first > ' ' && first < utf8.RuneSelf && last > ' ' && last < utf8.RuneSelf {
		return s
	}
	return strings.TrimFunc(s, IsWhiteSpace)
}

// NormalizeText returns what a host records of an interaction's text: trimmed with
// TrimSpace, then cut at MaxInteractionChars code points. "" means that there is
// nothing to record.
func NormalizeText(text string) string {
	return truncate(TrimSpace(text), MaxInteractionChars)
}

// OneLine returns a text for people in the form in which a row or a journey has it: every
// run of white space, as IsWhiteSpace defines it, is one space, both ends are trimmed, and
// the text is cut at most characters.
func OneLine(text string, most int) string {
	return TrimSpace(truncate(NormalizePhrase(text), most))
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

// NormalizePhrase turns every run of white space, as IsWhiteSpace defines it, into
// one space and trims both ends. Letters keep their case and their Unicode form;
// bytes that are not UTF-8 stay unchanged.
func NormalizePhrase(phrase string) string {
	return strings.Join(strings.FieldsFunc(phrase, IsWhiteSpace), " ")
}

const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// FormatTime returns a time in the contract's format: RFC 3339 in UTC with
// milliseconds; finer parts are cut.
func FormatTime(t time.Time) string { return t.UTC().Format(timeLayout) }

var errNotRFC3339 = errors.New("not RFC 3339")

// ParseTime reads any RFC 3339 time, strictly, and returns it in UTC.
func ParseTime(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, s)
	// time.Parse also takes hours of one digit, a comma before the fraction and
	// offsets beyond a day, which RFC 3339 does not have.
	if err == nil && !shapedAsRFC3339(s) {
		err = errNotRFC3339
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("read a time: want RFC 3339 such as 2026-01-02T03:04:05.678Z: %w", err)
	}
	return t.UTC(), nil
}

// shapedAsRFC3339 checks the details about which time.Parse is lenient, in a text
// that it accepted.
func shapedAsRFC3339(s string) bool {
	const seconds = len("2006-01-02T15:04:05")
	if len(s) <= seconds || s[len("2006-01-02T15")] != ':' {
		return false
	}
	zone := s[seconds:]
	if zone[0] == '.' {
		digits := 1
		for digits < len(zone) && zone[digits] >= '0' && zone[digits] <= '9' {
			digits++
		}
		zone = zone[digits:]
	}
	if zone == "Z" {
		return true
	}
	return len(zone) == len("+07:00") && zone[1:3] <= "23" && zone[4:] <= "59"
}
