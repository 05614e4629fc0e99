package render

import "github.com/charmbracelet/x/ansi"

// cell is one column of one row of a Screen.
type cell struct {
	// text is one character as a person sees it; "" is a blank.
	text string
	tone tone
	// half marks the second column of a character that takes two.
	half bool
}

// Screen is a picture of a whole window, made of cells.
type Screen struct {
	width, height int
	cells         []cell
}

// NewScreen returns an empty screen. With a size below 1 it shows nothing.
func NewScreen(width, height int) *Screen {
	width, height = max(width, 0), max(height, 0)
	return &Screen{width: width, height: height, cells: make([]cell, width*height)}
}

// at returns the cell in column x of row y, from 0; nil outside of the screen.
func (s *Screen) at(x, y int) *cell {
	if x < 0 || y < 0 || x >= s.width || y >= s.height {
		return nil
	}
	return &s.cells[y*s.width+x]
}

// blank reports whether a cell exists and is empty.
func (s *Screen) blank(x, y int) bool {
	c := s.at(x, y)
	return c != nil && c.text == "" && !c.half
}

// put writes text from column x of row y on, cleaned, over at most limit
// columns. Text that does not fit ends with "…". It returns the columns used.
func (s *Screen) put(x, y int, text string, t tone, limit int) int {
	limit = min(limit, s.width-x)
	if limit <= 0 || x < 0 || y < 0 || y >= s.height {
		return 0
	}
	rest, used := ansi.Truncate(Clean(text), limit, "…"), 0
	for rest != "" {
		cluster, columns := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		rest = rest[len(cluster):]
		if columns == 0 || used+columns > limit {
			continue
		}
		s.set(x+used, y, cell{text: cluster, tone: t})
		for extra := 1; extra < columns; extra++ {
			s.set(x+used+extra, y, cell{tone: t, half: true})
		}
		used += columns
	}
	return used
}

// set writes a cell. If it overwrites half of a character of two columns, the other
// half becomes blank.
func (s *Screen) set(x, y int, c cell) {
	if s.at(x, y).half && !c.half {
		*s.at(x-1, y) = cell{}
	}
	if next := s.at(x+1, y); next != nil && next.half {
		*next = cell{}
	}
	*s.at(x, y) = c
}

// putParts writes parts with gaps between them.
func (s *Screen) putParts(x, y int, parts []part, limit int) {
	end := x + limit
	for _, p := range fit(parts, limit) {
		x += s.put(x, y, p.text, p.tone, end-x) + columnGap
	}
}
