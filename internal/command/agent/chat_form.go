package agent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// mostFields limits the number of values that a form prompts for.
const mostFields = 100

// field is one argument of a tool.
type field struct {
	name, kind, description string
	enum                    []string
	required                bool
	// nullable is set for a required value that may be null, for which an empty answer
	// stands.
	nullable bool
	// order is the position that the schema gives it, infinite if it gives none.
	order float64
}

// form prompts for the arguments of a tool, one after the other.
type form struct {
	tool   string
	fields []field
	next   int
	args   map[string]any
}

// formOf returns the form for a tool's schema: the properties of an object, in the order
// of the schema, then required ones before the others. For a property of an unknown type
// the form prompts for JSON.
func formOf(tool *protocol.AssistTool) *form {
	var schema struct {
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required"`
	}
	f := &form{tool: tool.Name, args: map[string]any{}}
	if json.Unmarshal(tool.Parameters, &schema) != nil {
		return f
	}
	for name := range schema.Properties {
		plain := schema.Properties[name]
		nullable := plain.withoutNull()
		needed := slices.Contains(schema.Required, name)
		one := field{name: name, description: plain.Description, required: needed && !nullable, nullable: needed && nullable}
		if json.Unmarshal(plain.Type, &one.kind) != nil {
			one.kind = "JSON"
		}
		for _, value := range plain.Enum {
			var text string
			if json.Unmarshal(value, &text) != nil {
				text = string(value)
			}
			one.enum = append(one.enum, text)
		}
		if json.Unmarshal(plain.Order, &one.order) != nil {
			one.order = math.Inf(1)
		}
		f.fields = append(f.fields, one)
	}
	rank := map[bool]int{true: 0, false: 1}
	slices.SortFunc(f.fields, func(a, b field) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(rank[a.required], rank[b.required]), cmp.Compare(a.name, b.name))
	})
	f.fields = f.fields[:min(len(f.fields), mostFields)]
	return f
}

// property is the schema of one value. Alternatives are parsed separately, because a
// schema may also be true.
type property struct {
	Type        json.RawMessage   `json:"type"`
	Description string            `json:"description"`
	Enum        []json.RawMessage `json:"enum"`
	AnyOf       json.RawMessage   `json:"anyOf"`
	OneOf       json.RawMessage   `json:"oneOf"`
	Order       json.RawMessage   `json:"x-order"`
}

// withoutNull removes null from the alternatives of a value, if one other remains, and
// reports whether null is allowed: as one of several types, or of several schemas.
func (p *property) withoutNull() (nullable bool) {
	for _, text := range []json.RawMessage{p.AnyOf, p.OneOf} {
		var all []property
		if json.Unmarshal(text, &all) != nil {
			continue
		}
		count := len(all)
		all = slices.DeleteFunc(all, func(one property) bool { return isNull(one.Type) })
		nullable = nullable || len(all) < count
		if nullable && len(all) == 1 {
			only := &all[0]
			only.withoutNull()
			only.Description, only.Order = cmp.Or(p.Description, only.Description), p.Order
			*p = *only
			return true
		}
	}
	var types []json.RawMessage
	if json.Unmarshal(p.Type, &types) != nil {
		return nullable
	}
	count := len(types)
	types = slices.DeleteFunc(types, isNull)
	if len(types) == 1 {
		p.Type = types[0]
	}
	p.Enum = slices.DeleteFunc(p.Enum, func(value json.RawMessage) bool { return string(value) == "null" })
	return nullable || len(types) < count
}

// isNull reports whether a type is that of null alone.
func isNull(name json.RawMessage) bool { return string(name) == `"null"` }

// question returns the prompt for a value.
func (f *field) question() string {
	text := f.summary("may be empty")
	if f.description != "" {
		text += ": " + f.description
	}
	return render.Clean(text)
}

// summary returns the name of a value and what it may be; optional is the word for one that
// is not required.
func (f *field) summary(optional string) string {
	about := []string{f.kind}
	if len(f.enum) > 0 {
		about = []string{strings.Join(f.enum, " or ")}
	}
	if !f.required {
		about = append(about, optional)
	}
	return fmt.Sprintf("%s (%s)", f.name, strings.Join(about, ", "))
}

// value parses the text that was typed for a field; ok is false for an optional field
// without a text, and the value is null for a nullable one.
func (f *field) value(text string) (value any, ok bool, err error) {
	switch {
	case text == "" && f.required:
		return nil, false, fmt.Errorf("%s is required", f.name)
	case text == "":
		return nil, f.nullable, nil
	case len(f.enum) > 0 && !slices.Contains(f.enum, text):
		return nil, false, fmt.Errorf("%s must be one of %s", f.name, strings.Join(f.enum, ", "))
	}
	switch f.kind {
	case "string":
		return text, true, nil
	case "boolean":
		value, err = strconv.ParseBool(text)
		if err != nil {
			return nil, false, fmt.Errorf("%s must be true or false", f.name)
		}
		return value, true, nil
	}
	// Numbers keep the typed digits, and any other value is JSON.
	var raw json.RawMessage
	number := f.kind == "number" || f.kind == "integer"
	if json.Unmarshal([]byte(text), &raw) != nil || number && strings.Trim(text, "+-.eE0123456789") != "" || f.kind == "integer" && strings.ContainsAny(text, ".eE") {
		return nil, false, fmt.Errorf("%s is not a valid %s", f.name, cmp.Or(f.kind, "JSON value"))
	}
	return raw, true, nil
}

// fill reads the text that was typed for the current field.
func (m *chatModel) fill(text string) tea.Cmd {
	f := &m.form.fields[m.form.next]
	value, ok, err := f.value(text)
	if err != nil {
		return m.failed(err)
	}
	if ok {
		m.form.args[f.name] = value
	}
	m.form.next++
	return tea.Sequence(m.echo("  "+render.Clean(f.name)+": "+render.Clean(text)), m.proceed())
}

// proceed prompts for the next value, or calls the tool.
func (m *chatModel) proceed() tea.Cmd {
	if m.form.next < len(m.form.fields) {
		f := &m.form.fields[m.form.next]
		m.input.Prompt = render.Clean(f.name) + ": "
		return m.print(m.said("  ", f.question()))
	}
	args, err := json.Marshal(m.form.args)
	tool := m.form.tool
	m.endForm()
	if err != nil {
		return m.failed(err)
	}
	m.begin(sdk.IntercomQuestion{To: m.ref.ID, Tool: tool, Args: args})
	return nil
}

// endForm returns to the prompt of the chat.
func (m *chatModel) endForm() {
	m.form = nil
	m.input.Reset()
	m.input.Prompt = "> "
}
