package aql

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/playctl/playctl/protocol"
)

// let sets a variable. One value is kept as it is, several are joined.
func (in *Interpreter) let(s Let) error {
	if len(s.Values) == 1 {
		value, err := in.value(&s.Values[0])
		if err != nil {
			return err
		}
		in.vars[s.Name.Text] = value
		return nil
	}
	joined, secret, err := in.join(s.Values)
	if err != nil {
		return err
	}
	if secret {
		in.vars[s.Name.Text] = protocol.NewSecret(joined)
		return nil
	}
	in.vars[s.Name.Text] = joined
	return nil
}

// join makes one text of several operands, and says whether one was a secret.
func (in *Interpreter) join(operands []Operand) (joined string, secret bool, err error) {
	var out strings.Builder
	for i := range operands {
		o := &operands[i]
		value, err := in.value(o)
		if err != nil {
			return "", false, err
		}
		if hidden, ok := value.(protocol.Secret); ok {
			secret = true
			out.WriteString(hidden.Reveal())
			continue
		}
		part, err := text(string(o.Variable), value)
		if err != nil {
			return "", false, at(o, err)
		}
		out.WriteString(part)
	}
	return out.String(), secret, nil
}

// letFrom sets a variable to a secret.
func (in *Interpreter) letFrom(ctx context.Context, s LetFrom) error {
	operand := cmp.Or(s.Env, s.File, s.Question)
	from, err := in.text(operand)
	if err != nil {
		return err
	}
	var secret protocol.Secret
	switch {
	case s.Env != nil:
		if secret = in.env.Variable(from); secret.IsZero() {
			return at(operand, fmt.Errorf("the environment variable %s is not set", from))
		}
	case s.File != nil:
		secret, err = in.env.File(from)
	default:
		if from == "" {
			from = "Secret for $" + s.Name.Text + ":"
		}
		secret, err = in.env.Ask(ctx, from)
	}
	if err != nil {
		return at(operand, err)
	}
	if secret.IsZero() {
		return at(operand, errors.New("the secret is empty"))
	}
	in.vars[s.Name.Text] = secret
	return nil
}

func (in *Interpreter) showVariables() VariableList {
	list := VariableList{}
	for _, name := range in.Variables() {
		list = append(list, Variable{Name: name, Value: hidden(in.vars[name])})
	}
	return list
}

// showValues shows values.
func (in *Interpreter) showValues(s Show) (any, error) {
	if len(s.Values) == 1 {
		value, err := in.value(&s.Values[0])
		if err != nil {
			return nil, err
		}
		return Shown{hidden(value)}, nil
	}
	var out strings.Builder
	for i := range s.Values {
		o := &s.Values[i]
		value, err := in.value(o)
		if err != nil {
			return nil, err
		}
		part, err := text(string(o.Variable), hidden(value))
		if err != nil {
			return nil, at(o, err)
		}
		out.WriteString(part)
	}
	return Shown{out.String()}, nil
}
