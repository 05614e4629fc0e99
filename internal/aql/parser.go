package aql

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/playctl/playctl/internal/suggest"
)

// Program is a parsed text.
type Program struct {
	// Source names the text in messages.
	Source string
	// Lines are all its lines, those without a statement included.
	Lines []Line
}

// Line is one line of a program.
type Line struct {
	// Number starts at 1.
	Number int
	// Statement is nil on a line without one; it starts at Column, which counts
	// from 1.
	Statement Statement
	Column    int
	// Comment is the text after "#"; Commented is set if there is one.
	Comment   string
	Commented bool
	// text is the original line, for messages.
	text string
}

// Verb returns the keywords of the statement, such as "CREATE SPACE".
func (l *Line) Verb() string { return verbOf(l.Statement) }

// Parse parses a program. If lines are invalid the error is a LineErrors with the
// first mistake of each, and the program holds the other lines.
func Parse(source, text string) (*Program, error) { return ParseAt(source, 1, text) }

// ParseAt is Parse for a text whose first line is the number-th of its source.
func ParseAt(source string, number int, text string) (*Program, error) {
	p := &Program{Source: source}
	var mistakes LineErrors
	expectations := map[string]expectation{}
	text = strings.TrimPrefix(text, "\uFEFF")
	text = strings.TrimSuffix(text, "\n")
	for i, one := range strings.Split(text, "\n") {
		line := Line{Number: number + i, text: strings.TrimSuffix(one, "\r")}
		if found := line.parse(expectations); found != nil {
			mistakes = append(mistakes, p.lineError(&line, found.column, found.message))
		}
		p.Lines = append(p.Lines, line)
	}
	if mistakes != nil {
		return p, mistakes
	}
	return p, nil
}

// mistake is what is wrong with a line, and where.
type mistake struct {
	column  int
	message string
}

// parse parses the line's text. It caches the expectations after tokens, so that
// many lines with the same mistake are fast.
func (l *Line) parse(expectations map[string]expectation) *mistake {
	lexed, found := lex(l.text)
	if found != nil {
		return found
	}
	l.Comment, l.Commented = lexed.comment, lexed.commented
	if len(lexed.tokens) == 1 {
		return nil
	}
	statement, wrong := parse(lexed.tokens)
	if wrong >= 0 {
		before := lexed.tokens[:wrong]
		key := shape(before)
		if _, known := expectations[key]; !known {
			expectations[key] = expectedAfter(before)
		}
		t := lexed.tokens[wrong]
		if !t.EOF() && strings.Trim(t.Value, ";") == "" {
			// Without a blank before it, it is part of a word: paths and ids may have it.
			return &mistake{t.Pos.Column, `a statement ends with its line: omit the ";"`}
		}
		return &mistake{t.Pos.Column, expectations[key].unlike(t)}
	}
	if s, ok := statement.(CreateSpace); ok && (s.Design == nil || s.Owner == nil) {
		end := lexed.tokens[len(lexed.tokens)-1].Pos.Column
		if s.Design == nil {
			return &mistake{end, `DESIGN is missing: the key of the space's design, such as DESIGN "bazaar"`}
		}
		return &mistake{end, `OWNER is missing: the display name of the space's owner, such as OWNER "Ada"`}
	}
	l.Statement, l.Column = statement, lexed.tokens[0].Pos.Column
	return nil
}

// grammar is the parser of the rules in the tags of the statements.
var grammar = sync.OnceValue(func() *participle.Parser[struct {
	Statement Statement `parser:"@@"`
}] {
	return participle.MustBuild[struct {
		Statement Statement `parser:"@@"`
	}](participle.Lexer(rules()), participle.CaseInsensitive("Keyword"), participle.Union(statements...),
		participle.UseLookahead(participle.MaxLookahead))
})

// tokenReader gives the parser the tokens of a line.
type tokenReader []lexer.Token

// Next implements lexer.Lexer.
func (r *tokenReader) Next() (lexer.Token, error) {
	t := (*r)[0]
	if !t.EOF() {
		*r = (*r)[1:]
	}
	return t, nil
}

// parse parses tokens into a statement, or returns the index of the first token
// that does not belong there; else -1.
func parse(tokens []lexer.Token) (s Statement, wrong int) {
	numbered := make(tokenReader, len(tokens))
	seen := map[string]bool{}
	for i, t := range tokens {
		t.Pos.Offset = i
		// No keyword occurs twice in a statement, except as the name of a variable.
		if word := keyword(t.Value); t.Type == tokenType("Keyword") && (i == 0 || !setsVariable(tokens[i-1])) {
			if seen[word] {
				t.Type, t.Value = tokenType("Forbidden"), ""
			}
			seen[word] = true
		}
		numbered[i] = t
	}
	peeking, err := lexer.Upgrade(&numbered)
	if err != nil {
		return nil, 0
	}
	line, err := grammar().ParseFromLexer(peeking)
	if err == nil {
		return line.Statement, -1
	}
	if at, ok := errors.AsType[participle.Error](err); ok {
		wrong = at.Position().Offset
	}
	return nil, wrong
}

