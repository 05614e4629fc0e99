package render

import (
	"regexp"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
)

// unbroken matches the parts that are not broken: a command between quotation
// marks, or a word.
var unbroken = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\S*"playctl [^"\n]*"\S*|\S+`)
})

// leastWrapped is the least room for text besides its indentation.
const leastWrapped = 20

// Wrap breaks the lines of a message between words if they are wider than a window
// of width columns; 0 is no limit. Continued lines are indented by indent, the
// width of the text before the first line. No word is broken, and no command
// between quotation marks, so that it can be copied: one that is too wide for any
// line has one of its own, which a terminal breaks without adding anything. A line
// that begins with a space is not changed.
func Wrap(text string, indent, width int) string {
	if width <= 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, " ") && indent+ansi.StringWidth(line) > width {
			lines[i] = wrapLine(line, indent, width)
		}
	}
	return strings.Join(lines, "\n")
}

func wrapLine(line string, indent, width int) string {
	column := indent
	if width-indent < leastWrapped {
		indent = 0
	}
	var out strings.Builder
	end := 0
	for _, at := range unbroken().FindAllStringIndex(line, -1) {
		gap, word := line[end:at[0]], line[at[0]:at[1]]
		wide := ansi.StringWidth(word)
		switch {
		case end == 0 || column+len(gap)+wide <= width:
			out.WriteString(gap + word)
			column += len(gap) + wide
		case indent+wide <= width:
			out.WriteString("\n" + strings.Repeat(" ", indent) + word)
			column = indent + wide
		default:
			out.WriteString("\n" + word)
			column = width
		}
		end = at[1]
	}
	return out.String()
}
