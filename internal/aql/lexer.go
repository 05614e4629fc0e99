package aql

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// Character classes of the lexer's rules: the first character of a name, the
// further ones, blanks, and the characters of isForbidden.
const (
	nameStart = `_\p{L}`
	nameGoOn  = nameStart + `\p{Nd}\p{Mn}\p{Mc}`
	blanks    = `\s\v\x{85}\p{Z}`
	forbidden = `\p{Cc}\x{61C}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2066}-\x{2069}`
)

// isForbidden reports whether a character is not allowed in a program: it could
// move a terminal's cursor or reorder the line.
func isForbidden(r rune) bool {
	return unicode.IsControl(r) && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
}

// rules split a line into tokens. They match every text; findMistake finds the
// invalid tokens. Keywords and names are recognized by the whole word.
var rules = sync.OnceValue(func() *lexer.StatefulDefinition {
	const never = `\b\B`
	return lexer.MustSimple([]lexer.SimpleRule{
		{Name: "blank", Pattern: `[` + blanks + `]+`},
		{Name: "Comment", Pattern: `#.*`},
		{Name: "Text", Pattern: `"(?:[^"\\]|\\.?)*"?`},
		{Name: "Variable", Pattern: `\$(?:[` + nameGoOn + `]+(?:\.[` + nameGoOn + `-]+)*\.?)?`},
		{Name: "Sign", Pattern: `[=,]`},
		{Name: "Forbidden", Pattern: `[` + forbidden + `]`},
		{Name: "Word", Pattern: `[^"#$=,` + blanks + forbidden + `]+`},
		{Name: "Keyword", Pattern: never},
		{Name: "Name", Pattern: never},
	})
})

// tokenType returns the type of the tokens of a rule.
func tokenType(rule string) lexer.TokenType { return rules().Symbols()[rule] }

// lexed is a line split into tokens.
type lexed struct {
	// tokens end with one for the end of the line.
	tokens []lexer.Token
	// comment is the text after "#"; commented is set if there is one.
	comment   string
	commented bool
}

// lex splits a line. The mistake is nil if all its tokens are valid.
func lex(line string) (*lexed, *mistake) {
	column := 1
	for i, r := range line {
		if _, size := utf8.DecodeRuneInString(line[i:]); r == utf8.RuneError && size == 1 {
			return nil, &mistake{column, "this is not UTF-8 text: save the program as UTF-8"}
		}
		column++
	}
	reader, err := rules().LexString("", line)
	if err != nil {
		return nil, &mistake{1, err.Error()}
	}
	tokens, err := lexer.ConsumeAll(reader)
	if err != nil {
		return nil, &mistake{1, err.Error()}
	}
	l := &lexed{tokens: tokens}
	for i, t := range tokens {
		if found := findMistake(t); found != nil {
			return nil, found
		}
		switch {
		case t.Type == tokenType("Comment"):
			l.comment, l.commented = strings.TrimSpace(t.Value[len("#"):]), true
			l.tokens = slices.Concat(tokens[:i], []lexer.Token{lexer.EOFToken(t.Pos)})
		case t.Type == tokenType("Word") && keyword(t.Value) != "":
			tokens[i].Type = tokenType("Keyword")
		case t.Type == tokenType("Word") && IsName(t.Value):
			tokens[i].Type = tokenType("Name")
		}
	}
	return l, nil
}

// findMistake returns what is wrong with a token by itself, nil if it is valid.
func findMistake(t lexer.Token) *mistake {
	fail := func(at int, message string) *mistake { return &mistake{t.Pos.Column + at, message} }
	switch t.Type {
	case tokenType("Text"):
		if _, at, message := unquote(t.Value); message != "" {
			return fail(utf8.RuneCountInString(t.Value[:at]), message)
		}
	case tokenType("Variable"):
		if !IsName(Reference(t.Value[1:]).name()) {
			return fail(0, "the name of a variable is missing after $: it starts with a letter")
		}
		if strings.HasSuffix(t.Value, ".") {
			return fail(utf8.RuneCountInString(t.Value), "the name of a field is missing after the dot")
		}
	case tokenType("Comment"):
		if strings.ContainsFunc(strings.TrimSpace(t.Value[1:]), isForbidden) {
			return fail(0, "the comment holds a control character")
		}
	case tokenType("Forbidden"):
		r, _ := utf8.DecodeRuneInString(t.Value)
		return fail(0, fmt.Sprintf("there is a control character here (U+%04X)", r))
	}
	return nil
}

// unquote parses quoted text. If it is invalid, wrong says why, and at is the
// byte.
func unquote(raw string) (text string, at int, wrong string) {
	const noEnd = `the text has no end: a " is missing`
	var out strings.Builder
	for at = 1; at < len(raw); {
		r, size := utf8.DecodeRuneInString(raw[at:])
		switch {
		case r == '"':
			return out.String(), 0, ""
		case isForbidden(r):
			return "", at, fmt.Sprintf(`there is a control character in the text: write it as \u{%X}`, r)
		case r == '\\' && at+1 == len(raw):
			return "", at, noEnd
		case r == '\\':
			if r, size, wrong = escape(raw[at:]); wrong != "" {
				return "", at, wrong
			}
		}
		out.WriteRune(r)
		at += size
	}
	return "", 0, noEnd
}

// escape parses a backslash and the characters of its escape.
func escape(raw string) (r rune, size int, wrong string) {
	const longest = 6
	switch raw[1] {
	case '"', '\\':
		return rune(raw[1]), 2, ""
	case 'n':
		return '\n', 2, ""
	case 't':
		return '\t', 2, ""
	case 'u':
		digits, _, closed := strings.Cut(strings.TrimPrefix(raw, `\u{`), "}")
		value, err := strconv.ParseUint(digits, 16, 32)
		if err != nil || !closed || len(digits) > longest || !utf8.ValidRune(rune(value)) {
			return 0, 0, `a character is written as \u{…} with its number in hex digits, such as \u{1F33B}`
		}
		return rune(value), len(`\u{}`) + len(digits), ""
	}
	return 0, 0, `unknown escape: use \", \\, \n, \t or \u{1F33B}`
}

var namePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\A[` + nameStart + `][` + nameGoOn + `]*\z`)
})

// IsName reports whether a text is a valid name of a variable.
func IsName(text string) bool { return namePattern().MatchString(text) }

// keyword returns the keyword of a word, in capitals; "" if it is not one. A
// keyword as a value has to be in quotes.
func keyword(word string) string {
	for _, literal := range allLiterals() {
		if strings.EqualFold(literal, word) {
			return literal
		}
	}
	return ""
}
