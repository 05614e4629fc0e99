package stream

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/protocol"
)

// condition is the condition of --until: clauses that must all hold for one event. nil is
// no condition.
type condition []clause

// clause compares one field of an event with a value.
type clause struct {
	// field is "kind", "player", or the path of a field in the event's data.
	field    string
	operator string
	value    string
	// kind is the value if the field is "kind".
	kind protocol.EventKind
}

// operators are in the order of the search: longer ones first.
var operators = []string{"~=", "!=", ">=", "<=", "="}

// parseCondition parses a condition: clauses joined by commas. A clause is a kind of
// event, or a field, an operator and a value. A value with a comma must be in double
// quotes, as in JSON. The empty text is no condition.
func parseCondition(text string) (condition, error) {
	if text == "" {
		return nil, nil
	}
	var clauses condition
	for rest := text; ; {
		part, after, more := cutClause(rest)
		parsed, err := parseClause(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("--until: %w", err)
		}
		clauses = append(clauses, parsed)
		if !more {
			return clauses, nil
		}
		rest = after
	}
}

// offerClauses completes the last clause of a condition.
func offerClauses(ctx context.Context, a *command.App, caller *command.Caller, host *client.Client, word command.Word) (offers []cobra.Completion, err error) {
	last := word.Typed
	for more := true; more; {
		_, rest, cut := cutClause(last)
		if more = cut; cut {
			last = rest
		}
	}
	before, values := strings.TrimSuffix(word.Typed, last), append(shortKinds(), "kind=", "player=")
	if field, value, ok := strings.Cut(last, "="); ok {
		switch field {
		case "kind":
			values = shortKinds()
		case "player":
			values, err = command.Players(ctx, a, caller, host, command.Word{Typed: value})
		default:
			values = nil
		}
		before += field + "="
	}
	for _, value := range values {
		offers = append(offers, before+value)
	}
	return offers, err
}

// cutClause cuts a condition at its first comma that is not in quotes.
func cutClause(text string) (part, rest string, more bool) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == ',' && !quoted:
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

func parseClause(text string) (clause, error) {
	at, operator := -1, ""
	for _, candidate := range operators {
		if i := strings.Index(text, candidate); i >= 0 && (at < 0 || i < at) {
			at, operator = i, candidate
		}
	}
	if at < 0 {
		kind, err := parseKind(text)
		return clause{field: "kind", operator: "=", kind: kind}, err
	}
	t := clause{field: strings.TrimSpace(text[:at]), operator: operator, value: strings.TrimSpace(text[at+len(operator):])}
	// A quote within a value would hide the commas after it.
	if strings.Contains(t.value, `"`) {
		if err := json.Unmarshal([]byte(t.value), &t.value); err != nil {
			return t, command.Usagef("%s is not quoted text", t.value)
		}
	}
	err := t.check(text)
	return t, err
}

// check validates the clause.
func (t *clause) check(text string) (err error) {
	switch {
	case t.field == "" || strings.ContainsAny(t.field, `"!~<>= `):
		return command.Usagef("%q does not begin with a field name", text)
	case t.field == "kind" && (t.operator == "=" || t.operator == "!="):
		t.kind, err = parseKind(t.value)
		return err
	case t.field == "player" && t.operator != "=" && t.operator != "!=", t.field == "kind":
		return command.Usagef("%q: compare a %s with = or !=", text, t.field)
	case t.operator == ">=" || t.operator == "<=":
		if _, ok := exactNumber(t.value); !ok {
			return command.Usagef("%q compares with a number, which %q is not", text, t.value)
		}
	}
	return nil
}

// met reports whether all clauses hold for an event.
func (c condition) met(m *eventFields, names naming) bool {
	for i := range c {
		if !c[i].holds(m, names) {
			return false
		}
	}
	return true
}

// holds reports whether the clause holds. A clause about a field that the event does not
// have never holds, whatever the operator is.
func (t *clause) holds(m *eventFields, names naming) bool {
	switch t.field {
	case "kind":
		return (m.event.Kind == t.kind) == (t.operator == "=")
	case "player":
		return len(m.players()) > 0 && m.isAbout(t.value, names) == (t.operator == "=")
	}
	value := m.field(t.field)
	text, ok := plainText(value)
	if !ok {
		return false
	}
	switch t.operator {
	case "~=":
		return strings.Contains(text, t.value)
	case "!=":
		return !same(text, t.value)
	case "=":
		return same(text, t.value)
	}
	left, isNumber := exactNumber(text)
	right, _ := exactNumber(t.value)
	if !isNumber {
		return false
	}
	if t.operator == ">=" {
		return left.Cmp(right) >= 0
	}
	return left.Cmp(right) <= 0
}

// plainText returns a JSON value as text; false for lists, objects and null.
func plainText(value any) (string, bool) {
	switch value := value.(type) {
	case string:
		return value, true
	case bool:
		return strconv.FormatBool(value), true
	case json.Number:
		return value.String(), true
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64), true
	}
	return "", false
}

// same compares texts, and numbers by their value.
func same(a, b string) bool {
	if a == b {
		return true
	}
	left, ok := exactNumber(a)
	right, also := exactNumber(b)
	return ok && also && left.Cmp(right) == 0
}

// longestNumber limits the length of a number.
const longestNumber = 32

// exactNumber parses a decimal number exactly, so that positions beyond 2^53 compare
// correctly. Exponents are not allowed: a short text could stand for a huge number.
func exactNumber(text string) (*big.Rat, bool) {
	if len(text) > longestNumber || strings.Trim(text, "+-.0123456789") != "" {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}
