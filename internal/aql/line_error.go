package aql

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Pos is a place in a program. Both numbers start at 1, and Column counts
// Unicode code points.
type Pos struct {
	Line   int
	Column int
}

// before orders places as a reader meets them.
func (p Pos) before(other Pos) bool {
	if p.Line != other.Line {
		return p.Line < other.Line
	}
	return p.Column < other.Column
}

// LineError is one thing that is wrong, with the place in the program that it is
// about. Passphrases that are written in the program are not in it.
type LineError struct {
	// Source names the program, such as its file.
	Source string
	Pos    Pos
	// Message says what is wrong and what to do.
	Message string
	// Excerpt is the line of the program, its passphrases blotted out.
	Excerpt string
	// Err is the cause where a statement failed as it was carried out; nil for
	// a mistake in the program.
	Err error
}

// Error implements error. It has three lines: the place with the message, the
// line of the program, and a caret under the column.
func (p *LineError) Error() string {
	number := strconv.Itoa(p.Pos.Line)
	return fmt.Sprintf("%s:%d:%d: %s\n %s | %s\n %s | %s^",
		p.Source, p.Pos.Line, p.Pos.Column, p.Message,
		number, p.Excerpt, strings.Repeat(" ", len(number)), p.indent())
}

// Unwrap gives the cause.
func (p *LineError) Unwrap() error { return p.Err }

// indent is as wide as what stands before the column.
func (p *LineError) indent() string {
	width, column := 0, 1
	for _, r := range p.Excerpt {
		if column >= p.Pos.Column {
			break
		}
		width += columns(r)
		column++
	}
	// The column after the last character is where something is missing.
	return strings.Repeat(" ", width+max(0, p.Pos.Column-column))
}

// LineErrors are all mistakes of a program, in its order.
type LineErrors []*LineError

// Error implements error, with all of them.
func (p LineErrors) Error() string {
	texts := make([]string, len(p))
	for i, one := range p {
		texts[i] = one.Error()
	}
	return strings.Join(texts, "\n")
}

// wide are the scripts whose characters take two columns of a terminal.
var wide = []*unicode.RangeTable{unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana}

// columns is how many columns of a terminal a character takes: what the East
// Asian Width property (UAX #11) comes to for the scripts above, pictographs and
// marks. A caret that is off by one in a rarer script is still in its line.
func columns(r rune) int {
	const firstPictograph, lastPictograph = 0x1F300, 0x1FAFF
	const firstFullWidth, lastFullWidth = 0xFF01, 0xFF60
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.In(r, wide...),
		r >= firstPictograph && r <= lastPictograph,
		r >= firstFullWidth && r <= lastFullWidth:
		return 2
	}
	return 1
}
