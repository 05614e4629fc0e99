package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/internal/suggest"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// LeastPrefix is the least number of digits that identify an agent by a prefix of its id.
const LeastPrefix = 4

// AgentRef is an agent that a command is about.
type AgentRef struct {
	ID    string
	Label string
	// Called is the name at the host, for an agent without a label.
	Called string
	// Node has the credentials for calls about the agent: its own if they are known, else
	// those of its main node.
	Node client.Credentials
	Own  bool
}

// Name returns the agent's label or name; if it has neither, its id as tables show it.
func (r AgentRef) Name() string { return cmp.Or(r.Label, r.Called, render.ShortID(r.ID)) }

// Credentials returns the agent's own credentials for the SDK, nil if they are not known.
func (r AgentRef) Credentials() *sdk.NodeCredentials {
	if !r.Own {
		return nil
	}
	return NodeCredentials(r.Node.NodeID, r.Node.Hash)
}

// ErrNoAgent is matched by the error of FindAgent if the account has no agent that fits.
var ErrNoAgent = errors.New("there is no agent")

// Seek selects the agents among which FindAgent searches.
type Seek int

const (
	// SeekOwn is for commands that act for an agent: those of the account.
	SeekOwn Seek = iota
	// SeekNew is SeekOwn for commands that follow the creation of the agent.
	SeekNew
	// SeekAny is for commands that other callers may use too: it adds every agent on the
	// map.
	SeekAny
)

// FindAgent finds the agent that a person named: by its label in the context, its name at
// the host, a prefix of its id, or its whole id, which is not looked up: a host without a
// repository accepts any id. A name or a prefix that fits several agents is an error,
// even if it is the name of one agent and a prefix of another's id: anybody can choose
// any name.
func (a *App) FindAgent(ctx context.Context, caller *Caller, ref string, seek Seek) (AgentRef, error) {
	if ref == "" {
		return AgentRef{}, Usagef("the agent's name is empty")
	}
	if found, known := caller.Known(ref); known {
		caller.acting = found.NodeID
		return knownRef(found), nil
	}
	id := protocol.NormalizeAgentID(ref)
	switch {
	case caller.AgentsOnly() && seek != SeekAny:
		return AgentRef{}, caller.unknownAgent(ref, seek)
	case protocol.ValidHex64(id):
		return a.named(ctx, caller, caller.refOf(id, ""), seek), nil
	case caller.Main.IsZero() && seek != SeekAny && !protocol.ValidID(id):
		return AgentRef{}, Usagef("%q cannot be an agent's id", creds.Shorten(ref))
	case caller.Main.IsZero() && seek != SeekAny:
		return caller.refOf(id, ""), nil
	}
	return Request(ctx, a, caller, caller.Reader(), "Looking for the agent", func(ctx context.Context, c *client.Client) (AgentRef, error) {
		return caller.lookUp(ctx, c, ref, seek)
	})
}

// CallerAndAgent is Caller for commands about an agent, which it finds as FindAgent does.
func (a *App) CallerAndAgent(ctx context.Context, name string, seek Seek) (*Caller, AgentRef, error) {
	caller, err := a.Caller()
	if err != nil {
		return nil, AgentRef{}, err
	}
	ref, err := a.FindAgent(ctx, caller, name, seek)
	return caller, ref, err
}

// named adds the label and the name at the host to an agent that was named by its whole
// id, if they may become its name on the map. On an error the agent stays as it is.
func (a *App) named(ctx context.Context, caller *Caller, ref AgentRef, seek Seek) AgentRef {
	if ref.Own || seek != SeekNew || caller.Main.IsZero() {
		return ref
	}
	_ = a.Call(ctx, caller, caller.Main, "Looking for the agent", func(ctx context.Context, c *client.Client) error {
		reply, err := c.Agents(ctx)
		if err != nil {
			return err
		}
		for _, agent := range reply.Agents {
			if agent.AgentID == ref.ID {
				ref.Label, ref.Called = agent.Label, agent.Name
			}
		}
		return nil
	})
	return ref
}

