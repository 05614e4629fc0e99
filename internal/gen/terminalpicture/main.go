// Command terminalpicture draws a terminal's screen as an SVG picture. It reads the
// lines of a screen with their colors, as "tmux capture-pane -e -p" prints them,
// and writes the picture; docs/images/terminal.sh generates the project's pictures
// with it.
package main

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// The measures of a cell, and of what is around the screen, in pixels.
const (
	cellWidth  = 8.4
	cellHeight = 17.0
	margin     = 12.0
	// baseline is the baseline of letters in a cell, from its top.
	baseline = 0.8
)

// longestLine bounds one line with its colors, in bytes.
const longestLine = 1 << 20

func main() {
	if err := draw(os.Stdin, os.Stdout); err != nil { //nolint:forbidigo // this is main
		fmt.Fprintln(os.Stderr, "terminalpicture:", err) //nolint:forbidigo // as above
		os.Exit(1)                                       //nolint:forbidigo // as above
	}
}

// draw reads a screen and writes its picture.
func draw(in io.Reader, out io.Writer) error {
	var rows [][]run
	width := 0
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longestLine)
	now := plain
	for lines.Scan() {
		var row []run
		row, now = runsOf(lines.Text(), now)
		rows = append(rows, row)
		for _, r := range row {
			width = max(width, r.column+r.width)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read the screen: %w", err)
	}
	picture := bufio.NewWriter(out)
	writePicture(picture, rows, width)
	if err := picture.Flush(); err != nil {
		return fmt.Errorf("write the picture: %w", err)
	}
	return nil
}

// writePicture writes rows of runs. A write error is returned when the writer is
// flushed.
func writePicture(w *bufio.Writer, rows [][]run, width int) {
	put := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }
	put(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="ui-monospace,Menlo,Consolas,monospace" font-size="14">`+"\n",
		float64(width)*cellWidth+2*margin, float64(len(rows))*cellHeight+2*margin)
	put(`<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", background)
	for y, row := range rows {
		for _, r := range row {
			if strings.TrimSpace(r.text) == "" {
				continue
			}
			put(`<text x="%.1f" y="%.1f" fill="%s"%s textLength="%.1f" xml:space="preserve">`,
				margin+float64(r.column)*cellWidth, margin+(float64(y)+baseline)*cellHeight, r.look.color, r.look.attributes(), float64(r.width)*cellWidth)
			// An escaped text fails to be written only as the rest does.
			_ = xml.EscapeText(w, []byte(r.text))
			put("</text>\n")
		}
	}
	put("</svg>\n")
}

// run is a part of a line with one look.
type run struct {
	column, width int
	text          string
	look          look
}

// runsOf splits a line where its look changes, and returns the look at its end.
// Sequences other than colors do not come from a captured screen.
func runsOf(line string, now look) ([]run, look) {
	var row []run
	column := 0
	for line != "" {
		text, rest, found := strings.Cut(line, "\x1b[")
		if text != "" {
			width := ansi.StringWidth(text)
			row = append(row, run{column, width, text, now})
			column += width
		}
		if !found {
			break
		}
		codes, after, ended := strings.Cut(rest, "m")
		if !ended {
			break
		}
		now, line = now.with(codes), after
	}
	return row, now
}
