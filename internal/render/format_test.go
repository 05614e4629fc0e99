package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

func TestFormats(t *testing.T) {
	t.Parallel()
	type item struct {
		Name string `json:"name"`
		Seq  uint64 `json:"seq"`
	}
	document := Document{
		Data: struct {
			Items []item         `json:"items"`
			Empty map[string]any `json:"empty"`
		}{[]item{{"a <b> & c", 1}, {"on", 9007199254740991}}, map[string]any{}},
		Items: []any{item{"a <b> & c", 1}, item{"on", 9007199254740991}},
		Views: []View{Line("two items")},
	}
	wants := map[Format]string{
		FormatTable:  "two items\n",
		FormatJSON:   "{\n  \"items\": [\n    {\n      \"name\": \"a <b> & c\",\n      \"seq\": 1\n    },\n    {\n      \"name\": \"on\",\n      \"seq\": 9007199254740991\n    }\n  ],\n  \"empty\": {}\n}\n",
		FormatNDJSON: "{\"name\":\"a <b> & c\",\"seq\":1}\n{\"name\":\"on\",\"seq\":9007199254740991}\n",
		FormatYAML:   "items:\n  - name: a <b> & c\n    seq: 1\n  - name: \"on\"\n    seq: 9007199254740991\nempty: {}\n",
	}
	for format, want := range wants {
		var out strings.Builder
		printer := Printer{Out: &out, Format: format}
		if err := printer.Print(document); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Errorf("%s:\n got %q\nwant %q", format, out.String(), want)
		}
	}
}

// A stream's items are separate in every format.
func TestItems(t *testing.T) {
	t.Parallel()
	wants := map[Format]string{
		FormatJSON:   "{\n  \"seq\": 1\n}\n{\n  \"seq\": 2\n}\n",
		FormatNDJSON: "{\"seq\":1}\n{\"seq\":2}\n",
		FormatYAML:   "---\nseq: 1\n---\nseq: 2\n",
		FormatTable:  "one\ntwo\n",
	}
	for format, want := range wants {
		var out strings.Builder
		printer := Printer{Out: &out, Format: format}
		for i, line := range []string{"one", "two"} {
			if err := printer.Item(Document{Data: map[string]int{"seq": i + 1}, Views: []View{Text(line + "\n")}}); err != nil {
				t.Fatal(err)
			}
		}
		if out.String() != want {
			t.Errorf("%s: got %q, want %q", format, out.String(), want)
		}
	}
}

// YAML has the same content as JSON, whatever the texts and numbers are.
func TestYAMLIsJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		data := anyJSON(3).Draw(t, "data")
		asYAML, err := encodeYAML(data)
		if err != nil {
			t.Fatal(err)
		}
		asJSON, err := encodeJSON(data, "")
		if err != nil {
			t.Fatal(err)
		}
		var want, got any
		if err := json.Unmarshal(asJSON, &want); err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(asYAML, &got); err != nil {
			t.Fatalf("%v in %q", err, asYAML)
		}
		if !reflect.DeepEqual(inFloats(want), inFloats(got)) {
			t.Fatalf("%q became %q", asJSON, asYAML)
		}
	})
}

func anyJSON(depth int) *rapid.Generator[any] {
	kinds := []*rapid.Generator[any]{
		rapid.String().AsAny(), rapid.Bool().AsAny(), rapid.Int64().AsAny(), rapid.Float64().AsAny(), rapid.Just[any](nil),
		rapid.SampledFrom([]any{"yes", "null", "1e3", "0x1f", "~", "", " x", "a: b", "- a", "\u0085\u2028\ufeff", "2026-01-02"}),
	}
	if depth > 0 {
		inner := anyJSON(depth - 1)
		kinds = append(kinds, rapid.SliceOfN(inner, 0, 3).AsAny(), rapid.MapOfN(rapid.String(), inner, 0, 3).AsAny())
	}
	return rapid.OneOf(kinds...)
}

// inFloats converts all numbers to doubles, as in JSON.
func inFloats(value any) any {
	switch value := value.(type) {
	case int:
		return float64(value)
	case int64:
		return float64(value)
	case uint64:
		return float64(value)
	case []any:
		for i := range value {
			value[i] = inFloats(value[i])
		}
		return value
	case map[string]any:
		for name := range value {
			value[name] = inFloats(value[name])
		}
		return value
	}
	return value
}

type brokenWriter struct{ err error }

func (b brokenWriter) Write([]byte) (int, error) { return 0, b.err }

// The cause of a failed write is kept: the caller's behavior depends on it.
func TestPrintErrorKeepsCause(t *testing.T) {
	t.Parallel()
	cause := errors.New("the reader left")
	printer := Printer{Out: brokenWriter{cause}, Format: FormatJSON}
	if err := printer.Print(Document{Data: 1}); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	if err := printer.Print(Document{Data: func() {}}); err == nil {
		t.Error("a function was printed as JSON")
	}
}