// lookUp finds an agent among those of the account and those on the map.
func (c *Caller) lookUp(ctx context.Context, host *client.Client, ref string, seek Seek) (AgentRef, error) {
	meant := meanings{ref: ref, owners: map[string]string{}, names: map[string]string{}}
	if !c.Main.IsZero() {
		reply, err := host.Agents(ctx)
		if err != nil {
			return AgentRef{}, err
		}
		for i := range reply.Agents {
			if a := &reply.Agents[i]; a.Label == ref {
				found := c.refOf(a.AgentID, a.Name)
				found.Label = a.Label
				return found, nil
			}
			meant.add(reply.Agents[i].AgentID, reply.Agents[i].Name, c.Main.NodeID)
		}
		if c.Context != nil {
			for _, agent := range c.Context.Agents() {
				meant.add(agent.NodeID, agent.Label, c.Main.NodeID)
			}
		}
	}
	own := len(meant.owners) > 0
	if !own || seek == SeekAny {
		rows, err := AgentsOnMap(ctx, host)
		if err != nil {
			return AgentRef{}, err
		}
		for _, row := range rows {
			meant.add(row.AgentID, row.Name, row.NodeID)
		}
	}
	return c.choose(&meant, own, seek)
}

// choose returns the one agent that a name fits, or an error if it fits none or several.
func (c *Caller) choose(meant *meanings, own bool, seek Seek) (AgentRef, error) {
	ref := meant.ref
	others := !own && len(meant.owners) > 0 && !c.Main.IsZero() && !slices.Contains(slices.Collect(maps.Values(meant.owners)), c.Main.NodeID)
	ids := slices.Sorted(maps.Keys(meant.owners))
	switch {
	case len(ids) > 1:
		return AgentRef{}, meant.several(ids)
	case others && seek != SeekAny:
		return AgentRef{}, Hintf(fmt.Errorf("%w %q in your account: it belongs to another account", ErrNoAgent, creds.Shorten(ref)), "\"playctl list-agent-nodes\" shows yours")
	case len(ids) == 0 && c.Reader().IsZero() && protocol.ValidID(protocol.NormalizeAgentID(ref)):
		return c.refOf(protocol.NormalizeAgentID(ref), ""), nil
	case len(ids) == 0:
		return AgentRef{}, c.unknownAgent(ref, seek)
	}
	return c.refOf(ids[0], meant.names[ids[0]]), nil
}

// meanings are the agents that fit a name or a prefix of an id, with their owners and
// names.
type meanings struct {
	ref           string
	owners, names map[string]string
}

func (m *meanings) add(id, name, owner string) {
	prefix := strings.ToLower(m.ref)
	if name != m.ref && (len(prefix) < LeastPrefix || !protocol.ValidHex64(id) || !strings.HasPrefix(id, prefix)) {
		return
	}
	m.owners[id] = owner
	if name != "" {
		m.names[id] = name
	}
}

func (m *meanings) several(ids []string) error {
	var which []string
	for _, id := range ids {
		which = append(which, fmt.Sprintf("%s of %s", render.ShortID(id), render.ShortID(m.owners[id])))
	}
	const most = 5
	if len(which) > most {
		which = append(which[:most], "and others")
	}
	return Hintf(Usagef("%q matches %d agents: %s", creds.Shorten(m.ref), len(ids), strings.Join(which, ", ")), "use the id, or more of its digits")
}

// Snapshot reads the whole world and returns it both as sent by the host and parsed.
func Snapshot(ctx context.Context, host *client.Client) (json.RawMessage, *protocol.Snapshot, error) {
	text, _, err := host.WorldSnapshot(ctx)
	if err != nil {
		return nil, nil, err
	}
	var snapshot protocol.Snapshot
	if err := protocol.Decode(text, &snapshot); err != nil {
		return nil, nil, fmt.Errorf("read the snapshot: %w", err)
	}
	return text, &snapshot, nil
}

// AgentsOnMap reads the agents' rows and omits those that cannot be read.
func AgentsOnMap(ctx context.Context, host *client.Client) ([]*protocol.Agent, error) {
	_, snapshot, err := Snapshot(ctx, host)
	if err != nil {
		return nil, err
	}
	var rows []*protocol.Agent
	for _, row := range client.Rows[*protocol.Agent](snapshot) {
		rows = append(rows, row)
	}
	return rows, nil
}

// AgentOnMap returns the row of an agent, nil if the agent is not on the map.
func AgentOnMap(ctx context.Context, host *client.Client, id string) (*protocol.Agent, error) {
	rows, err := AgentsOnMap(ctx, host)
	if i := slices.IndexFunc(rows, func(row *protocol.Agent) bool { return row.AgentID == id }); i >= 0 {
		return rows[i], nil
	}
	return nil, err
}

