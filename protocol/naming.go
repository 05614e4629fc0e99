package protocol

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ValidName reports whether a text can be the name of something that people see: it has
// a visible character, and none that cleanName removes.
func ValidName(name string) bool {
	clean, visible := cleanName(name)
	return visible && clean == name
}

// cleanName returns a name without the characters that people cannot see or that change
// how the text around the name looks: controls, direction marks, fillers, private and
// unassigned characters. White space that breaks lines becomes a space. Joiners,
// variation selectors and tags stay where scripts and emoji need them. visible reports
// whether the rest has a visible character.
func cleanName(name string) (clean string, visible bool) {
	if isPlain(name) {
		return name, strings.Trim(name, " ") != ""
	}
	n := nameReader{rest: []rune(name)}
	for len(n.rest) > 0 {
		n.next()
	}
	if clean = string(n.kept); clean != name {
		clean = TrimSpace(clean)
	}
	return clean, n.visible
}

// isPlain reports whether a text has only printable ASCII characters.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

const (
	nonJoiner, joiner = '\u200c', '\u200d'
	mongolianVowel    = '\u180e'
	blackFlag         = '\U0001F3F4' // begins the flags of England, Scotland and Wales, with tags
	cancelTag         = '\U000E007F'
)

// nameReader reads a name from its start to its end.
type nameReader struct {
	kept, rest []rune
	visible    bool
}

// next moves on by one character, or one flag.
func (n *nameReader) next() {
	r := n.rest[0]
	length := 1
	switch {
	case unicode.IsSpace(r) || IsWhiteSpace(r):
		if r = ' '; unicode.Is(unicode.Zs, n.rest[0]) {
			r = n.rest[0]
		}
	case r == joiner || r == nonJoiner:
		if !n.joins() {
			length = 0
		}
	case unicode.Is(unicode.Variation_Selector, r):
		if !variesIn(n.last()) {
			length = 0
		}
	case r == mongolianVowel && unicode.Is(unicode.Mongolian, n.last()):
	case unicode.IsMark(r) && len(n.kept) == 0, isHidden(r):
		length = 0
	case !unicode.IsMark(r):
		n.visible = true
		length += flagTags(n.rest)
	}
	if length == 0 {
		n.rest = n.rest[1:]
		return
	}
	n.kept = append(append(n.kept, r), n.rest[1:length]...)
	n.rest = n.rest[length:]
}

// last returns the last character that is kept.
func (n *nameReader) last() rune {
	if len(n.kept) == 0 {
		return ' '
	}
	return n.kept[len(n.kept)-1]
}

// joins reports whether a joiner at this place changes how its neighbors look: in an
// emoji, after the virama of an Indic script, or between letters of a script whose letters
// are joined.
func (n *nameReader) joins() bool {
	if virama := norm.NFC.PropertiesString(string(n.last())).CCC() == 9; virama {
		return true
	}
	if len(n.rest) < 2 {
		return false
	}
	before, after := ' ', n.rest[1]
	for _, r := range slices.Backward(n.kept) {
		if before = r; r == joiner || r == nonJoiner || !unicode.IsMark(r) && !unicode.Is(unicode.Sk, r) {
			break
		}
	}
	return isEmoji(before) && isEmoji(after) && n.rest[0] == joiner ||
		unicode.In(before, joinedScripts...) && unicode.In(after, joinedScripts...)
}

// joinedScripts are the scripts in which a joiner changes the form of letters.
var joinedScripts = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko, unicode.Mandaic, unicode.Manichaean,
	unicode.Phags_Pa, unicode.Hanifi_Rohingya, unicode.Sogdian, unicode.Adlam,
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu,
	unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Tibetan, unicode.Myanmar, unicode.Khmer,
	unicode.Balinese, unicode.Javanese, unicode.Sundanese, unicode.Meetei_Mayek, unicode.Grantha, unicode.Newa,
	unicode.Chakma, unicode.Tirhuta, unicode.Siddham, unicode.Modi, unicode.Sharada, unicode.Khojki, unicode.Takri,
}

// isEmoji reports whether r may be one of an emoji's characters. Unicode reserves the
// pictographs' blocks for emoji: newer ones are allowed before this program knows them.
func isEmoji(r rune) bool {
	return unicode.IsSymbol(r) && r != 0x2800 || r >= 0x1F000 && r <= 0x1FAFF
}

// variesIn reports whether a character has variants, which selectors choose: a symbol, a
// digit or punctuation as emoji or as text, or a character of some scripts.
func variesIn(r rune) bool {
	return isEmoji(r) && !unicode.Is(unicode.Sk, r) || unicode.IsDigit(r) || unicode.IsPunct(r) || r == 'ℹ' ||
		unicode.In(r, unicode.Han, unicode.Mongolian, unicode.Phags_Pa, unicode.Myanmar, unicode.Manichaean)
}

// flagTags returns how many tags follow a black flag and make it that of a region.
func flagTags(text []rune) int {
	if text[0] != blackFlag {
		return 0
	}
	end := slices.Index(text, cancelTag)
	if end < 2 || slices.ContainsFunc(text[1:end], func(r rune) bool { return r < 0xE0030 || r > 0xE007A }) {
		return 0
	}
	return end
}

// isHidden reports whether a character cannot be seen, or not as the same by everybody.
func isHidden(r rune) bool {
	switch r {
	case utf8.RuneError, 0xFFFC: // The latter stands for an object.
		return true
	case 0x2800, 0x1D159, 0x13441, 0x13442, 0x16FE4: // symbols and letters without ink
		return true
	}
	if unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || unicode.Is(unicode.Co, r) {
		return true
	}
	if unicode.Is(unicode.Cf, r) {
		return !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
	}
	return !unicode.IsGraphic(r) && !isEmoji(r)
}
