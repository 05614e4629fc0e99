package render

import (
	"fmt"
	"io"
	"strings"
)

// Failure writes what went wrong and, where there is one, what to do next, as
// "error: …" and "hint: …". An error of several lines is indented below its
// first. A failure of the writer is ignored: there is nowhere left to tell.
func Failure(out io.Writer, look Look, problem, hint string) {
	var text strings.Builder
	labeled(&text, look.Bad("error:"), len("error: "), problem)
	if hint != "" {
		labeled(&text, look.Accent("hint:"), len("hint: "), hint)
	}
	_, _ = io.WriteString(out, text.String())
}

// Warning writes "warning: …" and, where there is one, "hint: …".
func Warning(out io.Writer, look Look, problem, hint string) {
	var text strings.Builder
	labeled(&text, look.Warn("warning:"), len("warning: "), problem)
	if hint != "" {
		labeled(&text, look.Accent("hint:"), len("hint: "), hint)
	}
	_, _ = io.WriteString(out, text.String())
}

func labeled(text *strings.Builder, label string, indent int, message string) {
	lines := strings.Split(strings.TrimRight(message, "\n"), "\n")
	for i, line := range lines {
		if i == 0 {
			fmt.Fprintf(text, "%s %s\n", label, Clean(line))
			continue
		}
		fmt.Fprintf(text, "%*s%s\n", indent, "", Clean(line))
	}
}
