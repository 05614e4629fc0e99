package aql

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/playctl/playctl/protocol"
)

// Format writes a program in its canonical form: keywords in capitals, one
// blank between words, clauses in one order, values in quotes. Comments and
// blank lines stay. Parsing the result gives the same program.
func (p *Program) Format() string {
	var out strings.Builder
	for _, line := range p.Lines {
		text := formatStatement(line.Statement)
		if line.Commented {
			if text != "" {
				text += "  "
			}
			text = strings.TrimRight(text+"# "+line.Comment, " ")
		}
		out.WriteString(text + "\n")
	}
	return out.String()
}

// formatStatement writes one statement in its canonical form, "" for nil. A
// passphrase in the statement is in the result as well.
func formatStatement(s Statement) string {
	if s == nil {
		return ""
	}
	var words []string
	v := reflect.ValueOf(s)
	for i := range v.NumField() {
		words = append(words, formatField(v.Type().Field(i), v.Field(i).Interface())...)
	}
	return strings.Join(words, " ")
}

// formatField writes a field of a statement with the keywords around it in its
// rule; nothing for a missing one.
func formatField(field reflect.StructField, value any) []string {
	before, after, _ := strings.Cut(field.Tag.Get("parser"), "@")
	var text string
	switch v := value.(type) {
	case Verb:
		return strings.Fields(string(v))
	case *Name:
		if v == nil {
			return nil
		}
		text = v.Text
	case Name:
		return append([]string{v.Text}, literals(after)...)
	case *Operand:
		if v == nil {
			return nil
		}
		text = formatOperand(field, v)
	case Operand:
		text = formatOperand(field, &v)
	case []Operand:
		if len(v) == 0 {
			return nil
		}
		list := make([]string, len(v))
		for i := range v {
			list[i] = formatOperand(field, &v[i])
		}
		text = strings.Join(list, strings.Join(literals(after), "")+" ")
	}
	return append(literals(before), text)
}

// formatOperand writes a value: in quotes, except for a kind whose values are
// always words.
func formatOperand(field reflect.StructField, o *Operand) string {
	text := string(o.Text)
	kind := field.Tag.Get("kind")
	switch {
	case o.Variable != "":
		return "$" + string(o.Variable)
	case kind == kindAmenity && slices.Contains(protocol.Amenities(), text),
		kind == kindEnv && IsName(text) && keyword(text) == "":
		return text
	}
	return quote(text)
}

// quote writes quoted text, with escapes for characters that cannot be in a
// line.
func quote(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case r == '\n':
			out.WriteString(`\n`)
		case r == '\t':
			out.WriteString(`\t`)
		case r != ' ' && !unicode.IsGraphic(r) || unicode.IsSpace(r) && r != ' ' || isForbidden(r):
			fmt.Fprintf(&out, `\u{%X}`, r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}