func setsVariable(t lexer.Token) bool {
	word := keyword(t.Value)
	return t.Type == tokenType("Keyword") && (word == "LET" || word == "INTO")
}

// expectation is what could stand at a place.
type expectation struct {
	// words are keywords and signs.
	words []string
	// kind is the kind of an operand, "" if none is possible there; name is set if the
	// name of a variable is.
	kind string
	name bool
}

// expectedAfter tries what could follow tokens.
func expectedAfter(before []lexer.Token) (e expectation) {
	if _, wrong := parse(slices.Concat(before, []lexer.Token{lexer.EOFToken(lexer.Position{})})); wrong >= 0 && wrong < len(before) {
		return e
	}
	try := func(rule, text string) (Statement, bool) {
		probe := lexer.Token{Type: tokenType(rule), Value: text, Pos: lexer.Position{Column: -1}}
		tokens := slices.Concat(before, []lexer.Token{probe, lexer.EOFToken(lexer.Position{})})
		s, wrong := parse(tokens)
		return s, wrong < 0 || wrong > len(before)
	}
	for _, word := range allLiterals() {
		rule := "Sign"
		if IsName(word) {
			rule = "Keyword"
		}
		if _, ok := try(rule, word); ok {
			e.words = append(e.words, word)
		}
	}
	if s, ok := try("Text", `""`); ok {
		eachOperand(s, func(field reflect.StructField, o *Operand) {
			if o.Pos.Column < 0 {
				e.kind = field.Tag.Get("kind")
			}
		})
		e.kind = cmp.Or(e.kind, kindValue)
	} else if _, ok := try("Name", "x"); ok {
		e.name, e.words = true, nil // any keyword names a variable
	}
	return e
}

// shape is the same for tokens with the same possible successors.
func shape(tokens []lexer.Token) string {
	var out strings.Builder
	for _, t := range tokens {
		fmt.Fprint(&out, t.Type, " ")
		if t.Type == tokenType("Keyword") {
			out.WriteString(keyword(t.Value))
		}
	}
	return out.String()
}

// unlike says that there is something else at the place.
func (e expectation) unlike(t lexer.Token) string {
	word := t.Type == tokenType("Word") || t.Type == tokenType("Name") || t.Type == tokenType("Keyword")
	there := describe(t)
	if e.name {
		return unlikeName(t)
	}
	could := slices.Clone(e.words)
	if i := slices.Index(could, ","); i >= 0 {
		could[i] = `","`
	}
	switch {
	case e.kind == kindPassphrase && word && t.Type != tokenType("Keyword"):
		// Its words are not repeated: they may be the phrase itself.
		return "a passphrase is a variable or quoted text"
	case e.kind != "" && word && len(e.words) == 0:
		return fmt.Sprintf("expected %s, found the word %s: put it in quotes if it is text", e.kind, there)
	case e.kind != "":
		could = append([]string{e.kind}, could...)
	case len(e.words) == 0:
		return "expected the end of the statement, found " + there
	}
	hint := ""
	if near := suggest.Nearest(t.Value, e.words); word && near != "" {
		hint = "; did you mean " + near + "?"
	}
	return fmt.Sprintf("expected %s, found %s%s", anyOf(could), there, hint)
}

// unlikeName says that there is something else in place of the name of a variable.
func unlikeName(t lexer.Token) string {
	switch t.Type {
	case tokenType("Word"):
		return describe(t) + " cannot name a variable: use letters, digits and _, a letter first"
	case tokenType("Variable"):
		return "a variable is set without the $: write " + Reference(t.Value[1:]).name()
	}
	return "expected the name of a variable, found " + describe(t)
}

// describe returns a token in the words of a message. It never repeats the content
// of a text, which may be a passphrase at the wrong place.
func describe(t lexer.Token) string {
	switch t.Type {
	case lexer.EOF:
		return "the end of the line"
	case tokenType("Text"):
		return "quoted text"
	case tokenType("Variable"):
		return "$" + Reference(t.Value[1:]).name()
	}
	return quoted(t.Value)
}

// quoted returns a word for a message, which repeats only its beginning.
func quoted(word string) string {
	if runes := []rune(word); len(runes) > longestQuoted {
		return `"` + string(runes[:longestQuoted]) + `…"`
	}
	return `"` + word + `"`
}

// longestQuoted is the number of characters of a word that a message repeats.
const longestQuoted = 40

// anyOf lists words for a sentence: "a, b or c".
func anyOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
