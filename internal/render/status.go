package render

import (
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Status is the state of a live copy of a world.
type Status struct {
	// Connected says that the host's stream is open, Tried that it was before.
	Connected, Tried bool
	// Verified says that the copy equals the host's. Known describes the state of a
	// copy that is not verified, such as "catching up".
	Verified bool
	Known    string
	// WentBack says that the host went back to an earlier state at some time.
	WentBack bool
	// Rev is the copy's revision, nil if there is none.
	Rev *uint64
	// Root is the copy's root, "" if there is no copy.
	Root string
	// Occupants is the number of rows on the map.
	Occupants int
	// Lag is the time from the host's clock to here of the last live event; HasLag is
	// false before there was one.
	Lag    time.Duration
	HasLag bool
}

// shownRoot is how many digits of a root are shown.
const shownRoot = 8

// part is a piece of a line in one tone.
type part struct {
	tone tone
	text string
}

// parts returns the pieces of a status, the more important ones first.
func (s Status) parts() []part {
	parts := []part{s.connection(), s.proof()}
	if s.Rev != nil {
		parts = append(parts, part{plain, fmt.Sprintf("rev %d", *s.Rev)})
	}
	if s.Root == "" {
		return parts
	}
	parts = append(parts,
		part{plain, "root " + Clean(s.Root[:min(shownRoot, len(s.Root))])},
		part{plain, fmt.Sprintf("%d on the map", s.Occupants)})
	if s.HasLag {
		parts = append(parts, part{faint, "lag " + Span(max(s.Lag, 0))})
	}
	return parts
}

func (s Status) connection() part {
	switch {
	case s.Connected:
		return part{good, "live"}
	case s.Tried:
		return part{bad, "reconnecting"}
	}
	return part{warn, "connecting"}
}

// proof says whether the copy is verified. Without a connection it is the last
// known state of the host, which may have changed.
func (s Status) proof() part {
	switch {
	case s.Root == "":
		return part{faint, "no copy yet"}
	case !s.Connected:
		return part{warn, "stale"}
	case s.Verified && s.WentBack:
		return part{warn, "verified since the host went back"}
	case s.Verified:
		return part{good, "verified"}
	}
	return part{warn, Clean("not verified: " + s.Known)}
}

// fit omits parts from the end until the rest fits into width columns; the first
// two always stay. A width of 0 is unlimited.
func fit(parts []part, width int) []part {
	for width > 0 && len(parts) > 2 && lineWidth(parts) > width {
		parts = parts[:len(parts)-1]
	}
	return parts
}

func lineWidth(parts []part) int {
	total := -columnGap
	for _, p := range parts {
		total += columnGap + lipgloss.Width(p.text)
	}
	return total
}

// StatusLine returns a status on one line, without a line break, that leaves the
// last column of the window free. A narrow window shows less of it, but never
// changes its meaning.
func StatusLine(look Look, status Status) string {
	width := max(look.Width-1, 0)
	shown := fit(status.parts(), width)
	words := make([]string, len(shown))
	for i, p := range shown {
		words[i] = look.paint(p.tone, p.text)
	}
	line := strings.Join(words, strings.Repeat(" ", columnGap))
	if width > 0 {
		line = ansi.Truncate(line, width, "…")
	}
	return line
}
