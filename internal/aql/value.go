package aql

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/playctl/playctl/protocol"
)

// A value is what a variable holds: what JSON can say (nil, bool, json.Number,
// string, []any, map[string]any) or a protocol.Secret, also inside the others.

// shownSecret stands for a secret wherever values are shown.
const shownSecret = "[secret]"

// plainValue makes a value of anything that has a JSON form.
func plainValue(data any) (any, error) {
	text, err := json.Marshal(data)
	if err != nil {
		return nil, fmt.Errorf("keep the result in a variable: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("keep the result in a variable: %w", err)
	}
	return value, nil
}

// field goes down a path. The error tells what there is instead.
func field(name string, value any, path []string) (any, error) {
	at := "$" + name
	for _, key := range path {
		switch inside := value.(type) {
		case map[string]any:
			next, ok := inside[key]
			if !ok {
				return nil, fmt.Errorf("%s has no field %s: it has %s", at, quoted(key), fieldNames(inside))
			}
			value = next
		case []any:
			index, err := strconv.ParseUint(key, 10, 31)
			if err != nil || int(index) >= len(inside) {
				return nil, fmt.Errorf("%s is a list of %d: name one by its number, from 0, not %s", at, len(inside), quoted(key))
			}
			value = inside[index]
		default:
			return nil, fmt.Errorf("%s has no fields, so there is no %s in it", at, quoted(key))
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

// errSecretValue is why a value may not be shown or sent. Check finds nearly all
// of these before anything is done.
var errSecretValue = errors.New("this is a secret: it can be used after PASSPHRASE only")

// text is a value where a text is needed.
func text(name string, value any) (string, error) {
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
		return "", fmt.Errorf("$%s is no text: name one of its fields, %s", name, fieldNames(v))
	case []any:
		return "", fmt.Errorf("$%s is a list of %d, no text: name one by its number, from 0, and its field", name, len(v))
	}
	return "", fmt.Errorf("$%s is empty", name)
}

// hidden is a copy of a value with its secrets replaced.
func hidden(value any) any {
	switch v := value.(type) {
	case protocol.Secret:
		return shownSecret
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

// secrecyOf is what is secret of a value.
func secrecyOf(value any) Secrecy {
	switch v := value.(type) {
	case protocol.Secret:
		return Secret
	case map[string]any:
		if _, ok := v[phraseField].(protocol.Secret); ok {
			return WithPhrase
		}
	}
	return Plain
}
