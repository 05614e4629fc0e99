package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"github.com/itchyny/gojq"

	"github.com/playctl/playctl/internal/render"
)

// filter is what --jq or --template makes of the JSON of a result; nil for neither.
func (a *App) filter(ctx context.Context) (render.Filter, error) {
	switch expression, layout := a.Settings.jq, a.Settings.template; {
	case expression != "" && layout != "":
		return nil, Usagef("--jq and --template both say what is printed of a result: use one of them")
	case expression != "":
		return jqFilter(ctx, expression)
	case layout != "":
		return templateFilter(layout)
	}
	return nil, nil //nolint:nilnil // there is nothing to filter with
}

// jqFilter prints the results of a jq expression, a line for each: text as it is,
// everything else as JSON. The expression sees no environment and no files.
func jqFilter(ctx context.Context, expression string) (render.Filter, error) {
	query, err := gojq.Parse(expression)
	if err != nil {
		return nil, Usagef("--jq: %w", err)
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, Usagef("--jq: %w", err)
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
			out.Write(append(text, '\n'))
		}
	}, nil
}

// templateFilter prints a result by a template of Go, in which it is what its JSON says.
func templateFilter(layout string) (render.Filter, error) {
	parsed, err := template.New("template").Option("missingkey=zero").Funcs(template.FuncMap{
		"json": func(value any) (string, error) {
			text, err := json.Marshal(value)
			return string(text), err
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
		return nil, Usagef("--template: %w", err)
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
