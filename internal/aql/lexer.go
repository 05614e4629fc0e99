package aql

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lexer cuts one line into tokens.
type lexer struct {
	line   int
	runes  []rune
	at     int
	tokens []token
	// comment is what follows "#"; commented is set where there is one.
	comment   string
	commented bool
	problem   *LineError
}

// lex cuts a line. After a mistake the tokens before it are still there; the
// last token is always the end of the line.
func lex(line int, text string) *lexer {
	l := &lexer{line: line}
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && size == 1 {
			l.fail(len(l.runes), "this is not UTF-8 text: save the program as UTF-8")
			break
		}
		l.runes = append(l.runes, r)
		text = text[size:]
	}
	for l.skipBlanks() {
		if !l.next() {
			break
		}
	}
	l.add(token{kind: tokenEnd, pos: l.pos(l.at)})
	return l
}

func (l *lexer) pos(at int) Pos { return Pos{Line: l.line, Column: at + 1} }

func (l *lexer) add(t token) { l.tokens = append(l.tokens, t) }

// fail notes the first mistake and reports false.
func (l *lexer) fail(at int, format string, args ...any) bool {
	if l.problem == nil {
		l.problem = &LineError{Pos: l.pos(at), Message: fmt.Sprintf(format, args...)}
	}
	return false
}

// skipBlanks goes to the next token, and reports whether there is one.
func (l *lexer) skipBlanks() bool {
	for l.at < len(l.runes) && unicode.IsSpace(l.runes[l.at]) {
		l.at++
	}
	return l.at < len(l.runes)
}

// next reads one token, and reports whether the line goes on.
func (l *lexer) next() bool {
	start := l.at
	switch r := l.runes[l.at]; {
	case r == '#':
		l.comment, l.commented = strings.TrimSpace(string(l.runes[l.at+1:])), true
		if at := strings.IndexFunc(l.comment, isForbidden); at >= 0 {
			return l.fail(start, "the comment holds a control character")
		}
		return false
	case r == '=':
		l.at++
		l.add(token{kind: tokenEquals, pos: l.pos(start)})
	case r == ',':
		l.at++
		l.add(token{kind: tokenComma, pos: l.pos(start)})
	case r == '"':
		return l.text()
	case r == '$':
		return l.variable()
	case isForbidden(r):
		return l.fail(start, "there is a control character here (U+%04X)", r)
	default:
		l.at = l.run(l.at, isWordRune)
		l.add(token{kind: tokenWord, pos: l.pos(start), text: string(l.runes[start:l.at])})
	}
	return true
}

// run gives where a run of characters ends.
func (l *lexer) run(from int, belongs func(rune) bool) int {
	for from < len(l.runes) && belongs(l.runes[from]) {
		from++
	}
	return from
}

func isWordRune(r rune) bool {
	return !unicode.IsSpace(r) && !strings.ContainsRune(`"#$=,`, r) && !isForbidden(r)
}

// isForbidden reports whether a character has no business in a program: it
// could move a terminal's cursor or show a line in another order than it has.
func isForbidden(r rune) bool {
	return unicode.IsControl(r) && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
}

func isNameStart(r rune) bool { return r == '_' || unicode.IsLetter(r) }
func isNameRune(r rune) bool {
	return isNameStart(r) || unicode.IsDigit(r) || unicode.In(r, unicode.Mn, unicode.Mc)
}
func isFieldRune(r rune) bool { return isNameRune(r) || r == '-' }

// IsName reports whether a text can name a variable.
func IsName(text string) bool {
	for i, r := range text {
		if i == 0 && !isNameStart(r) || !isNameRune(r) {
			return false
		}
	}
	return text != ""
}

// variable reads $name or $name.field.0.
func (l *lexer) variable() bool {
	start := l.at
	end := l.run(start+1, isNameRune)
	t := token{kind: tokenVariable, pos: l.pos(start), name: string(l.runes[start+1 : end])}
	if !IsName(t.name) {
		return l.fail(start, "the name of a variable is missing after $: it starts with a letter")
	}
	for end < len(l.runes) && l.runes[end] == '.' {
		from := end + 1
		end = l.run(from, isFieldRune)
		if end == from {
			return l.fail(from, "the name of a field is missing after the dot")
		}
		t.path = append(t.path, string(l.runes[from:end]))
	}
	l.at = end
	l.add(t)
	return true
}

// text reads a text in quotes.
func (l *lexer) text() bool {
	start := l.at
	var out strings.Builder
	for l.at++; l.at < len(l.runes); l.at++ {
		switch r := l.runes[l.at]; {
		case r == '"':
			l.at++
			l.add(token{kind: tokenText, pos: l.pos(start), text: out.String()})
			return true
		case r == '\\':
			if !l.escape(&out) {
				return false
			}
		case isForbidden(r):
			return l.fail(l.at, "there is a control character in the text: write it as \\u{%X}", r)
		default:
			out.WriteRune(r)
		}
	}
	return l.fail(start, `the text has no end: a " is missing`)
}

// escape reads what follows a backslash, up to its last character.
func (l *lexer) escape(out *strings.Builder) bool {
	start := l.at
	l.at++
	if l.at >= len(l.runes) {
		return l.fail(start, `the text has no end: a " is missing`)
	}
	switch r := l.runes[l.at]; r {
	case '"', '\\':
		out.WriteRune(r)
	case 'n':
		out.WriteByte('\n')
	case 't':
		out.WriteByte('\t')
	case 'u':
		return l.codePoint(start, out)
	default:
		return l.fail(start, `there is no escape like this: use \", \\, \n, \t or \u{1F33B}`)
	}
	return true
}

// codePoint reads the rest of \u{…}.
func (l *lexer) codePoint(start int, out *strings.Builder) bool {
	const longest = 6
	end := l.run(l.at+1, func(r rune) bool { return r != '}' && r != '"' })
	digits := ""
	if end < len(l.runes) && l.runes[end] == '}' && l.at+1 < end && l.runes[l.at+1] == '{' {
		digits = string(l.runes[l.at+2 : end])
	}
	value, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || len(digits) > longest || !utf8.ValidRune(rune(value)) {
		return l.fail(start, `a character is written as \u{…} with its number in hex digits, such as \u{1F33B}`)
	}
	out.WriteRune(rune(value))
	l.at = end
	return true
}
