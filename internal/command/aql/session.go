package aql

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/playctl/playctl/internal/aql"
	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// session runs programs, one after the other: variables, the connection and the nodes in
// use persist between them.
type session struct {
	*command.App
	flags *aqlFlags
	// collects says that results are collected in items for one document at the end.
	collects bool
	items    []item
	vars     map[string]any
	// host is the run for the host of the connection, without secrets from the environment
	// that are for another host; without a connection it is the run itself.
	host *command.App
	// who is the caller at that host; main is the client that calls as its main node, or
	// without credentials if it has none. Both are nil until a statement needs the host.
	caller *command.Caller
	main   *client.Client
	// space and agent are the nodes in use; nil for none.
	space *usedSpace
	agent *usedAgent
}

// newSession returns a session with variables, whose texts are not secret.
func newSession(a *command.App, flags *aqlFlags, variables map[string]string) *session {
	s := &session{App: a, host: a, flags: flags, collects: true, items: []item{}, vars: map[string]any{}}
	for name, text := range variables {
		s.vars[name] = text
	}
	return s
}

// close ends the connection.
func (s *session) close() {
	if s.main != nil {
		s.main.Close()
	}
	s.host, s.caller, s.main, s.space, s.agent = s.App, nil, nil, nil, nil
}

// scope returns the scope of the next statement.
func (s *session) scope() aql.Scope {
	scope := aql.Scope{Variables: map[string]aql.Secrecy{}, Space: s.space != nil, Agent: s.agent != nil}
	for name, value := range s.vars {
		scope.Variables[name] = secrecyOf(value)
	}
	return scope
}

// variables lists the variables that are set, by name.
func (s *session) variables() []string { return slices.Sorted(maps.Keys(s.vars)) }

// check returns the errors of a program and prints its warnings.
func (s *session) check(p *aql.Program) error {
	warnings, err := p.Check(s.scope())
	for _, warning := range warnings {
		s.Warn(warning.Error(), "")
	}
	return err
}

// run checks a program and runs it up to the first statement that fails. For an invalid
// program it returns aql.LineErrors, and nothing was done; for a failure it returns an
// *aql.LineError with the cause.
func (s *session) run(ctx context.Context, p *aql.Program) error {
	if err := s.check(p); err != nil {
		return err
	}
	for i := range p.Lines {
		line := &p.Lines[i]
		if line.Statement == nil {
			continue
		}
		if err := s.step(ctx, line); err != nil {
			column := line.Column
			if placed, ok := errors.AsType[*placedError](err); ok {
				column = placed.column
			}
			return p.Failure(line, column, err)
		}
	}
	return nil
}

// placedError is an error with the column of its operand.
type placedError struct {
	error
	column int
}

func (e *placedError) Unwrap() error { return e.error }

// at adds the column of an operand to an error.
func at(o *aql.Operand, err error) error {
	if err == nil || o == nil {
		return err
	}
	return &placedError{err, o.Pos.Column}
}

// outcome is the result of a statement.
type outcome struct {
	// data is the result for programs, views are for people. A statement without views shows
	// no result.
	data  any
	views []render.View
	// into is the variable for the result, with the phrase of a new space.
	into   *aql.Name
	phrase protocol.Secret
	// note is printed in addition to the result.
	note string
}

// reading returns the outcome of a statement that only reads: it is shown unless it is
// assigned to a variable.
func reading(into *aql.Name, data any, views ...render.View) (*outcome, error) {
	if into != nil {
		views = nil
	}
	return &outcome{data: data, views: views, into: into}, nil
}

// step runs one statement.
func (s *session) step(ctx context.Context, line *aql.Line) error {
	var came *outcome
	var err error
	switch st := line.Statement.(type) {
	case aql.Let:
		return s.let(st)
	case aql.LetFrom:
		return s.letFrom(ctx, st)
	case aql.Connect:
		return s.connect(ctx, st)
	case aql.Show:
		came, err = s.show(st)
	default:
		if line.Verb() == "SHOW VARIABLES" {
			came = s.showVariables()
			break
		}
		if err := s.connected(ctx); err != nil {
			return err
		}
		err = s.during(ctx, line.Verb(), func(ctx context.Context) (err error) {
			came, err = s.perform(ctx, st)
			return s.host.Hinted(ctx, err)
		})
	}
	if came == nil {
		return err
	}
	if err == nil && came.into != nil {
		err = s.keep(came)
	}
	if came.note != "" {
		s.Note("%s", render.Clean(came.note))
	}
	if came.views == nil {
		return err
	}
	return errors.Join(err, s.emit(line, came))
}

// perform runs a statement that sends requests to the host.
func (s *session) perform(ctx context.Context, st aql.Statement) (*outcome, error) {
	switch st := st.(type) {
	case aql.CreateSpace:
		return s.createSpace(ctx, st)
	case aql.UseSpaceNode:
		return s.useSpace(ctx, st)
	case aql.ChangeAmenity:
		return s.changeAmenity(ctx, st)
	case aql.RemoveSpace:
		return s.removeSpace(ctx, st)
	case aql.InspectSpace:
		return s.inspectSpace(ctx, st)
	case aql.UseAgentNode:
		return s.useAgent(ctx, st)
	case aql.InspectMainNode:
		return s.inspectMain(ctx, st)
	case aql.InspectAgent:
		return s.inspectAgent(ctx, st)
	case aql.Send:
		return s.send(ctx, st)
	case aql.Fetch:
		return s.fetch(ctx, st)
	case aql.ShowList:
		return s.showList(ctx, st)
	}
	return nil, fmt.Errorf("%T cannot be run", st)
}

