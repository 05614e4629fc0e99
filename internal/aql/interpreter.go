package aql

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// Interpreter carries out programs, one after the other: variables, the
// connection and the nodes in use stay from one to the next.
type Interpreter struct {
	env  Environment
	vars map[string]any
	host Connection // nil until something needs it
	// space and agent are the nodes in use; nil for none.
	space *usedSpace
	agent *Agent
}

// usedSpace is the space that USE SPACE NODE chose.
type usedSpace struct {
	id, name string
	caller   Caller
}

// NewInterpreter makes an interpreter. Variables are set from the start; they
// are texts that anybody may see.
func NewInterpreter(env Environment, variables map[string]string) *Interpreter {
	in := &Interpreter{env: env, vars: map[string]any{}}
	for name, text := range variables {
		in.vars[name] = text
	}
	return in
}

// Close ends the connection.
func (in *Interpreter) Close() {
	if in.host != nil {
		in.host.Close()
	}
	in.host, in.space, in.agent = nil, nil, nil
}

// Scope is what holds for the next statement.
func (in *Interpreter) Scope() Scope {
	scope := Scope{Variables: map[string]Secrecy{}, Space: in.space != nil, Agent: in.agent != nil}
	for name, value := range in.vars {
		scope.Variables[name] = secrecyOf(value)
	}
	return scope
}

// Variables lists the variables that are set, by name.
func (in *Interpreter) Variables() []string { return slices.Sorted(maps.Keys(in.vars)) }

// Run checks a program and carries it out up to the first statement that fails.
// A mistake in the program is a LineErrors, and then nothing was done; a failure
// is a *LineError with its cause.
func (in *Interpreter) Run(ctx context.Context, p *Program) error {
	warnings, err := p.Check(in.Scope())
	in.env.Warn(warnings)
	if err != nil {
		return err
	}
	for i, line := range p.Lines {
		if line.Statement == nil {
			continue
		}
		if err := in.step(ctx, line); err != nil {
			return p.failed(&p.Lines[i], err)
		}
	}
	return nil
}

// placedError is an error that knows which operand it is about.
type placedError struct {
	column int
	err    error
}

func (e *placedError) Error() string { return e.err.Error() }
func (e *placedError) Unwrap() error { return e.err }

// at says which operand an error is about.
func at(o *Operand, err error) error {
	if err == nil || o == nil {
		return err
	}
	return &placedError{o.Pos.Column, err}
}

// failed says where a program failed.
func (p *Program) failed(line *Line, err error) error {
	column := line.Column
	if placed, ok := errors.AsType[*placedError](err); ok {
		column = placed.column
	}
	failure := p.lineError(line, column, err.Error())
	failure.Err = err
	return failure
}

// step carries out one statement.
func (in *Interpreter) step(ctx context.Context, line Line) error {
	switch s := line.Statement.(type) {
	case Let:
		return in.let(s)
	case LetFrom:
		return in.letFrom(ctx, s)
	case Connect:
		return in.connect(ctx, s)
	case Show:
		data, err := in.showValues(s)
		return in.emit(line, data, err)
	case ShowList:
		if s.Verb == showVariables {
			return in.emit(line, in.showVariables(), nil)
		}
	}
	if err := in.connected(ctx); err != nil {
		return err
	}
	var came outcome
	err := in.env.During(ctx, line.Verb(), func(ctx context.Context) (err error) {
		came, err = in.perform(ctx, line.Statement)
		return err
	})
	if err == nil && came.into != nil {
		err = in.keep(came)
	}
	if came.note != "" {
		in.env.Note(came.note)
	}
	if came.quiet {
		return err
	}
	return in.emit(line, came.data, err)
}

// outcome is what a statement came to.
type outcome struct {
	// data is the result, kept in the variable into if that is not nil.
	data any
	into *Name
	// quiet says that the result is not told; note is what is told beside.
	quiet bool
	note  string
}

// perform carries out a statement that asks the host.
func (in *Interpreter) perform(ctx context.Context, s Statement) (outcome, error) {
	switch s := s.(type) {
	case CreateSpace:
		return in.createSpace(ctx, s)
	case UseSpaceNode:
		return in.useSpace(ctx, s)
	case ChangeAmenity:
		return in.changeAmenity(ctx, s)
	case RemoveSpace:
		return in.removeSpace(ctx, s)
	case InspectSpace:
		return in.inspectSpace(ctx, s)
	case UseAgentNode:
		return in.useAgent(ctx, s)
	case InspectMainNode:
		return in.inspectMain(ctx, s)
	case InspectAgent:
		return in.inspectAgent(ctx, s)
	case Send:
		return in.send(ctx, s)
	case Fetch:
		return in.fetch(ctx, s)
	case ShowList:
		return in.showList(ctx, s)
	}
	return outcome{}, fmt.Errorf("%s cannot be carried out", verbOf(s))
}

