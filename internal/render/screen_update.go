package render

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Control sequences of a terminal (ECMA-48, and DEC's private modes as xterm documents
// them). A terminal that does not know a private mode ignores it.
const (
	// ScreenEnter switches to the alternate screen, so that the previous content
	// returns at the end, hides the cursor, and turns off automatic wrapping.
	ScreenEnter = "\x1b[?1049h\x1b[?25l\x1b[?7l"
	// ScreenLeave undoes ScreenEnter.
	ScreenLeave = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"

	beginUpdate = "\x1b[?2026h"
	endUpdate   = "\x1b[?2026l"
	eraseAll    = "\x1b[2J"
)

// Update returns the output that changes a terminal's content from before to s:
// only the cells that differ, and all of them at once if the terminal supports
// that. With before nil, or of another size, everything is drawn again. It is empty
// if nothing differs.
func (s *Screen) Update(look Look, before *Screen) string {
	var out strings.Builder
	if before == nil || before.width != s.width || before.height != s.height {
		out.WriteString(eraseAll)
		before = NewScreen(s.width, s.height)
	}
	for y := range s.height {
		s.updateRow(&out, look, before, y)
	}
	if out.Len() == 0 {
		return ""
	}
	return beginUpdate + out.String() + endUpdate
}

func (s *Screen) updateRow(out *strings.Builder, look Look, before *Screen, y int) {
	for x := 0; x < s.width; {
		if *s.at(x, y) == *before.at(x, y) || s.at(x, y).half {
			// The second half is drawn with the first, which differs as well.
			x++
			continue
		}
		text, next := s.changed(before, x, y)
		fmt.Fprintf(out, "\x1b[%d;%dH%s", y+1, x+1, look.paint(s.at(x, y).tone, text))
		x = next
	}
}

// changed returns the run of cells from x on that differ from before and have one
// tone. A character whose width may differ among terminals is a run of its own: the
// next cells are positioned again, and nothing joins with it.
func (s *Screen) changed(before *Screen, x, y int) (text string, next int) {
	var out strings.Builder
	first := s.at(x, y)
	for next = x; next < s.width; next++ {
		c := s.at(next, y)
		if c.half || c.tone != first.tone || *c == *before.at(next, y) || next > x && (c.alone() || first.alone()) {
			break
		}
		if c.text == "" {
			out.WriteByte(' ')
			continue
		}
		out.WriteString(c.text)
	}
	return out.String(), next
}

// alone reports whether a cell's character may have another width on some terminal,
// or be joined with its neighbors there: any but ASCII, Latin and box-drawing
// characters.
func (c cell) alone() bool {
	character, size := utf8.DecodeRuneInString(c.text)
	const latinEnd, boxBegin, boxEnd = 0x300, 0x2500, 0x257f
	return size < len(c.text) || size > 0 && character >= latinEnd && (character < boxBegin || character > boxEnd)
}
