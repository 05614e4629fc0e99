package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// terminal is the content of a window after output was written to it, with the
// terminal features that Update uses. Any other output is an error.
type terminal struct {
	rows [][]string // a character of two columns is followed by ""
	x, y int
	// style is the style of the following characters.
	style string
}

func newTerminal(width, height int) *terminal {
	t := &terminal{rows: make([][]string, height)}
	for y := range t.rows {
		t.rows[y] = make([]string, width)
	}
	t.erase()
	return t
}

func (t *terminal) erase() {
	for _, row := range t.rows {
		for x := range row {
			row[x] = " "
		}
	}
}

func (t *terminal) write(text string) error {
	for text != "" {
		if strings.HasPrefix(text, "\x1b[") {
			end := strings.IndexFunc(text[2:], func(r rune) bool { return r >= '@' }) + 2
			if err := t.applySequence(text[2:end], text[end]); err != nil {
				return err
			}
			text = text[end+1:]
			continue
		}
		character, columns := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		if err := t.show(character, columns); err != nil {
			return err
		}
		text = text[len(character):]
	}
	return nil
}

func (t *terminal) applySequence(parameters string, what byte) error {
	switch {
	case what == 'm':
		t.style = parameters
	case parameters == "?2026" && (what == 'h' || what == 'l'):
	case what == 'J' && parameters == "2":
		t.erase()
	case what == 'H':
		if _, err := fmt.Sscanf(parameters, "%d;%d", &t.y, &t.x); err != nil {
			return err
		}
		t.x, t.y = t.x-1, t.y-1
	default:
		return fmt.Errorf("an unexpected sequence %q %c", parameters, what)
	}
	return nil
}

func (t *terminal) show(character string, columns int) error {
	if strings.ContainsFunc(character, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fmt.Errorf("a control character is written: %q", character)
	}
	row := t.rows[t.y]
	if t.x+columns > len(row) {
		return fmt.Errorf("%q is written beyond the edge", character)
	}
	// A terminal blanks the remaining half of a wide character that is cut.
	if row[t.x] == "" {
		row[t.x-1] = " "
	}
	if end := t.x + columns; end < len(row) && row[end] == "" {
		row[end] = " "
	}
	row[t.x] = character
	if character != " " {
		row[t.x] = t.style + " " + character
	}
	for i := 1; i < columns; i++ {
		row[t.x+i] = ""
	}
	t.x += columns
	return nil
}

// wantRows returns the expected rows of a terminal that shows a screen.
func wantRows(screen *Screen, look Look) [][]string {
	rows := make([][]string, screen.height)
	for y := range rows {
		for x := range screen.width {
			c := screen.at(x, y)
			switch {
			case c.half:
				rows[y] = append(rows[y], "")
			case c.text == "" || c.text == " ":
				rows[y] = append(rows[y], " ")
			default:
				style, _, _ := strings.Cut(strings.TrimPrefix(look.paint(c.tone, "x"), "\x1b["), "mx")
				rows[y] = append(rows[y], strings.TrimSuffix(style, "x")+" "+c.text)
			}
		}
	}
	return rows
}

// anyText draws wide characters, combined ones and control characters.
func anyText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", " ", "日", "語", "👩‍🚀", "é", "e\u0301", "\x1b[2J", "\u202e", "·", "…", "\n"}), 0, 20),
			func(parts []string) string { return strings.Join(parts, "") }),
	)
}

// Drawing only the differences produces the whole picture, whatever was drawn
// before.
func TestUpdatesProduceWholePicture(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		look := Look{Color: rapid.Bool().Draw(t, "color")}
		width, height := rapid.IntRange(1, 9).Draw(t, "width"), rapid.IntRange(1, 2).Draw(t, "height")
		window := newTerminal(width, height)
		var before *Screen
		for range rapid.IntRange(1, 6).Draw(t, "frames") {
			next := NewScreen(width, height)
			for range rapid.IntRange(0, 8).Draw(t, "texts") {
				next.put(rapid.IntRange(-1, width).Draw(t, "x"), rapid.IntRange(-1, height).Draw(t, "y"),
					anyText().Draw(t, "text"), tone(rapid.IntRange(0, int(speech)).Draw(t, "tone")), rapid.IntRange(0, width+3).Draw(t, "limit"))
			}
			if err := window.write(next.Update(look, before)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(wantRows(next, look), window.rows); diff != "" {
				t.Fatalf("the window shows another picture:\n%s", diff)
			}
			if again := next.Update(look, next); again != "" {
				t.Fatalf("nothing has changed, but %q is written", again)
			}
			before = next
		}
	})
}

// A change of one character writes only that character.
func TestUpdateWritesChangesOnly(t *testing.T) {
	t.Parallel()
	before, next := NewScreen(200, 50), NewScreen(200, 50)
	before.put(0, 0, strings.Repeat("a", 200), plain, 200)
	next.put(0, 0, strings.Repeat("a", 100)+"b"+strings.Repeat("a", 99), plain, 200)
	if got, want := next.Update(Look{}, before), beginUpdate+"\x1b[1;101Hb"+endUpdate; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Text returns the screen as lines, each ended by a line break and without trailing
// blanks.
func (s *Screen) Text(look Look) string {
	var out strings.Builder
	for y := range s.height {
		last := s.width
		for last > 0 && s.blank(last-1, y) {
			last--
		}
		for x := 0; x < last; {
			run, next := s.run(x, y, last)
			out.WriteString(look.paint(s.at(x, y).tone, run))
			x = next
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// run returns the text of the cells from x on that have one tone, and the start of
// the next run. Blanks have the tone of the cells before them.
func (s *Screen) run(x, y, end int) (text string, next int) {
	var out strings.Builder
	first := s.at(x, y).tone
	for next = x; next < end; next++ {
		c := s.at(next, y)
		switch {
		case c.half:
		case c.text == "":
			out.WriteByte(' ')
		case c.tone != first:
			return out.String(), next
		default:
			out.WriteString(c.text)
		}
	}
	return out.String(), next
}
