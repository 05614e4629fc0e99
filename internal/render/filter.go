package render

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"github.com/itchyny/gojq"
)

// Filter converts a result's JSON for output. The JSON is decoded as in
// encoding/json: objects are map[string]any.
type Filter func(value any) ([]byte, error)

// JQ prints the results of a jq expression, a line for each: texts without quotes,
// other values as JSON. The expression has no access to environment and files, and
// ends with ctx.
func JQ(ctx context.Context, expression string) (Filter, error) {
	query, err := gojq.Parse(expression)
	if err != nil {
		return nil, fmt.Errorf("--jq: %w", err)
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, fmt.Errorf("--jq: %w", err)
	}
	return func(value any) ([]byte, error) {
		var out bytes.Buffer
		results := code.RunWithContext(ctx, value)
		for {
			result, more := results.Next()
			if !more {
				return out.Bytes(), nil
			}
			if err, failed := result.(error); failed {
				if halt, ok := errors.AsType[*gojq.HaltError](err); ok && halt.Value() == nil {
					return out.Bytes(), nil
				}
				return nil, fmt.Errorf("--jq: %w", err)
			}
			if text, ok := result.(string); ok {
				out.WriteString(text + "\n")
				continue
			}
			text, err := gojq.Marshal(result)
			if err != nil {
				return nil, fmt.Errorf("--jq: %w", err)
			}
			out.Write(append(Escaped(text), '\n'))
		}
	}, nil
}

// Template prints a result with a Go template, whose data is the result's JSON.
func Template(layout string) (Filter, error) {
	parsed, err := template.New("template").Option("missingkey=zero").Funcs(template.FuncMap{
		"json": func(value any) (string, error) {
			text, err := json.Marshal(value)
			return string(Escaped(text)), err
		},
		"join": func(between string, list []any) string {
			parts := make([]string, len(list))
			for i, part := range list {
				parts[i] = fmt.Sprint(part)
			}
			return strings.Join(parts, between)
		},
	}).Parse(layout)
	if err != nil {
		return nil, fmt.Errorf("--template: %w", err)
	}
	return func(value any) ([]byte, error) {
		var out bytes.Buffer
		if err := parsed.Execute(&out, value); err != nil {
			return nil, fmt.Errorf("--template: %w", err)
		}
		if !bytes.HasSuffix(out.Bytes(), []byte("\n")) {
			out.WriteByte('\n')
		}
		return out.Bytes(), nil
	}, nil
}

// filtered returns the filter's output for a result. It is unknown which parts of
// it are untrusted, so on a terminal all of it is cleaned.
func (p *Printer) filtered(data any) ([]byte, error) {
	text, err := encodeJSON(data, "")
	if err != nil {
		return nil, err
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return nil, fmt.Errorf("read the result's JSON: %w", err)
	}
	text, err = p.Filter(value)
	if err != nil || !p.Terminal {
		return text, err
	}
	return []byte(cleanLayout(string(text))), nil
}
