package render

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Field is one named value of a result.
type Field struct {
	Name  string
	Value string
}

// Fields are the named values of one thing, a line for each. Values that do not fit
// the window are continued on indented lines. A field without a value is omitted.
type Fields []Field

func (f Fields) draw(out *strings.Builder, look Look) {
	indent := 0
	for _, field := range f {
		if field.Value != "" {
			indent = max(indent, lipgloss.Width(field.Name)+columnGap)
		}
	}
	for _, field := range f {
		if field.Value == "" {
			continue
		}
		name := field.Name + strings.Repeat(" ", indent-lipgloss.Width(field.Name))
		value := hang(Clean(field.Value), indent, look.Width)
		out.WriteString(look.Faint(name) + value + "\n")
	}
}

// hang breaks text that starts at column indent into lines of at most width
// columns (0: unlimited) and indents all but the first.
func hang(text string, indent, width int) string {
	const least = 8
	if width == 0 || lipgloss.Width(text)+indent <= width {
		return text
	}
	lines := ansi.Wrap(text, max(width-indent, least), " ")
	return strings.ReplaceAll(lines, "\n", "\n"+strings.Repeat(" ", indent))
}

// Line is one line of a result that is neither a table nor a field, broken between
// words if it is wider than the window. It may contain color: its author has to
// clean untrusted text.
type Line string

func (l Line) draw(out *strings.Builder, look Look) {
	out.WriteString(Wrap(string(l), 0, look.Width) + "\n")
}

// Text is lines that each end in a line break, written unchanged. It may contain
// color as a Line does.
type Text string

func (t Text) draw(out *strings.Builder, _ Look) { out.WriteString(string(t)) }
