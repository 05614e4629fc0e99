package sdk

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// AgentOption sets a function or property of an agent; see [RemotePlayWorld.Agent].
type AgentOption func(*agentProgram)

// agentProgram holds the functions of an agent.
type agentProgram struct {
	chat    func(ctx context.Context, text string) (string, error)
	tools   []programTool
	options AgentOptions
	onError func(error)
	// redact is nil if nothing is recorded.
	redact func(protocol.JourneyStep) (protocol.JourneyStep, bool)
	// wrong is the error with which Agent refuses the options.
	wrong error
}

// programTool is a tool with its function.
type programTool struct {
	Tool

	run func(ctx context.Context, args []byte) (any, error)
}

// Chat sets the function that answers texts to the agent. The text that it returns is the answer; an
// empty one stands for all parts that it sent with [Stream]. An agent without Chat answers that it
// does not chat.
func Chat(answer func(ctx context.Context, text string) (string, error)) AgentOption {
	return func(p *agentProgram) {
		if answer == nil {
			p.refuse(errors.New("sdk.Chat has no function"))
		}
		p.chat = answer
	}
}

// Func adds a tool that people may call, under its name with the prefix `assist_`,
// which is added if it is missing.
//
// In is a struct, whose exported fields are the arguments that people fill in, in their
// order, under their names in JSON. A pointer and a field with `omitempty` or `omitzero`
// may be left out or null; `jsonschema:"…"` describes a field, and `enum:"a,b"` lists what a
// text, or each text of a list, may be. A [time.Time] is a date and time, and so is a
// text with `format:"date-time"`; with `format:"date"` it is a date. Arguments of
// another form are refused before do is called. A struct without fields takes no
// arguments.
//
// A text that do returns is the message of the answer, a struct or map its result,
// an [IntercomAnswer] both; any other value becomes a message in JSON. Nil, an
// empty text and an empty struct stand for the parts that it sent with [Stream].
//
// The developer gets the whole error (see [OnError]), and the asker learns only that
// something went wrong; the text of an error of [ToolErrorf] is for the asker.
func Func[In, Out any](name, description string, do func(ctx context.Context, in In) (Out, error)) AgentOption {
	return func(p *agentProgram) {
		tool, err := newProgramTool(name, description, do)
		if err != nil {
			p.refuse(err)
			return
		}
		p.tools = append(p.tools, tool)
	}
}

// With sets the other options of an agent, such as its credentials. Name and
// Tools are left empty: they are those of [RemotePlayWorld.Agent].
func With(options AgentOptions) AgentOption {
	return func(p *agentProgram) {
		if options.Name != "" || options.Tools != nil {
			p.refuse(errors.New("sdk.With: Name is the argument of Agent, and Tools are made of sdk.Chat and sdk.Func: leave both empty"))
		}
		p.options = options
	}
}

// OnError sets the function that is called for errors of the agent's functions, one call at
// a time. It must not close the world. Without it errors are logged to the world's Logger as
// warnings.
func OnError(report func(error)) AgentOption {
	return func(p *agentProgram) { p.onError = report }
}

func (p *agentProgram) refuse(err error) { p.wrong = errors.Join(p.wrong, err) }

// Agent puts an agent on the map with its functions:
//
//	ada, err := world.Agent(ctx, "Ada", sdk.Chat(answer), sdk.Func("book", "Books a table", book))
//
// Its agent node is created if there is none. Unless [With] sets its id or credentials,
// the same name is the same agent of the account in every run and in every SDK. It
// leaves the map when ctx ends, with [Agent.Disconnect] and with the world: calls of its
// functions are then ended and answered as `failed`.
//
// Its functions are called from several goroutines, with contexts that end when no
// answer is needed any more, and from which [CallOf] returns the question.
func (w *RemotePlayWorld) Agent(ctx context.Context, name string, options ...AgentOption) (*Agent, error) {
	p := &agentProgram{}
	for i, option := range options {
		if option == nil {
			return nil, fmt.Errorf("the agent %q: option %d is nil", name, i+1)
		}
		option(p)
	}
	if p.wrong != nil {
		return nil, fmt.Errorf("the agent %q: %w", name, p.wrong)
	}
	if err := within("the agent's name", name, protocol.MaxNameChars); err != nil {
		return nil, err
	}
	row := p.options
	row.Name = name
	var err error
	if row.Tools, err = p.registration(); err != nil {
		return nil, fmt.Errorf("the agent %q: %w", name, err)
	}
	if err := w.identify(ctx, &row); err != nil {
		return nil, fmt.Errorf("create the node of the agent %q: %w", name, err)
	}
	agent, err := w.programs.add(ctx, &row, p)
	if err != nil {
		return nil, err
	}
	w.leaveWith(ctx, agent)
	return agent, nil
}

