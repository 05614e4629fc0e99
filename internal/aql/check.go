package aql

import (
	"fmt"
	"maps"
	"slices"

	"github.com/playctl/playctl/internal/suggest"
	"github.com/playctl/playctl/protocol"
)

// Scope is what holds where a statement stands.
type Scope struct {
	// Variables are those that are set, with what is secret of them.
	Variables map[string]Secrecy
	// Space and Agent say whether a space node and an agent node are in use.
	Space, Agent bool
}

// Secrecy says how much of a variable is secret.
type Secrecy int

const (
	// Plain is a value that anybody may see.
	Plain Secrecy = iota
	// WithPhrase is the result of CREATE SPACE: its field "phrase" is secret.
	WithPhrase
	// Secret is a passphrase.
	Secret
)

// phraseField is the field of a WithPhrase that is secret.
const phraseField = "phrase"

// checker goes through a program without carrying it out.
type checker struct {
	scope    Scope
	program  *Program
	line     string
	problems LineErrors
	warnings LineErrors
	// told are the variables that were told not to be set: once each.
	told map[string]bool
}

// Check finds what cannot work, whatever the world is like: a variable that is
// not set, a statement that needs another one before it, a secret that would be
// shown or sent, an amenity that does not exist. The error is a LineErrors. The
// warnings are about passphrases that are written in the program.
func (p *Program) Check(scope Scope) (warnings LineErrors, err error) {
	c := &checker{program: p, scope: scope, told: map[string]bool{}}
	c.scope.Variables = maps.Clone(scope.Variables)
	if c.scope.Variables == nil {
		c.scope.Variables = map[string]Secrecy{}
	}
	for i, line := range p.Lines {
		if line.Statement != nil {
			c.line = p.text[i]
			line.Statement.check(c)
		}
	}
	slices.SortStableFunc(c.problems, func(a, b *LineError) int {
		if a.Pos.before(b.Pos) {
			return -1
		}
		return 1
	})
	if c.problems != nil {
		return c.warnings, c.problems
	}
	return c.warnings, nil
}

func (c *checker) fail(at Pos, format string, args ...any) {
	problem := &LineError{Pos: at, Message: fmt.Sprintf(format, args...)}
	c.problems = append(c.problems, c.program.locate(problem, c.line))
}

// secrecy is what is secret of an operand, which has to exist.
func (c *checker) secrecy(o *Operand) Secrecy {
	if o.Variable == "" {
		return Plain
	}
	of, set := c.scope.Variables[o.Variable]
	switch {
	case !set:
		c.unknown(o)
		return Plain
	case of == WithPhrase && len(o.Path) > 0:
		if o.Path[0] == phraseField {
			return Secret
		}
		return Plain
	case of == Secret && len(o.Path) > 0:
		c.fail(o.At, "$%s is a secret, which has no fields", o.Variable)
	}
	return of
}

func (c *checker) unknown(o *Operand) {
	hint := fmt.Sprintf("set it before with LET %s = …", o.Variable)
	if near := suggest.Nearest(o.Variable, slices.Sorted(maps.Keys(c.scope.Variables))); near != "" {
		hint = fmt.Sprintf("did you mean $%s?", near)
	}
	if c.told[o.Variable] {
		return
	}
	c.told[o.Variable] = true
	c.fail(o.At, "there is no variable $%s here: %s", o.Variable, hint)
}

// open checks operands that others get to see.
func (c *checker) open(operands ...*Operand) {
	for _, o := range operands {
		if o != nil && c.secrecy(o) == Secret {
			c.fail(o.At, "$%s is a secret: it can be used after PASSPHRASE only", variableText(o))
		}
	}
}

func (c *checker) openList(operands []Operand) {
	for i := range operands {
		c.open(&operands[i])
	}
}

// passphrase checks what stands after PASSPHRASE.
func (c *checker) passphrase(o *Operand) {
	switch {
	case o == nil:
	case o.Variable == "":
		c.warn(o.At, "the passphrase is written in the program: use a variable, with LET pass FROM ENV, FILE or PROMPT")
	case c.secrecy(o) == Plain:
		c.warn(o.At, "the passphrase in $%s is no secret: set the variable with LET %s FROM ENV, FILE or PROMPT", variableText(o), o.Variable)
		if len(o.Path) == 0 {
			c.scope.Variables[o.Variable] = Secret
		}
	}
}

