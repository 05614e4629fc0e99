package render

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

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