// reading is the outcome of a statement that only looks: it is told unless it
// goes into a variable.
func reading(data any, into *Name) outcome {
	return outcome{data: data, into: into, quiet: into != nil}
}

// keep puts a result into its variable, the phrase of a new space beside the
// fields that are told.
func (in *Interpreter) keep(o outcome) error {
	value, err := plainValue(o.data)
	if err != nil {
		return err
	}
	created, isCreated := o.data.(*Created)
	if object, ok := value.(map[string]any); ok && isCreated {
		object[phraseField] = created.Phrase
	}
	in.vars[o.into.Text] = value
	return nil
}

// emit tells a result, also where something failed after it.
func (in *Interpreter) emit(line Line, data any, err error) error {
	if data == nil && err != nil {
		return err
	}
	return errors.Join(err, in.env.Emit(Result{Line: line.Number, Verb: line.Verb(), Data: data}))
}

// connect chooses a host.
func (in *Interpreter) connect(ctx context.Context, s Connect) error {
	var target Target
	var err error
	if s.Server != nil {
		target.Server, err = in.text(s.Server)
	} else if s.Context != nil {
		target.Context, err = in.text(s.Context)
	}
	if err != nil {
		return err
	}
	in.Close()
	return in.open(ctx, target)
}

// connected connects to the default host where no statement did.
func (in *Interpreter) connected(ctx context.Context) error {
	if in.host != nil {
		return nil
	}
	return in.open(ctx, Target{})
}

// open connects, and asks the host for its session to see that it is there and
// knows the main node.
func (in *Interpreter) open(ctx context.Context, target Target) error {
	host, err := in.env.Connect(ctx, target)
	if err != nil {
		return err
	}
	err = in.env.During(ctx, "CONNECT", func(ctx context.Context) error {
		_, err := host.Main().Session(ctx)
		return err
	})
	if err != nil {
		host.Close()
		return err
	}
	in.host = host
	note := "Connected to " + host.Server()
	if host.Context() != "" {
		note += " with the context " + host.Context()
	}
	in.env.Note(note + ".")
	return nil
}

// value is what an operand stands for.
func (in *Interpreter) value(o *Operand) (any, error) {
	if o.Variable == "" {
		return string(o.Text), nil
	}
	name, path := o.Variable.split()
	value, set := in.vars[name]
	if !set {
		return nil, at(o, fmt.Errorf("there is no variable $%s", name))
	}
	found, err := field(name, value, path)
	return found, at(o, err)
}

// text is what an operand stands for where a text is needed that anybody may
// see. nil is "".
func (in *Interpreter) text(o *Operand) (string, error) {
	if o == nil {
		return "", nil
	}
	value, err := in.value(o)
	if err != nil {
		return "", err
	}
	result, err := text(string(o.Variable), value)
	return result, at(o, err)
}

// wanted is an operand and where its text goes.
type wanted struct {
	from *Operand
	to   *string
}

// texts are several operands.
func (in *Interpreter) texts(list ...wanted) (err error) {
	for _, one := range list {
		if *one.to, err = in.text(one.from); err != nil {
			return err
		}
	}
	return nil
}

// phrase is what an operand stands for where a passphrase is needed.
func (in *Interpreter) phrase(o *Operand) (protocol.Secret, error) {
	value, err := in.value(o)
	if err != nil {
		return protocol.Secret{}, err
	}
	secret, ok := value.(protocol.Secret)
	if !ok {
		plain, err := text(string(o.Variable), value)
		if err != nil {
			return protocol.Secret{}, at(o, err)
		}
		secret = protocol.NewSecret(plain)
		if name, path := o.Variable.split(); name != "" && len(path) == 0 {
			// From now on it is not shown, whatever it was before.
			in.vars[name] = secret
		}
	}
	phrase, err := creds.ParsePhrase(secret.Reveal())
	if err != nil {
		return protocol.Secret{}, at(o, fmt.Errorf("the passphrase: %w", err))
	}
	return phrase, nil
}