// registration returns the agent's tools. The default type is `go`.
func (p *agentProgram) registration() (*FrameworkRegistration, error) {
	tools := []Tool{{Name: protocol.ChatTool}}
	for i := range p.tools {
		tools = append(tools, p.tools[i].Tool)
	}
	return NewFrameworkRegistration(cmp.Or(p.options.Type, "go"), tools...)
}

// tool returns the tool with a name; nil if there is none.
func (p *agentProgram) tool(name string) *programTool {
	at := slices.IndexFunc(p.tools, func(tool programTool) bool { return tool.Name == name })
	if at < 0 {
		return nil
	}
	return &p.tools[at]
}

func assistName(name string) string {
	if strings.HasPrefix(name, protocol.AssistToolPrefix) {
		return name
	}
	return protocol.AssistToolPrefix + name
}

// identify sets an agent's credentials if its options have none, and creates its node.
func (w *RemotePlayWorld) identify(ctx context.Context, o *AgentOptions) error {
	switch {
	case o.Credentials != nil || o.AgentID != "":
	case w.named[o.Name] != nil:
		o.Credentials = w.named[o.Name]
	case len(w.agentNodes) > 0:
		return fmt.Errorf("%w: there are none for an agent %q, and none for its account, which could create it", ErrCredentials, o.Name)
	case w.main.IsZero():
		o.AgentID = rand.Text()
	default:
		own, err := w.ownNode(ctx, o.Name)
		if err != nil {
			return err
		}
		o.Credentials = own
	}
	if o.Credentials == nil || w.main.IsZero() {
		return nil
	}
	own := *o.Credentials
	own.NodeID = cmp.Or(own.NodeID, o.AgentID)
	err := w.CreateAgentNode(ctx, &own)
	if protocol.HasCode(err, protocol.CodeNodeExists) {
		return nil
	}
	return err
}

// ownNode returns the credentials that follow from an agent's name and the account's
// secret, as the other SDKs derive them. They do not reveal the account's secret.
func (w *RemotePlayWorld) ownNode(ctx context.Context, name string) (*NodeCredentials, error) {
	host, err := during(ctx, w, w.client.Bootstrap)
	if err != nil {
		return nil, err
	}
	node := NodeCredentials{RootKey: host.RootKey, PasswHash: creds.NamedAgentHash(w.main.Hash, name).Secret}
	resolved, err := node.resolve()
	if err != nil {
		return nil, err
	}
	return &NodeCredentials{NodeID: resolved.NodeID, PasswHash: node.PasswHash}, nil
}

// leaveWith removes an agent from the map when a context ends.
func (w *RemotePlayWorld) leaveWith(ctx context.Context, a *Agent) {
	if ctx.Done() == nil {
		return
	}
	w.start(func() {
		select {
		case <-a.leaving.Done():
			return
		case <-ctx.Done():
		}
		leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), disconnectTimeout)
		defer cancel()
		if err := a.Disconnect(leaving); err != nil {
			w.warn("an agent could not be removed from the map; it stays until its lease expires", "agentId", a.PlayerID(), "reason", err)
		}
	})
}

// sourceFor returns the client whose stream has an agent's questions.
func (w *RemotePlayWorld) sourceFor(a *Agent) *client.Client {
	if w.main.IsZero() && a.request.AgentID == a.client.Node() {
		return a.client
	}
	return w.client
}
