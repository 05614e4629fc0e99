// Package render formats results for a terminal or a pipe: tables that fit the
// window, JSON, JSON lines and YAML of the same data, one line for each event of a
// world, failures with their hints, and a spinner. It makes no decisions about a
// world and reads nothing; everything it depends on (width, color, the time) is
// passed in, so the same input gives the same bytes.
//
// Text from a host is untrusted: names and chat lines are made safe by Clean before
// they reach a terminal.
package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Format is the format of printed results.
type Format string

// The formats of --output.
const (
	FormatTable  Format = "table"
	FormatJSON   Format = "json"
	FormatNDJSON Format = "ndjson"
	FormatYAML   Format = "yaml"
)

// ParseFormat parses the value of --output.
func ParseFormat(text string) (Format, error) {
	switch format := Format(text); format {
	case FormatTable, FormatJSON, FormatNDJSON, FormatYAML:
		return format, nil
	}
	return "", fmt.Errorf("%q is not an output format: use table, json, ndjson or yaml", text)
}

// Document is a result: the data for programs and the views for people, with the
// same content.
type Document struct {
	// Data is the content of JSON and YAML.
	Data any
	// Items are the lines of NDJSON; without them Data is its one line.
	Items []any
	// Views are the parts of the table format, one below the other.
	Views []View
}

// ListOf returns the document of a list: each item is a line of NDJSON and a row of
// the table.
func ListOf[T any](data any, list []T, table Table, row func(T) []string) *Document {
	items := make([]any, len(list))
	for i, one := range list {
		items[i] = one
		table.Rows = append(table.Rows, row(one))
	}
	return &Document{Data: data, Items: items, Views: []View{table}}
}

// Printer writes documents in one format.
type Printer struct {
	Out    io.Writer
	Format Format
	Look   Look
	// Filter replaces the format; nil for none.
	Filter Filter
	// Terminal says that Out is a terminal, on which the output of a filter may have
	// effects.
	Terminal bool
}

// Print writes one document in a single write. Its errors are those of the
// writer, and of data that has no JSON.
func (p *Printer) Print(doc Document) error {
	text, err := p.text(doc)
	if err != nil {
		return err
	}
	return p.write(text)
}

func (p *Printer) write(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	if _, err := p.Out.Write(text); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}

func (p *Printer) text(doc Document) ([]byte, error) {
	if p.Filter != nil && p.Format != FormatNDJSON {
		return p.filtered(doc.Data)
	}
	switch p.Format {
	case FormatJSON:
		return encodeJSON(doc.Data, "  ")
	case FormatYAML:
		return encodeYAML(doc.Data)
	case FormatNDJSON:
		encode := func(data any) ([]byte, error) { return encodeJSON(data, "") }
		if p.Filter != nil {
			encode = p.filtered
		}
		if doc.Items == nil {
			return encode(doc.Data)
		}
		var lines bytes.Buffer
		for _, item := range doc.Items {
			line, err := encode(item)
			if err != nil {
				return nil, err
			}
			lines.Write(line)
		}
		return lines.Bytes(), nil
	case FormatTable:
	}
	var out strings.Builder
	for _, view := range doc.Views {
		view.draw(&out, p.Look)
	}
	return []byte(Shielded(out.String())), nil
}

// encodeJSON writes data as JSON with a final line break. Characters are kept
// unchanged, including <, > and &, except for those that may have an effect on a
// terminal.
func encodeJSON(data any, indent string) ([]byte, error) { return encodeIndented(data, "", indent) }

func encodeIndented(data any, prefix, indent string) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent(prefix, indent)
	if err := encoder.Encode(data); err != nil {
		return nil, fmt.Errorf("encode the result as JSON: %w", err)
	}
	return Escaped(out.Bytes()), nil
}

// List is a list that is printed while it grows. As JSON or YAML it is one document, an
// object with the list in one field, each item of which is written immediately; else
// each item is printed with Item.
type List struct {
	*Printer
	// Name is the name of the field.
	Name    string
	started bool
}

// isDocument reports whether the list is one document.
func (l *List) isDocument() bool {
	return l.Filter == nil && (l.Format == FormatJSON || l.Format == FormatYAML)
}

// Add prints one item.
func (l *List) Add(item Document) error {
	if !l.isDocument() {
		return l.Item(item)
	}
	first := !l.started
	l.started = true
	if l.Format == FormatYAML {
		text, err := encodeYAML(map[string][]any{l.Name: {item.Data}})
		if !first {
			_, text, _ = bytes.Cut(text, []byte("\n")) // the name is written already
		}
		return errors.Join(err, l.write(text))
	}
	const indent = "    "
	text, err := encodeIndented(item.Data, indent, "  ")
	if err != nil {
		return err
	}
	between := ",\n"
	if first {
		between = "{\n  " + strconv.Quote(l.Name) + ": [\n"
	}
	return l.write(append([]byte(between+indent), bytes.TrimSuffix(text, []byte("\n"))...))
}

// Close ends the list.
func (l *List) Close() error {
	switch {
	case !l.isDocument(), l.started && l.Format == FormatYAML:
		return nil
	case l.started:
		return l.write([]byte("\n  ]\n}\n"))
	}
	return l.Print(Document{Data: map[string][]any{l.Name: {}}})
}

// Item writes one item of a stream in a single write: a JSON document, a line,
// a YAML document after its separator, or the views.
func (p *Printer) Item(item Document) error {
	if p.Format == FormatYAML && p.Filter == nil {
		text, err := encodeYAML(item.Data)
		if err != nil {
			return err
		}
		return p.write(append([]byte("---\n"), text...))
	}
	return p.Print(item)
}

// Failure writes an error and, if there is one, a hint, as "error: …" and "hint:
// …", broken between words in a window. An error of several lines is indented below
// its first. An error of the writer is ignored: it cannot be reported anywhere.
func Failure(out io.Writer, look Look, problem, hint string) {
	_, _ = io.WriteString(out, labeled(look, look.Bad("error:"), problem)+hinted(look, hint))
}

// Warning writes "warning: …" and, if there is one, "hint: …", as Failure does.
func Warning(out io.Writer, look Look, problem, hint string) {
	_, _ = io.WriteString(out, labeled(look, look.Warn("warning:"), problem)+hinted(look, hint))
}

func hinted(look Look, hint string) string {
	if hint == "" {
		return ""
	}
	return labeled(look, look.Accent("hint:"), hint)
}

func labeled(look Look, label, message string) string {
	indent := ansi.StringWidth(label) + 1
	var text strings.Builder
	for i, line := range strings.Split(strings.TrimRight(message, "\n"), "\n") {
		before := strings.Repeat(" ", indent)
		if i == 0 {
			before = label + " "
		}
		text.WriteString(before + Wrap(Clean(line), indent, look.Width) + "\n")
	}
	return text.String()
}
