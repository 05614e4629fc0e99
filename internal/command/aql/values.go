package aql

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/playctl/playctl/internal/aql"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// A value of a variable is a JSON value (nil, bool, json.Number, string, []any,
// map[string]any) or a protocol.Secret, which the others may contain.

// errSecretValue means that a value must not be shown or sent. Check finds nearly all of
// these errors before a program runs.
var errSecretValue = errors.New("this is a secret: it can only be used after PASSPHRASE")

// value returns the value of an operand.
func (s *session) value(o *aql.Operand) (any, error) {
	if o.Variable == "" {
		return string(o.Text), nil
	}
	name, path := o.Variable.Split()
	value, set := s.vars[name]
	if !set {
		return nil, at(o, fmt.Errorf("there is no variable $%s", name))
	}
	found, err := field(name, value, path)
	return found, at(o, err)
}

// field returns the field at a path. Its error names the actual value.
func field(name string, value any, path []string) (any, error) {
	at := "$" + name
	for _, key := range path {
		switch inside := value.(type) {
		case map[string]any:
			next, ok := inside[key]
			if !ok {
				return nil, fmt.Errorf("%s has no field %.40q: it has %s", at, key, fieldNames(inside))
			}
			value = next
		case []any:
			index, err := strconv.ParseUint(key, 10, 31)
			if err != nil || int(index) >= len(inside) {
				return nil, fmt.Errorf("%s is a list of %d: use a number from 0, not %.40q", at, len(inside), key)
			}
			value = inside[index]
		default:
			return nil, fmt.Errorf("%s has no fields, so there is no %.40q in it", at, key)
		}
		at += "." + key
	}
	return value, nil
}

func fieldNames(object map[string]any) string {
	if len(object) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(maps.Keys(object)), ", ")
}

// text returns the value of an operand as a text that is not secret. nil is "".
func (s *session) text(o *aql.Operand) (string, error) {
	if o == nil {
		return "", nil
	}
	value, err := s.value(o)
	if err != nil {
		return "", err
	}
	result, err := textOf(o, value)
	return result, at(o, err)
}

// textOf returns a value as a text.
func textOf(o *aql.Operand, value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case bool:
		return strconv.FormatBool(v), nil
	case protocol.Secret:
		return "", errSecretValue
	case map[string]any:
		return "", fmt.Errorf("$%s is not text: use one of its fields, %s", o.Variable, fieldNames(v))
	case []any:
		return "", fmt.Errorf("$%s is a list of %d, not text: use a number from 0 and a field", o.Variable, len(v))
	}
	return "", fmt.Errorf("$%s is empty", o.Variable)
}

// join joins the values of several operands to one text. hide replaces secrets; secret
// reports whether there was one.
func (s *session) join(operands []aql.Operand, hide func(protocol.Secret) string) (joined string, secret bool, err error) {
	var out strings.Builder
	for i := range operands {
		o := &operands[i]
		value, err := s.value(o)
		if err != nil {
			return "", false, err
		}
		if hidden, ok := value.(protocol.Secret); ok {
			secret = true
			out.WriteString(hide(hidden))
			continue
		}
		part, err := textOf(o, value)
		if err != nil {
			return "", false, at(o, err)
		}
		out.WriteString(part)
	}
	return out.String(), secret, nil
}

// let sets a variable. A single value keeps its type, several values are joined.
func (s *session) let(st aql.Let) error {
	var value any
	var err error
	if len(st.Values) == 1 {
		value, err = s.value(&st.Values[0])
	} else {
		joined, secret, failed := s.join(st.Values, protocol.Secret.Reveal)
		value, err = joined, failed
		if secret {
			value = protocol.NewSecret(joined)
		}
	}
	if err != nil {
		return err
	}
	s.vars[st.Name.Text] = value
	return nil
}

// letFrom sets a variable to a secret.
func (s *session) letFrom(ctx context.Context, st aql.LetFrom) error {
	operand := cmp.Or(st.Env, st.File, st.Question)
	from, err := s.text(operand)
	if err != nil {
		return err
	}
	var secret string
	switch {
	case st.Env != nil:
		if secret = s.Env(from); secret == "" {
			err = fmt.Errorf("the environment variable %s is not set", from)
		}
	case st.File != nil:
		var text []byte
		text, err = s.ReadText(from, command.MaxSecret)
		secret = strings.TrimRight(string(text), "\r\n")
	default:
		secret, err = s.Ask(ctx, cmp.Or(from, "Secret for $"+st.Name.Text+":"), true)
	}
	if err == nil && secret == "" {
		err = errors.New("the secret is empty")
	}
	if err != nil {
		return at(operand, err)
	}
	s.vars[st.Name.Text] = protocol.NewSecret(secret)
	return nil
}

// phrase returns the value of an operand as a passphrase.
func (s *session) phrase(o *aql.Operand) (protocol.Secret, error) {
	value, err := s.value(o)
	if err != nil {
		return protocol.Secret{}, err
	}
	secret, ok := value.(protocol.Secret)
	if !ok {
		plain, err := textOf(o, value)
		if err != nil {
			return protocol.Secret{}, at(o, err)
		}
		secret = protocol.NewSecret(plain)
		if name, path := o.Variable.Split(); name != "" && len(path) == 0 {
			// From now on it is a secret, whatever it was before.
			s.vars[name] = secret
		}
	}
	phrase, err := creds.ParsePhrase(secret.Reveal())
	if err != nil {
		return protocol.Secret{}, at(o, fmt.Errorf("the passphrase: %w", err))
	}
	return phrase, nil
}

// hidden returns a copy of a value with its secrets replaced.
func hidden(value any) any {
	switch v := value.(type) {
	case protocol.Secret:
		return v.String()
	case map[string]any:
		object := make(map[string]any, len(v))
		for key, inside := range v {
			object[key] = hidden(inside)
		}
		return object
	case []any:
		list := make([]any, len(v))
		for i, inside := range v {
			list[i] = hidden(inside)
		}
		return list
	}
	return value
}

// secrecyOf returns which parts of a value are secret.
func secrecyOf(value any) aql.Secrecy {
	switch v := value.(type) {
	case protocol.Secret:
		return aql.Secret
	case map[string]any:
		if _, ok := v[aql.PhraseField].(protocol.Secret); ok {
			return aql.WithPhrase
		}
	}
	return aql.Plain
}

// show shows values, without secrets: one as it is, several as one text.
func (s *session) show(st aql.Show) (*outcome, error) {
	var value any
	var err error
	if len(st.Values) == 1 {
		value, err = s.value(&st.Values[0])
	} else {
		value, _, err = s.join(st.Values, protocol.Secret.String)
	}
	if err != nil {
		return nil, err
	}
	value = hidden(value)
	return reading(nil, value, render.Text(command.ShownText(value)))
}

// variable is an entry of SHOW VARIABLES.
type variable struct {
	Name  string `json:"name"`  // the name of the variable
	Value any    `json:"value"` // its value; secrets are hidden
}

func (s *session) showVariables() *outcome {
	list := []variable{}
	table := render.Table{Columns: []render.Column{{Title: "variable"}, {Title: "value", Wraps: true}}, Empty: "No variable is set."}
	for _, name := range s.variables() {
		value := hidden(s.vars[name])
		list = append(list, variable{Name: name, Value: value})
		table.Rows = append(table.Rows, []string{"$" + name, oneLine(value)})
	}
	return &outcome{data: list, views: []render.View{table}}
}

// oneLine returns a value on one line.
func oneLine(value any) string {
	if shown, ok := value.(string); ok {
		return shown
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "a value that cannot be shown"
	}
	return string(text)
}
