package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/suggest"
	"github.com/playctl/playctl/protocol"
)

// leastPrefix is how many digits of an id are enough to mean it.
const leastPrefix = 4

// agentRef is an agent that a command is about.
type agentRef struct {
	id    string
	label string
	// node calls for it: its own credentials if they are known, else its main
	// node's.
	node client.Credentials
	own  bool
}

// name is what a person calls the agent.
func (r agentRef) name() string {
	if r.label != "" {
		return r.label
	}
	return r.id
}

// agent finds the agent that a person named: by its label, its id or the
// beginning of its id. A whole id need not be in the context; on a host without
// a repository any id will do.
func (c *caller) agent(ref string) (agentRef, error) {
	if c.context != nil {
		found, err := c.knownAgent(ref)
		if err != nil || found.id != "" {
			return found, err
		}
	}
	id := protocol.NormalizeAgentID(ref)
	if !creds.IsNodeID(id) && !c.main.IsZero() {
		return agentRef{}, c.unknownAgent(ref)
	}
	if !protocol.ValidID(id) {
		return agentRef{}, usagef("%q cannot be an agent's id", ref)
	}
	return agentRef{id: id, node: c.main}, nil
}

// knownAgent looks in the context; no id in the result means that there is none.
func (c *caller) knownAgent(ref string) (agentRef, error) {
	if found, err := c.context.Agent(ref); err == nil {
		return knownRef(found), nil
	}
	prefix := strings.ToLower(ref)
	if len(prefix) < leastPrefix || strings.Trim(prefix, "0123456789abcdef") != "" {
		return agentRef{}, nil
	}
	var matches []creds.Agent
	for _, agent := range c.context.Agents() {
		if strings.HasPrefix(agent.NodeID, prefix) {
			matches = append(matches, agent)
		}
	}
	switch len(matches) {
	case 0:
		return agentRef{}, nil
	case 1:
		return knownRef(matches[0]), nil
	}
	return agentRef{}, usagef("%q is the beginning of the ids of %d agents: give more digits", ref, len(matches))
}

func knownRef(agent creds.Agent) agentRef {
	return agentRef{
		id: agent.NodeID, label: agent.Label,
		node: client.Credentials{NodeID: agent.NodeID, Hash: agent.PasswHash}, own: true,
	}
}

func (c *caller) unknownAgent(ref string) error {
	err := errors.New("no agents are known here")
	if c.context == nil {
		return hintf(fmt.Errorf("there is no agent %q: %w", ref, err), "give its whole id, or make one with \"playctl create-agent-node\"")
	}
	var labels []string
	for _, agent := range c.context.Agents() {
		if agent.Label != "" {
			labels = append(labels, agent.Label)
		}
	}
	hint := fmt.Sprintf("make it with \"playctl create-agent-node %s\"", ref)
	if near := suggest.Nearest(ref, labels); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return hintf(fmt.Errorf("there is no agent %q in context %q", ref, c.context.Name), "%s", hint)
}

// nameOf is the label of an agent of the context, "" if it has none.
func (c *caller) nameOf(id string) string {
	if c.context == nil {
		return ""
	}
	agent, err := c.context.Agent(id)
	if err != nil {
		return ""
	}
	return agent.Label
}

// completeAgents offers the labels of the context's agents to the shell.
func (a *app) completeAgents() []string {
	who, err := a.caller()
	if err != nil || who.context == nil {
		return nil
	}
	var names []string
	for _, agent := range who.context.Agents() {
		if agent.Label != "" {
			names = append(names, agent.Label)
		}
	}
	return names
}