// during runs the part of a statement that waits for the host: within --timeout, with a
// spinner.
func (s *session) during(ctx context.Context, verb string, work func(context.Context) error) error {
	ctx, cancel := s.Limited(ctx)
	defer cancel()
	return s.Waiting(verb+"…", func() error { return work(ctx) })
}

// keep assigns a result to its variable.
func (s *session) keep(came *outcome) error {
	text, err := json.Marshal(came.data)
	if err != nil {
		return fmt.Errorf("save the result in a variable: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return fmt.Errorf("save the result in a variable: %w", err)
	}
	if object, ok := value.(map[string]any); ok && !came.phrase.IsZero() {
		object[aql.PhraseField] = came.phrase
	}
	s.vars[came.into.Text] = value
	return nil
}

// item is the result of a statement for programs.
type item struct {
	Line      int    `json:"line"`      // the line of the statement, from 1
	Statement string `json:"statement"` // its first words, such as CREATE SPACE
	Result    any    `json:"result"`    // the result of the statement, in its own form: see docs/aql.md
}

// emit prints a result. For JSON and YAML the results of a program are one document, a
// list that finish prints; otherwise each result is printed immediately.
func (s *session) emit(line *aql.Line, came *outcome) error {
	result := item{Line: line.Number, Statement: line.Verb(), Result: came.data}
	if s.oneDocument() {
		s.items = append(s.items, result)
	} else if err := s.Printer.Item(render.Document{Data: result, Views: came.views}); err != nil {
		return err
	}
	if created, ok := came.data.(*created); ok {
		s.showPhrase(created, came.phrase)
	}
	return nil
}

func (s *session) oneDocument() bool {
	return s.collects && (s.Printer.Format == render.FormatJSON || s.Printer.Format == render.FormatYAML)
}

// finish prints the collected results.
func (s *session) finish() error {
	if !s.oneDocument() {
		return nil
	}
	return s.Printer.Print(render.Document{Data: s.items})
}

// connect selects a host: the named one, else the default one.
func (s *session) connect(ctx context.Context, st aql.Connect) error {
	server, err := s.text(st.Server)
	if err != nil {
		return err
	}
	contextName, err := s.text(st.Context)
	if err != nil {
		return err
	}
	s.close()
	return s.open(ctx, server, contextName)
}

// connected connects to the default host if no statement has connected.
func (s *session) connected(ctx context.Context) error {
	if s.main != nil {
		return nil
	}
	return s.open(ctx, "", "")
}

// open connects, and requests the session from the host to check that it is reachable and
// knows the main node.
func (s *session) open(ctx context.Context, server, contextName string) error {
	host, err := appFor(s.App, server, contextName)
	if err != nil {
		return err
	}
	caller, err := host.Caller()
	if err != nil {
		return host.Hinted(ctx, err)
	}
	main, err := host.Client(caller, caller.Reader())
	if err != nil {
		return host.Hinted(ctx, err)
	}
	err = s.during(ctx, "CONNECT", func(ctx context.Context) error {
		_, err := main.Session(ctx)
		return err
	})
	if err != nil {
		main.Close()
		return host.Hinted(ctx, err)
	}
	s.host, s.caller, s.main = host, caller, main
	note := "Connected to " + main.BaseURL()
	if caller.ContextName() != "" {
		note += " with the context " + caller.ContextName()
	}
	s.Note("%s", render.Clean(note+"."))
	return nil
}

// appFor returns the run for another host or context. A program that names another host
// gets the credentials of a context for that host, never those in the environment for the
// run's own host.
func appFor(a *command.App, server, contextName string) (*command.App, error) {
	if server == "" && contextName == "" {
		return a, nil
	}
	other := *a
	surroundings := *a.Program
	other.Program = &surroundings
	if contextName != "" {
		other.Settings.Context, other.Settings.Server = contextName, ""
	} else {
		parsed, err := creds.ParseServerURL(server)
		if err != nil {
			return nil, err
		}
		own, err := a.Caller()
		if err == nil && own.Server == parsed {
			return a, nil
		}
		other.Settings.Context, other.Settings.Server = "", parsed
	}
	surroundings.LookupEnv = func(name string) (string, bool) {
		switch name {
		case command.EnvNodeID, command.EnvPhrase, command.EnvPasswHash, command.EnvAPIKey, command.EnvRegistrationToken:
			return "", false
		}
		return a.Variable(name)
	}
	return &other, nil
}

// as returns a client that calls as the node with a phrase.
func (s *session) as(nodeID string, phrase protocol.Secret) (*client.Client, error) {
	if !protocol.ValidHex64(nodeID) {
		return nil, errors.New("it has no node of its own, so it takes no passphrase")
	}
	return s.main.As(client.Credentials{NodeID: nodeID, Hash: creds.HashPhrase(phrase.Reveal())}), nil
}