// Answering returns whether programs answer for agents, by the agents' ids; nil if the
// host does not support the request.
func Answering(ctx context.Context, host *client.Client, ids ...string) (map[string]protocol.AnsweringAgent, error) {
	reply, err := host.ListAnswering(ctx, ids...)
	if refused, ok := errors.AsType[*protocol.Error](err); ok && refused.Status() < http.StatusInternalServerError && ExitCode(err) == ExitFailed {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	found := map[string]protocol.AnsweringAgent{}
	for _, agent := range reply.Agents {
		found[agent.PlayerID] = agent
	}
	return found, nil
}

// refOf returns the agent with an id: from the context, else with its owner's
// credentials.
func (c *Caller) refOf(id, name string) AgentRef {
	if found, known := c.Known(id); known {
		return knownRef(found)
	}
	ref := AgentRef{ID: id, Called: name, Node: c.Reader()}
	if c.Service != protocol.ServicePlay && !c.Main.IsZero() {
		// The agent-play service identifies the owner by the hash, and the agent by the id.
		ref.Node.NodeID = id
	}
	return ref
}

func knownRef(agent creds.Agent) AgentRef {
	return AgentRef{
		ID: agent.NodeID, Label: agent.Label, Node: nodeOf(agent), Own: true,
	}
}

func (c *Caller) unknownAgent(ref string, seek Seek) error {
	var labels []string
	if c.Context != nil {
		for _, agent := range c.Context.Agents() {
			labels = append(labels, agent.Label)
		}
	}
	shown, valid := creds.Shorten(ref), creds.CheckLabel(ref) == nil
	err := fmt.Errorf("%w %q in your account", ErrNoAgent, shown)
	hint := "\"playctl list-agent-nodes\" shows yours"
	if c.AgentsOnly() {
		err = fmt.Errorf("%w %q in context %q", ErrNoAgent, shown, c.Context.Name)
		hint = fmt.Sprintf("the context has no account, only %s; on the machine with the account, \"playctl context export --encrypt --agent %s --file FILE\" "+
			"writes a context for here", strings.Join(labels, ", "), ShellWord(ref))
	}
	takes := flagsOfRun
	if c.AgentsOnly() {
		takes = flagsOfNobody
	}
	switch {
	case suggest.Nearest(ref, labels) != "":
		hint = fmt.Sprintf("did you mean %q?", suggest.Nearest(ref, labels))
	case seek == SeekAny:
		err = protocol.Errorf(protocol.CodePlayerUnknown, "there is no agent %q in your account or on the map", shown)
		hint = "\"playctl agent list\" lists the agents on the map"
		if valid {
			hint += fmt.Sprintf("; \"playctl agent run %s -- COMMAND\" adds one that answers", Operand(ref))
		}
	case seek == SeekNew && valid && !c.AgentsOnly():
		hint += fmt.Sprintf("; \"playctl create-agent-node %s\" creates one", Operand(ref))
	}
	return Missing(&hintedError{err, hint, takes})
}

// NameOf returns the label of an agent of the context, "" if it has none.
func (c *Caller) NameOf(id string) string {
	agent, _ := c.Known(id)
	return agent.Label
}

// LeaveTimeout limits the time to remove an agent from the map after Ctrl-C; if the host is
// unreachable, the lease expires.
const LeaveTimeout = 3 * time.Second

// NodeCredentials returns a node's id and hash as credentials for the SDK.
func NodeCredentials(id string, hash creds.PasswHash) *sdk.NodeCredentials {
	return &sdk.NodeCredentials{NodeID: id, PasswHash: hash.Secret}
}

// WorldOptions returns the SDK's options for a run that calls as the caller's nodes, or
// without one.
func (a *App) WorldOptions(caller *Caller) sdk.Options {
	options := sdk.Options{
		BaseURL: caller.Server, Service: caller.Service, APIKey: caller.APIKey, ReloadAPIKey: caller.ReloadAPIKey, NoAPIKey: true,
		CertificateFingerprint: caller.Fingerprint(), Timeout: a.Settings.Timeout,
		// Commands print messages of their own.
		Logger: slog.New(slog.DiscardHandler),
	}
	if !caller.Main.IsZero() {
		options.MainNodeCredentials = NodeCredentials(caller.Main.NodeID, caller.Main.Hash)
	}
	for _, agent := range caller.agentsOnly() {
		options.AgentCredentials = append(options.AgentCredentials, *NodeCredentials(agent.NodeID, agent.PasswHash))
	}
	return options
}