func TestParseFormat(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"table", "json", "ndjson", "yaml"} {
		if format, err := ParseFormat(good); err != nil || string(format) != good {
			t.Errorf("%s: %v, %v", good, format, err)
		}
	}
	if _, err := ParseFormat("xml"); err == nil || !strings.Contains(err.Error(), `"xml"`) {
		t.Errorf("xml: %v", err)
	}
}

func TestFailure(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	Failure(&out, Look{}, "it broke\nin two \x1b[1mplaces", "mend it")
	Warning(&out, Look{}, "it may break", "")
	want := "error: it broke\n       in two \uFFFD[1mplaces\nhint: mend it\nwarning: it may break\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// hostileText contains every kind of text on which a terminal acts.
const hostileText = "a\x1b]52;c;eA==\a\u009b2J\u202eb\u2066\x7f\u0085\u061c\u200f\r\n\tc: {\"x\"}"

// Control characters are escaped in machine-readable output, and parse to the
// original text.
func TestHostileTextInEveryFormat(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(map[string]string{hostileText: hostileText})
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []Format{FormatTable, FormatJSON, FormatNDJSON, FormatYAML} {
		for name, data := range map[string]any{"typed": map[string]string{hostileText: hostileText}, "raw": json.RawMessage(raw)} {
			var out strings.Builder
			printer := Printer{Out: &out, Format: format}
			if err := printer.Print(Document{Data: data, Views: []View{Line(hostileText), Line("\x1b[1;31mred\x1b[0m")}}); err != nil {
				t.Fatal(err)
			}
			shown := strings.NewReplacer("\n", "", "\x1b[1;31mred\x1b[0m", "red").Replace(out.String())
			for _, r := range shown {
				if hostile(r) && (format != FormatTable || r != '\uFFFD') {
					t.Errorf("%s, %s: %U is written to the terminal in %q", format, name, r, out.String())
				}
			}
			var back map[string]string
			switch format {
			case FormatTable:
				continue
			case FormatYAML:
				err = yaml.Unmarshal([]byte(out.String()), &back)
			default:
				err = json.Unmarshal([]byte(out.String()), &back)
			}
			if err != nil || back[hostileText] != hostileText {
				t.Errorf("%s, %s: the text is read as %q, %v", format, name, back, err)
			}
		}
	}
}

// JSON printed by a filter is always escaped. Its other text has no control
// characters on a terminal; a pipe gets it unchanged.
func TestHostileTextThroughFilters(t *testing.T) {
	t.Parallel()
	made := func(filter Filter, err error) Filter {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return filter
	}
	const cleaned = "a\uFFFD]52;c;eA==\uFFFD\uFFFD2J\uFFFDb\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\n\tc: {\"x\"}\n"
	for name, filter := range map[string]Filter{
		"jq": made(JQ(t.Context(), ".x")), "template": made(Template("{{.x}}")), "template of lists": made(Template(`{{join "" .list}}`)),
	} {
		for terminal, want := range map[bool]string{true: cleaned, false: hostileText + "\n"} {
			for _, format := range []Format{FormatJSON, FormatNDJSON, FormatYAML} {
				var out strings.Builder
				printer := Printer{Out: &out, Format: format, Filter: filter, Terminal: terminal}
				if err := printer.Item(Document{Data: map[string]any{"x": hostileText, "list": []string{hostileText}}}); err != nil {
					t.Fatal(err)
				}
				if out.String() != want {
					t.Errorf("%s, %s, terminal %v: the output is %q, want %q", name, format, terminal, out.String(), want)
				}
			}
		}
	}
	for name, filter := range map[string]Filter{
		"jq": made(JQ(t.Context(), "{(.x): [.x]}")), "template": made(Template("{{json .object}}")),
	} {
		for _, terminal := range []bool{true, false} {
			var out strings.Builder
			printer := Printer{Out: &out, Format: FormatJSON, Filter: filter, Terminal: terminal}
			data := map[string]any{"x": hostileText, "object": map[string][]string{hostileText: {hostileText}}}
			if err := printer.Print(Document{Data: data}); err != nil {
				t.Fatal(err)
			}
			var back map[string][]string
			if err := json.Unmarshal([]byte(out.String()), &back); err != nil || len(back[hostileText]) != 1 || back[hostileText][0] != hostileText {
				t.Errorf("%s, terminal %v: the text is read as %q, %v", name, terminal, back, err)
			}
			for _, r := range strings.TrimSuffix(out.String(), "\n") {
				if hostile(r) {
					t.Errorf("%s, terminal %v: the output has %U in %q", name, terminal, r, out.String())
				}
			}
		}
	}
}
