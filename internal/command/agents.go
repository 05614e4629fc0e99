package command

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/suggest"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// LeastPrefix is how many digits of an id are enough to mean it.
const LeastPrefix = 4

// AgentRef is an agent that a command is about.
type AgentRef struct {
	ID    string
	Label string
	// Node calls for it: its own credentials if they are known, else its main
	// node's.
	Node client.Credentials
	Own  bool
}

// Name is what a person calls the agent.
func (r AgentRef) Name() string {
	if r.Label != "" {
		return r.Label
	}
	return r.ID
}

// Agent finds the agent that a person named: by its label, its id or the
// beginning of its id. A whole id need not be in the context; on a host without
// a repository any id will do.
func (c *Caller) Agent(ref string) (AgentRef, error) {
	if c.Context != nil {
		found, err := c.knownAgent(ref)
		if err != nil || found.ID != "" {
			return found, err
		}
	}
	id := protocol.NormalizeAgentID(ref)
	if !protocol.ValidHex64(id) && !c.Main.IsZero() {
		return AgentRef{}, c.unknownAgent(ref)
	}
	if !protocol.ValidID(id) {
		return AgentRef{}, Usagef("%q cannot be an agent's id", ref)
	}
	return AgentRef{ID: id, Node: c.Main}, nil
}

// knownAgent looks in the context; no id in the result means that there is none.
func (c *Caller) knownAgent(ref string) (AgentRef, error) {
	if found, err := c.Context.Agent(ref); err == nil {
		return knownRef(found), nil
	}
	prefix := strings.ToLower(ref)
	if len(prefix) < LeastPrefix || strings.Trim(prefix, "0123456789abcdef") != "" {
		return AgentRef{}, nil
	}
	var matches []creds.Agent
	for _, agent := range c.Context.Agents() {
		if strings.HasPrefix(agent.NodeID, prefix) {
			matches = append(matches, agent)
		}
	}
	switch len(matches) {
	case 0:
		return AgentRef{}, nil
	case 1:
		return knownRef(matches[0]), nil
	}
	return AgentRef{}, Usagef("%q is the beginning of the ids of %d agents: give more digits", ref, len(matches))
}

func knownRef(agent creds.Agent) AgentRef {
	return AgentRef{
		ID: agent.NodeID, Label: agent.Label,
		Node: client.Credentials{NodeID: agent.NodeID, Hash: agent.PasswHash}, Own: true,
	}
}

func (c *Caller) unknownAgent(ref string) error {
	err := errors.New("no agents are known here")
	if c.Context == nil {
		return Hintf(fmt.Errorf("there is no agent %q: %w", ref, err), "give its whole id, or make one with \"playctl create-agent-node\"")
	}
	var labels []string
	for _, agent := range c.Context.Agents() {
		if agent.Label != "" {
			labels = append(labels, agent.Label)
		}
	}
	hint := fmt.Sprintf("make it with \"playctl create-agent-node %s\"", ref)
	if near := suggest.Nearest(ref, labels); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return Hintf(fmt.Errorf("there is no agent %q in context %q", ref, c.Context.Name), "%s", hint)
}

// NameOf is the label of an agent of the context, "" if it has none.
func (c *Caller) NameOf(id string) string {
	if c.Context == nil {
		return ""
	}
	agent, err := c.Context.Agent(id)
	if err != nil {
		return ""
	}
	return agent.Label
}

// CompleteAgents offers the labels of the context's agents to the shell.
func (a *App) CompleteAgents() []string {
	who, err := a.Caller()
	if err != nil || who.Context == nil {
		return nil
	}
	var names []string
	for _, agent := range who.Context.Agents() {
		if agent.Label != "" {
			names = append(names, agent.Label)
		}
	}
	return names
}

// CompletesAgent completes the first argument with the labels of known agents.
func (a *App) CompletesAgent(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return a.CompleteAgents(), cobra.ShellCompDirectiveNoFileComp
}

// LeaveTimeout bounds how long taking an agent off the map may take after
// Ctrl-C; a host that is away ends its lease by itself.
const LeaveTimeout = 3 * time.Second

// NodeCredentials is a node's id and hash as the SDK takes them.
func NodeCredentials(id string, hash creds.PasswHash) *sdk.NodeCredentials {
	return &sdk.NodeCredentials{NodeID: id, PasswHash: hash.Secret}
}
