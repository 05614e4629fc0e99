package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Format is how results are printed.
type Format string

// The formats of --output.
const (
	FormatTable  Format = "table"
	FormatJSON   Format = "json"
	FormatNDJSON Format = "ndjson"
	FormatYAML   Format = "yaml"
)

// ParseFormat reads the value of --output.
func ParseFormat(text string) (Format, error) {
	switch format := Format(text); format {
	case FormatTable, FormatJSON, FormatNDJSON, FormatYAML:
		return format, nil
	}
	return "", fmt.Errorf("%q is not an output format: use table, json, ndjson or yaml", text)
}

// Document is a result: the data that programs read and the views that people
// read, of the same content.
type Document struct {
	// Data is what JSON and YAML show.
	Data any
	// Items are the lines of NDJSON; without them Data is its one line.
	Items []any
	// Views are what a table shows, one below the other.
	Views []View
}

// Printer writes documents in one format.
type Printer struct {
	Out    io.Writer
	Format Format
	Look   Look
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
	switch p.Format {
	case FormatJSON:
		return encodeJSON(doc.Data, "  ")
	case FormatYAML:
		return encodeYAML(doc.Data)
	case FormatNDJSON:
		if doc.Items == nil {
			return encodeJSON(doc.Data, "")
		}
		var lines bytes.Buffer
		for _, item := range doc.Items {
			line, err := encodeJSON(item, "")
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
	return []byte(out.String()), nil
}

// encodeJSON writes data as JSON ended by a line break. Characters are kept as
// they are: <, > and & mean nothing in a terminal.
func encodeJSON(data any, indent string) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	if err := encoder.Encode(data); err != nil {
		return nil, fmt.Errorf("encode the result as JSON: %w", err)
	}
	return out.Bytes(), nil
}

// Item writes one item of a stream in a single write: a JSON document, a line,
// a YAML document after its separator, or the views.
func (p *Printer) Item(item Document) error {
	if p.Format == FormatYAML {
		text, err := encodeYAML(item.Data)
		if err != nil {
			return err
		}
		return p.write(append([]byte("---\n"), text...))
	}
	return p.Print(item)
}