func (c *checker) warn(at Pos, format string, args ...any) {
	problem := &LineError{Pos: at, Message: fmt.Sprintf(format, args...)}
	c.warnings = append(c.warnings, c.program.locate(problem, c.line))
}

// amenity checks an amenity as far as it is known.
func (c *checker) amenity(o *Operand) {
	c.open(o)
	if o.Variable == "" && !slices.Contains(protocol.Amenities(), o.Text) {
		c.fail(o.At, "%s", unknownAmenity(o.Text))
	}
}

func (c *checker) set(name *Name, secrecy Secrecy) {
	if name != nil {
		c.scope.Variables[name.Text] = secrecy
	}
}

func (s Connect) check(c *checker) {
	c.open(s.Server, s.Context)
	c.scope.Space, c.scope.Agent = false, false
}

func (s Let) check(c *checker) {
	result := Plain
	for i := range s.Values {
		of := c.secrecy(&s.Values[i])
		if of == WithPhrase && len(s.Values) > 1 {
			of = Plain // only a field of it can be joined; running tells
		}
		result = max(result, of)
	}
	c.set(&s.Name, result)
}

func (s LetFrom) check(c *checker) {
	c.open(s.From)
	c.set(&s.Name, Secret)
}

func (s CreateSpace) check(c *checker) {
	c.open(&s.Name, &s.Design, &s.Owner, s.Description, s.Structure, s.Keyfile)
	seen := map[string]bool{}
	for i := range s.Amenities {
		o := &s.Amenities[i]
		c.amenity(o)
		if o.Variable == "" && seen[o.Text] {
			c.fail(o.At, "the amenity %s is there twice", quoted(o.Text))
		}
		seen[o.Text] = true
	}
	c.set(s.Into, WithPhrase)
}

func (s UseSpaceNode) check(c *checker) {
	c.open(&s.Node)
	c.passphrase(s.Passphrase)
	c.scope.Space = true
}

func (s UseAgentNode) check(c *checker) {
	c.open(&s.Node)
	c.passphrase(s.Passphrase)
	c.scope.Agent = true
}

// needsSpace and needsAgent check the order of statements.
func (c *checker) needsSpace(s Statement, otherwise string) {
	if !c.scope.Space {
		c.fail(s.Pos(), "%s is about the space in use, and none is: put USE SPACE NODE … PASSPHRASE … before it%s", s.Verb(), otherwise)
	}
}

func (c *checker) needsAgent(s Statement, otherwise string) {
	if !c.scope.Agent {
		c.fail(s.Pos(), "%s is about the agent in use, and none is: put USE AGENT NODE … before it%s", s.Verb(), otherwise)
	}
}

func (s ChangeAmenity) check(c *checker) {
	c.needsSpace(s, "")
	c.amenity(&s.Amenity)
}

func (s RemoveSpace) check(c *checker) {
	c.open(s.Space)
	if s.Space == nil {
		c.needsSpace(s, ", or name the space")
		c.scope.Space = false
	}
}

func (s InspectSpace) check(c *checker) {
	c.open(s.Space)
	if s.Space == nil {
		c.needsSpace(s, ", or name the space")
	}
	c.set(s.Into, Plain)
}

func (s InspectMainNode) check(c *checker) { c.set(s.Into, Plain) }

func (s InspectAgent) check(c *checker) {
	c.open(s.Agent)
	if s.Agent == nil {
		c.needsAgent(s, ", or name the agent")
	}
	c.set(s.Into, Plain)
}

func (s Send) check(c *checker) {
	c.needsAgent(s, "")
	c.openList(s.Text)
}

func (s Fetch) check(c *checker) { c.set(s.Into, Plain) }

func (s Show) check(c *checker) {
	for i := range s.Values {
		c.secrecy(&s.Values[i])
	}
}
