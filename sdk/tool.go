package sdk

import (
	"bytes"
	"encoding/json"
	"fmt"
)

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

// Tool is something that an agent can do.
type Tool struct {
	// Name is the tool's; `chat_tool` is what every agent has, and tools whose
	// names start with `assist_` may be called by people.
	Name string
	// Description says what the tool does; people see that of assist tools.
	Description string
	// Parameters are what an assist tool takes, in order.
	Parameters []Parameter
	// Schema is a JSON Schema object in place of Parameters, for tools that have
	// one already.
	Schema json.RawMessage
}

// Parameter is one parameter of a tool.
type Parameter struct {
	Name        string
	Type        ParameterType
	Description string
	// Optional parameters may be left out.
	Optional bool
	// Enum lists what a TypeString may be; empty for anything.
	Enum []string
}

// schema gives a tool's parameters as a JSON Schema object.
func (t *Tool) schema() (json.RawMessage, error) {
	if len(t.Schema) > 0 {
		return t.ownSchema()
	}
	type property struct {
		Type        ParameterType `json:"type"`
		Description string        `json:"description,omitempty"`
		Enum        []string      `json:"enum,omitempty"`
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
		object.Properties[p.Name] = property{p.Type, p.Description, p.Enum}
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

// ownSchema checks the schema that a tool came with.
func (t *Tool) ownSchema() (json.RawMessage, error) {
	if len(t.Parameters) > 0 {
		return nil, t.wrong("it has Parameters and a Schema: set one of them")
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(t.Schema, &object); err != nil || object == nil {
		return nil, t.wrong("its Schema is not a JSON object")
	}
	return bytes.Clone(t.Schema), nil
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
		return fmt.Errorf("%q has the type %q, which is none of string, number, integer, boolean, object and array", p.Name, p.Type)
	}
	return nil
}
