package aql

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/playctl/playctl/internal/suggest"
	"github.com/playctl/playctl/protocol"
)

// Scope is the state in which a statement runs.
type Scope struct {
	// Variables are the variables that are set, with their secrecy.
	Variables map[string]Secrecy
	// Space and Agent say whether a space node and an agent node are in use.
	Space, Agent bool
}

// Secrecy says how much of a variable is secret.
type Secrecy int

const (
	// Plain is a value without secrets.
	Plain Secrecy = iota
	// WithPhrase is the result of CREATE SPACE: its field "phrase" is secret.
	WithPhrase
	// Secret is a passphrase.
	Secret
)

// PhraseField is the secret field of a WithPhrase.
const PhraseField = "phrase"

// checker walks through a program without running it.
type checker struct {
	scope    Scope
	program  *Program
	line     *Line
	mistakes LineErrors
	warnings LineErrors
	// unset are the unset variables that were reported: once each.
	unset map[string]bool
}

// Check finds errors that do not depend on the world: a variable that is not set, a
// statement that needs another one before it, a secret that would be shown or sent,
// an amenity that does not exist. The error is a LineErrors. The warnings are about
// passphrases that are written in the program.
func (p *Program) Check(scope Scope) (warnings LineErrors, err error) {
	c := &checker{program: p, scope: scope, unset: map[string]bool{}}
	c.scope.Variables = maps.Clone(scope.Variables)
	if c.scope.Variables == nil {
		c.scope.Variables = map[string]Secrecy{}
	}
	for i := range p.Lines {
		if c.line = &p.Lines[i]; c.line.Statement != nil {
			c.statement()
		}
	}
	slices.SortStableFunc(c.mistakes, func(a, b *LineError) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if c.mistakes != nil {
		return c.warnings, c.mistakes
	}
	return c.warnings, nil
}

func (c *checker) fail(column int, format string, args ...any) {
	c.mistakes = append(c.mistakes, c.program.lineError(c.line, column, fmt.Sprintf(format, args...)))
}

func (c *checker) warn(column int, format string, args ...any) {
	c.warnings = append(c.warnings, c.program.lineError(c.line, column, fmt.Sprintf(format, args...)))
}

// statement checks the statement of the line and records its effects.
func (c *checker) statement() {
	c.needs()
	values := Plain // what is secret of them together
	eachOperand(c.line.Statement, func(field reflect.StructField, o *Operand) {
		switch kind := field.Tag.Get("kind"); {
		case kind == kindPassphrase:
			c.passphrase(o)
		case field.Tag.Get("secret") != "":
			values = max(values, c.secrecy(o))
		default:
			c.open(o)
			if kind == kindAmenity && o.Variable == "" && !slices.Contains(protocol.Amenities(), string(o.Text)) {
				c.fail(o.Pos.Column, "%s", UnknownAmenity(string(o.Text)))
			}
		}
	})
	c.changes(values)
}

// needs checks the order of statements.
func (c *checker) needs() {
	const space, agent = "a space in use: put USE SPACE NODE … PASSPHRASE …", "an agent in use: put USE AGENT NODE …"
	about := func(missing bool, what, otherwise string) {
		if missing {
			c.fail(c.line.Column, "%s needs %s before it%s", c.line.Verb(), what, otherwise)
		}
	}
	switch s := c.line.Statement.(type) {
	case ChangeAmenity:
		about(!c.scope.Space, space, "")
	case RemoveSpace:
		about(!c.scope.Space && s.Space == nil, space, ", or give the space")
	case InspectSpace:
		about(!c.scope.Space && s.Space == nil, space, ", or give the space")
	case InspectAgent:
		about(!c.scope.Agent && s.Agent == nil, agent, ", or give the agent")
	case Send:
		about(!c.scope.Agent, agent, "")
	}
}

// changes records the state after the statement, whose values have this secrecy.
func (c *checker) changes(values Secrecy) {
	switch s := c.line.Statement.(type) {
	case Connect:
		c.scope.Space, c.scope.Agent = false, false
	case UseSpaceNode:
		c.scope.Space = true
	case UseAgentNode:
		c.scope.Agent = true
	case RemoveSpace:
		c.scope.Space = c.scope.Space && s.Space != nil
	case LetFrom:
		c.scope.Variables[s.Name.Text] = Secret
	case Let:
		if values == WithPhrase && len(s.Values) > 1 {
			values = Plain // only a field of it can be joined; running finds that
		}
		c.scope.Variables[s.Name.Text] = values
	case CreateSpace:
		c.amenitiesOnce(s.Amenities)
		c.into(s.Into, WithPhrase)
	case InspectSpace:
		c.into(s.Into, Plain)
	case InspectMainNode:
		c.into(s.Into, Plain)
	case InspectAgent:
		c.into(s.Into, Plain)
	case Fetch:
		c.into(s.Into, Plain)
	}
}

func (c *checker) into(name *Name, secrecy Secrecy) {
	if name != nil {
		c.scope.Variables[name.Text] = secrecy
	}
}

func (c *checker) amenitiesOnce(amenities []Operand) {
	seen := map[Text]bool{}
	for _, o := range amenities {
		if o.Variable == "" && seen[o.Text] {
			c.fail(o.Pos.Column, "the amenity %s is listed twice", quoted(string(o.Text)))
		}
		seen[o.Text] = true
	}
}

// secrecy returns the secrecy of an operand, whose variable must be set.
func (c *checker) secrecy(o *Operand) Secrecy {
	if o.Variable == "" {
		return Plain
	}
	name, path := o.Variable.Split()
	of, set := c.scope.Variables[name]
	switch {
	case !set:
		c.unknown(o.Pos.Column, name)
		return Plain
	case of == WithPhrase && len(path) > 0:
		if path[0] == PhraseField {
			return Secret
		}
		return Plain
	case of == Secret && len(path) > 0:
		c.fail(o.Pos.Column, "$%s is a secret, which has no fields", name)
	}
	return of
}

func (c *checker) unknown(column int, name string) {
	if c.unset[name] {
		return
	}
	c.unset[name] = true
	hint := fmt.Sprintf("set it before with LET %s = …", name)
	if near := suggest.Nearest(name, slices.Sorted(maps.Keys(c.scope.Variables))); near != "" {
		hint = fmt.Sprintf("did you mean $%s?", near)
	}
	c.fail(column, "there is no variable $%s here: %s", name, hint)
}

// open checks an operand that others can see.
func (c *checker) open(o *Operand) {
	if c.secrecy(o) == Secret {
		c.fail(o.Pos.Column, "$%s is a secret: it can only be used after PASSPHRASE", o.Variable)
	}
}

// passphrase checks the operand after PASSPHRASE.
func (c *checker) passphrase(o *Operand) {
	if o.Variable == "" {
		c.warn(o.Pos.Column, "the passphrase is written in the program: use a variable, with LET pass FROM ENV, FILE or PROMPT")
		return
	}
	if c.secrecy(o) != Plain {
		return
	}
	name, path := o.Variable.Split()
	c.warn(o.Pos.Column, "the passphrase in $%s is not a secret: set the variable with LET %s FROM ENV, FILE or PROMPT", o.Variable, name)
	if len(path) == 0 {
		c.scope.Variables[name] = Secret
	}
}

// UnknownAmenity returns the error for an amenity that does not exist.
func UnknownAmenity(kind string) error {
	return fmt.Errorf("unknown amenity %s; use %s", quoted(kind), anyOf(protocol.Amenities()))
}
