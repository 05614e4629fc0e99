package creds

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/playctl/playctl/protocol"
)

// maxLabel is the greatest length of a label in characters.
const maxLabel = 64

// Errors about the agents of a context.
var (
	// ErrAgentUnknown: no agent has that id or label.
	ErrAgentUnknown = errors.New("no such agent in this context")
	// ErrAgentExists: the context has an agent with that id already.
	ErrAgentExists = errors.New("this agent is already in the context")
	// ErrLabelTaken: another agent of the context has the label.
	ErrLabelTaken = errors.New("another agent of this context has this label")
	// ErrLabel: the text is not a valid label.
	ErrLabel = errors.New("a label is 1 to 64 characters that can be seen, without white space at its ends, does not look like a node id, and does not begin with " + protocol.PersonPrefix)
)

// Agent holds the credentials of an agent node.
type Agent struct {
	// NodeID is 64 lower-case hex digits; it is the agent's playerId too.
	NodeID string
	// Label is the user's own name for the agent, unique in its context; "" for
	// none.
	Label string
	// PasswHash authenticates the node.
	PasswHash PasswHash
	// Phrase is zero unless the user asked to keep it.
	Phrase protocol.Secret
	// CreatedAt is when the node was created or imported.
	CreatedAt time.Time

	extra jsontext.Value
}

// Agents returns the agents in the order in which they were added.
func (c *Context) Agents() []Agent { return slices.Clone(c.agents) }

// Agent returns the agent whose id or label is ref, or ErrAgentUnknown. An id
// is trimmed and lower-cased first.
func (c *Context) Agent(ref string) (Agent, error) {
	i, err := c.find(ref)
	if err != nil {
		return Agent{}, err
	}
	return c.agents[i], nil
}

// AddAgent adds an agent. The error is ErrAgentExists, ErrLabelTaken, ErrLabel
// or what is wrong with its credentials; then nothing has changed.
func (c *Context) AddAgent(a Agent) error {
	return c.setAgents(append(slices.Clone(c.agents), a))
}

func (c *Context) setAgents(agents []Agent) error {
	if err := checkAgents(agents); err != nil {
		return err
	}
	c.agents = agents
	return nil
}

// LabelAgent sets the label of the agent whose id or label is ref, or removes it
// with "". The error is ErrAgentUnknown, ErrLabelTaken or ErrLabel; then nothing
// has changed.
func (c *Context) LabelAgent(ref, label string) error {
	i, err := c.find(ref)
	if err != nil {
		return err
	}
	agents := slices.Clone(c.agents)
	agents[i].Label = label
	return c.setAgents(agents)
}

// ChosenLabels returns the agents whose labels a person chose: not the ones that
// ParseAgentPlay generates.
func (c *Context) ChosenLabels() []Agent {
	var chosen []Agent
	for i, a := range c.agents {
		if a.Label != "" && a.Label != importedLabel(i) {
			chosen = append(chosen, a)
		}
	}
	return chosen
}

// RemoveAgent removes the agent whose id or label is ref and returns it, or
// ErrAgentUnknown.
func (c *Context) RemoveAgent(ref string) (Agent, error) {
	i, err := c.find(ref)
	if err != nil {
		return Agent{}, err
	}
	removed := c.agents[i]
	c.agents = slices.Delete(slices.Clone(c.agents), i, i+1)
	return removed, nil
}

func (c *Context) find(ref string) (int, error) {
	id := protocol.NormalizeNodeID(ref)
	i := slices.IndexFunc(c.agents, func(a Agent) bool { return a.NodeID == id || a.Label != "" && a.Label == ref })
	if i < 0 {
		return 0, fmt.Errorf("%w: none has the id or label %q", ErrAgentUnknown, Shorten(ref))
	}
	return i, nil
}

// checkAgents returns what is wrong with the agents of one context.
func checkAgents(agents []Agent) error {
	ids, labels := map[string]bool{}, map[string]bool{}
	for i, a := range agents {
		if err := checkNode(a.NodeID, a.PasswHash, a.Phrase); err != nil {
			return fmt.Errorf("agent %d: %w", i+1, err)
		}
		if ids[a.NodeID] {
			return fmt.Errorf("agent %s: %w", a.NodeID, ErrAgentExists)
		}
		ids[a.NodeID] = true
		if a.Label == "" {
			continue
		}
		if !isLabel(a.Label) {
			return fmt.Errorf("agent %s: %w", a.NodeID, ErrLabel)
		}
		if labels[a.Label] {
			return fmt.Errorf("agent %s: label %q: %w", a.NodeID, a.Label, ErrLabelTaken)
		}
		labels[a.Label] = true
	}
	return nil
}

// CheckLabel checks a label before an agent is created for it. The error is
// ErrLabel, with the label.
func CheckLabel(text string) error {
	if !isLabel(text) {
		return fmt.Errorf("%q: %w", Shorten(text), ErrLabel)
	}
	return nil
}

// isLabel reports whether text can be a label. A text that could be an id cannot,
// so that a reference is unambiguous.
func isLabel(text string) bool {
	if text == "" || !utf8.ValidString(text) || utf8.RuneCountInString(text) > maxLabel {
		return false
	}
	if protocol.TrimSpace(text) != text || protocol.ValidHex64(protocol.NormalizeNodeID(text)) || protocol.IsPersonLabel(text) {
		return false
	}
	return protocol.ValidName(text)
}

// Shorten keeps an error readable when a whole file was given as a name.
func Shorten(text string) string {
	const limit = 80
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return string(runes[:limit]) + "…"
}

// name returns the agent's name for people.
func (a Agent) name() string { return cmp.Or(a.Label, a.NodeID) }
