package sdk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/playctl/playctl/protocol"
)

// ErrChatToolMissing is returned for a list of tools without `chat_tool`.
var ErrChatToolMissing = errors.New("the tools lack " + protocol.ChatTool + ", which every agent must have")

// FrameworkRegistration is the checked list of an agent's tools, with those that
// people may call. It is immutable.
type FrameworkRegistration struct {
	framework string
	names     []string
	assist    []protocol.AssistTool
	// index has the position of each assist tool in assist.
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

// Framework returns the framework's name.
func (r *FrameworkRegistration) Framework() string { return r.framework }

// ToolNames returns the names of all tools, in their order.
func (r *FrameworkRegistration) ToolNames() []string { return slices.Clone(r.names) }

// AssistTools returns the tools that people may call, in their order.
func (r *FrameworkRegistration) AssistTools() []protocol.AssistTool { return slices.Clone(r.assist) }

// AssistTool returns the tool with a name that people may call; false if there is
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

// within checks that a text is not empty and not too long.
func within(what, text string, limit int) error {
	if protocol.TrimSpace(text) == "" {
		return fmt.Errorf("%s is empty", what)
	}
	if n := utf8.RuneCountInString(text); n > limit {
		return fmt.Errorf("%s has %d characters, at most %d are allowed", what, n, limit)
	}
	return nil
}

// ParameterType is the type of a tool's parameter, as JSON Schema names it.
type ParameterType string

// The types of parameters.
const (
	TypeString  ParameterType = "string"
	TypeNumber  ParameterType = "number"
	TypeInteger ParameterType = "integer"
	TypeBoolean ParameterType = "boolean"
	TypeObject  ParameterType = "object"
	TypeArray   ParameterType = "array"
)

// Tool is a tool of an agent.
type Tool struct {
	// Name is the tool's name. Every agent has `chat_tool`, and people may call tools
	// whose names start with `assist_`.
	Name string
	// Description says what the tool does; people see the descriptions of assist tools.
	Description string
	// Parameters are the arguments of an assist tool, in the order of the form for
	// people.
	Parameters []Parameter
	// Schema is a JSON Schema object in place of Parameters, for tools that have one
	// already; empty or null for none. The form for people has its properties in their
	// written order.
	Schema json.RawMessage
}

// Parameter is one parameter of a tool.
type Parameter struct {
	Name        string
	Type        ParameterType
	Description string
	// Optional reports whether the parameter may be omitted.
	Optional bool
	// Enum lists the allowed values of a TypeString; empty for any.
	Enum []string
}

// schema returns a tool's parameters as a JSON Schema object.
func (t *Tool) schema() (json.RawMessage, error) {
	if len(t.Schema) > 0 && string(t.Schema) != "null" {
		return t.ownSchema()
	}
	type property struct {
		Type        ParameterType `json:"type"`
		Description string        `json:"description,omitempty"`
		Enum        []string      `json:"enum,omitempty"`
		Order       *int          `json:"x-order,omitempty"`
	}
	object := struct {
		Type       string              `json:"type"`
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required,omitempty"`
	}{Type: string(TypeObject), Properties: map[string]property{}}
	for i := range t.Parameters {
		p := &t.Parameters[i]
		if err := p.check(); err != nil {
			return nil, t.wrong("parameter %d: %w", i, err)
		}
		if _, twice := object.Properties[p.Name]; twice {
			return nil, t.wrong("two parameters have the name %q", p.Name)
		}
		one := property{Type: p.Type, Description: p.Description, Enum: p.Enum}
		if len(t.Parameters) > 1 {
			// Rows are canonical JSON, which sorts names.
			one.Order = &i
		}
		object.Properties[p.Name] = one
		if !p.Optional {
			object.Required = append(object.Required, p.Name)
		}
	}
	text, err := json.Marshal(object)
	if err != nil {
		return nil, t.wrong("its parameters cannot be encoded: %w", err)
	}
	return text, nil
}

// ownSchema checks and returns the tool's own Schema.
func (t *Tool) ownSchema() (json.RawMessage, error) {
	if len(t.Parameters) > 0 {
		return nil, t.wrong("it has Parameters and a Schema: set one of them")
	}
	if !json.Valid(t.Schema) {
		return nil, t.wrong("its Schema is not JSON")
	}
	schema, err := checkedSchema(bytes.Clone(t.Schema))
	if err != nil {
		return nil, t.wrong("its Schema %w", err)
	}
	return schema, nil
}

func (t *Tool) wrong(format string, args ...any) error {
	return fmt.Errorf("the tool %q: "+format, append([]any{t.Name}, args...)...)
}

func (p *Parameter) check() error {
	if p.Name == "" {
		return fmt.Errorf("its name is empty")
	}
	switch p.Type {
	case TypeString:
	case TypeNumber, TypeInteger, TypeBoolean, TypeObject, TypeArray:
		if len(p.Enum) > 0 {
			return fmt.Errorf("%q is of type %s and has an Enum, which is for strings", p.Name, p.Type)
		}
	default:
		return fmt.Errorf("%q has the type %q, which must be string, number, integer, boolean, object or array", p.Name, p.Type)
	}
	return nil
}
