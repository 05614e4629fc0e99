package aql

import (
	"fmt"
	"strings"

	"github.com/playctl/playctl/internal/suggest"
)

// Parse reads a program. Where lines are wrong the error is a LineErrors with the
// first mistake of each, and the program holds the other lines.
func Parse(source, text string) (*Program, error) { return ParseAt(source, 1, text) }

// ParseAt is Parse for a text whose first line is the number-th of its source.
func ParseAt(source string, number int, text string) (*Program, error) {
	p := &Program{Source: source}
	var problems LineErrors
	text = strings.TrimPrefix(text, "\uFEFF")
	text = strings.TrimSuffix(text, "\n")
	for i, line := range strings.Split(text, "\n") {
		parsed, problem := p.parseLine(number+i, strings.TrimSuffix(line, "\r"))
		if problem != nil {
			problems = append(problems, problem)
		}
		p.Lines = append(p.Lines, parsed)
	}
	if problems != nil {
		return p, problems
	}
	return p, nil
}

func (p *Program) parseLine(number int, text string) (Line, *LineError) {
	p.text = append(p.text, text)
	lexed := lex(number, text)
	line := Line{Number: number, Comment: lexed.comment, Commented: lexed.commented}
	if problem := lexed.problem; problem != nil {
		return Line{Number: number}, p.locate(problem, text)
	}
	if lexed.tokens[0].kind == tokenEnd {
		return line, nil
	}
	parser := &parser{tokens: lexed.tokens}
	statement := parser.whole()
	if parser.problem != nil {
		return line, p.locate(parser.problem, text)
	}
	line.Statement = statement
	return line, nil
}

// locate completes a problem with where it is.
func (p *Program) locate(problem *LineError, line string) *LineError {
	problem.Source = p.Source
	problem.Excerpt = clean(masked(line))
	return problem
}

// clean makes a line harmless to show, a column for each character.
func clean(line string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case isForbidden(r):
			return '\uFFFD'
		}
		return r
	}, line)
}

// operandKind says what an operand is, for messages and for completion.
type operandKind string

const (
	operandServer     operandKind = "the address of a host"
	operandContext    operandKind = "the name of a context"
	operandValue      operandKind = "a text in quotes or a variable"
	operandEnv        operandKind = "the name of an environment variable"
	operandFile       operandKind = "the path of a file"
	operandAmenity    operandKind = "an amenity"
	operandSpace      operandKind = "a space"
	operandSpaceNode  operandKind = "a space node"
	operandAgent      operandKind = "an agent"
	operandPassphrase operandKind = "a passphrase"
	operandName       operandKind = "the name of a variable"
)

// parser makes a statement of the tokens of one line. After the first mistake
// every method does nothing, so the grammar reads without error handling.
type parser struct {
	tokens []token
	at     int
	// tried are the keywords and wanted the operands that would have done where
	// the parser stands: what a message lists, and what completion offers.
	tried   []string
	wanted  []operandKind
	problem *LineError
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) advance() {
	p.at++
	p.tried, p.wanted = nil, nil
}

func (p *parser) fail(at Pos, format string, args ...any) {
	if p.problem == nil {
		p.problem = &LineError{Pos: at, Message: fmt.Sprintf(format, args...)}
	}
}

// accept takes a keyword if it is next.
func (p *parser) accept(keyword string) bool {
	if p.problem != nil {
		return false
	}
	if t := p.peek(); t.kind == tokenWord && strings.EqualFold(t.text, keyword) {
		p.advance()
		return true
	}
	p.tried = append(p.tried, keyword)
	return false
}

// expect takes keywords that must be next.
func (p *parser) expect(words ...string) {
	for _, keyword := range words {
		if !p.accept(keyword) {
			p.unexpected()
		}
	}
}

// unexpected says what could be where the parser stands.
func (p *parser) unexpected() {
	if p.problem != nil {
		return
	}
	t := p.peek()
	var could []string
	for _, kind := range p.wanted {
		could = append(could, string(kind))
	}
	could = append(could, p.tried...)
	if len(could) == 0 {
		p.fail(t.pos, "nothing more is expected in this statement, but there is %s", t.described())
		return
	}
	hint := ""
	if near := suggest.Nearest(t.text, p.tried); t.kind == tokenWord && near != "" && !strings.EqualFold(near, t.text) {
		hint = "; did you mean " + near + "?"
	}
	p.fail(t.pos, "expected %s, but there is %s%s", anyOf(could), t.described(), hint)
}

// end takes the end of the line.
func (p *parser) end() {
	if p.problem == nil && p.peek().kind != tokenEnd {
		p.unexpected()
	}
}

// optional takes an operand if one is next.
func (p *parser) optional(kind operandKind) *Operand {
	if p.problem != nil {
		return nil
	}
	t := p.peek()
	switch t.kind {
	case tokenText, tokenVariable:
	case tokenWord:
		if kind == operandValue || isKeyword(t.text) {
			p.wanted = append(p.wanted, kind)
			return nil
		}
		if kind == operandPassphrase {
			// Its words are not repeated: they may be the phrase itself.
			p.fail(t.pos, "a passphrase is a variable, or a text in quotes")
			return nil
		}
	case tokenEnd, tokenEquals, tokenComma:
		p.wanted = append(p.wanted, kind)
		return nil
	}
	p.advance()
	return &Operand{At: t.pos, Variable: t.name, Path: t.path, Text: t.text}
}

// operand takes an operand that must be next.
func (p *parser) operand(kind operandKind) Operand {
	o := p.optional(kind)
	if o != nil {
		return *o
	}
	if t := p.peek(); p.problem == nil && t.kind == tokenWord && (kind == operandValue || isKeyword(t.text)) {
		p.fail(t.pos, "expected %s, but there is the word %s: put it in quotes if it is meant", kind, quoted(t.text))
	}
	p.unexpected()
	return Operand{}
}

// operands takes one or more values that are joined.
func (p *parser) operands() []Operand {
	list := []Operand{p.operand(operandValue)}
	for o := p.optional(operandValue); o != nil; o = p.optional(operandValue) {
		list = append(list, *o)
	}
	return list
}

// name takes the name of a variable that the statement sets.
func (p *parser) name() Name {
	if p.problem != nil {
		return Name{}
	}
	t := p.peek()
	switch {
	case t.kind == tokenWord && IsName(t.text):
		p.advance()
		return Name{At: t.pos, Text: t.text}
	case t.kind == tokenWord:
		p.fail(t.pos, "%s cannot name a variable: use letters, digits and _, a letter first", quoted(t.text))
	case t.kind == tokenVariable:
		p.fail(t.pos, "a variable is set without the $: write %s", t.name)
	}
	p.wanted = append(p.wanted, operandName)
	p.unexpected()
	return Name{}
}

// into takes INTO name if it is next.
func (p *parser) into() *Name {
	if !p.accept("INTO") {
		return nil
	}
	name := p.name()
	return &name
}
