package sdk

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/playctl/playctl/protocol"
)

// ErrChatToolMissing is returned for a list of tools without `chat_tool`.
var ErrChatToolMissing = errors.New("the tools lack " + protocol.ChatTool + ", which every agent must have")

// FrameworkRegistration is what an agent of some framework can do, checked: its
// tools, and among them those that people may call. It does not change.
type FrameworkRegistration struct {
	framework string
	names     []string
	assist    []protocol.AssistTool
	// index is where each assist tool is in assist.
	index map[string]int
}

// NewFrameworkRegistration checks a list of tools for an agent of a framework,
// such as "langchain": one of them must be `chat_tool` (ErrChatToolMissing), no
// two may have the same name, and the parameters of assist tools must be of
// known types. The limits are the protocol's.
func NewFrameworkRegistration(framework string, tools ...Tool) (*FrameworkRegistration, error) {
	r := &FrameworkRegistration{framework: framework, index: map[string]int{}}
	if err := within("the framework's name", framework, protocol.MaxTypeChars); err != nil {
		return nil, err
	}
	if len(tools) > protocol.MaxToolNames {
		return nil, fmt.Errorf("there are %d tools, at most %d are allowed", len(tools), protocol.MaxToolNames)
	}
	for i := range tools {
		if err := r.add(&tools[i]); err != nil {
			return nil, err
		}
	}
	if !slices.Contains(r.names, protocol.ChatTool) {
		return nil, ErrChatToolMissing
	}
	return r, nil
}

func (r *FrameworkRegistration) add(t *Tool) error {
	if err := within("a tool's name", t.Name, protocol.MaxToolNameChars); err != nil {
		return err
	}
	if slices.Contains(r.names, t.Name) {
		return fmt.Errorf("two tools have the name %q", t.Name)
	}
	schema, err := t.schema()
	if err != nil {
		return err
	}
	r.names = append(r.names, t.Name)
	if strings.HasPrefix(t.Name, protocol.AssistToolPrefix) {
		r.index[t.Name] = len(r.assist)
		r.assist = append(r.assist, protocol.AssistTool{Name: t.Name, Description: t.Description, Parameters: schema})
	}
	return nil
}

// Framework is the framework's name.
func (r *FrameworkRegistration) Framework() string { return r.framework }

// ToolNames are the names of all tools, in their order.
func (r *FrameworkRegistration) ToolNames() []string { return slices.Clone(r.names) }

// AssistTools are the tools that people may call, in their order.
func (r *FrameworkRegistration) AssistTools() []protocol.AssistTool { return slices.Clone(r.assist) }

// AssistTool is the tool of that name that people may call; false if there is
// none.
func (r *FrameworkRegistration) AssistTool(name string) (protocol.AssistTool, bool) {
	at, ok := r.index[name]
	if !ok {
		return protocol.AssistTool{}, false
	}
	return r.assist[at], true
}

func (r *FrameworkRegistration) spec() protocol.AgentSpec {
	return protocol.AgentSpec{Type: r.framework, ToolNames: r.names, AssistTools: r.assist}
}

// within checks that a text is there and not too long.
func within(what, text string, limit int) error {
	if protocol.TrimSpace(text) == "" {
		return fmt.Errorf("%s is empty", what)
	}
	if n := utf8.RuneCountInString(text); n > limit {
		return fmt.Errorf("%s has %d characters, at most %d are allowed", what, n, limit)
	}
	return nil
}
