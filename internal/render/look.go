package render

import (
	"fmt"
	"hash/fnv"
	"time"

	"charm.land/lipgloss/v2"
)

// ColorMode is the value of --color.
type ColorMode string

// The modes of --color.
const (
	ColorAuto   ColorMode = "auto"
	ColorAlways ColorMode = "always"
	ColorNever  ColorMode = "never"
)

// ParseColorMode parses the value of --color.
func ParseColorMode(text string) (ColorMode, error) {
	switch mode := ColorMode(text); mode {
	case ColorAuto, ColorAlways, ColorNever:
		return mode, nil
	}
	return "", fmt.Errorf("%q is not a color mode: use auto, always or never", text)
}

// UseColor decides whether a stream gets color. A mode other than auto takes
// precedence; then NO_COLOR (https://no-color.org: any value that is not empty),
// then CLICOLOR_FORCE (any value but "" and "0"), then whether the stream is a
// terminal that is not dumb. env returns an environment variable.
func UseColor(mode ColorMode, env func(string) string, terminal bool) bool {
	switch {
	case mode == ColorAlways:
		return true
	case mode == ColorNever, env("NO_COLOR") != "":
		return false
	case env("CLICOLOR_FORCE") != "" && env("CLICOLOR_FORCE") != "0":
		return true
	case env("TERM") == "dumb", env("CLICOLOR") == "0":
		return false
	}
	return terminal
}

// Look is everything that affects the appearance of output.
type Look struct {
	// Color allows ANSI colors. They never carry meaning alone.
	Color bool
	// Width is the columns of the terminal; 0 means unlimited, as in a pipe.
	Width int
	// Now is the time from which ages are measured.
	Now time.Time
	// Zone is the time zone of clock times; nil means UTC.
	Zone *time.Location
}

// tone is the role of a text; the same role looks the same everywhere. The colors
// are the terminal's own sixteen, so they follow the person's theme, except for the
// colors of agents.
type tone int

const (
	plain tone = iota
	strong
	faint
	good
	bad
	warn
	accent
	speech
	// firstAgentColor is the tone of the first of agentColors; the others follow.
	firstAgentColor
)

func (l Look) paint(t tone, text string) string {
	if !l.Color || t == plain || text == "" {
		return text
	}
	return l.style(t).Render(text)
}

func (l Look) style(t tone) lipgloss.Style {
	style := lipgloss.NewStyle().Inline(true)
	if !l.Color {
		return style
	}
	if color := int(t - firstAgentColor); color >= 0 && color < len(agentColors) {
		return style.Foreground(lipgloss.ANSIColor(agentColors[color]))
	}
	switch t {
	case strong:
		return style.Bold(true)
	case faint:
		return style.Faint(true)
	case good:
		return style.Foreground(lipgloss.Green)
	case bad:
		return style.Foreground(lipgloss.Red).Bold(true)
	case warn:
		return style.Foreground(lipgloss.Yellow)
	case accent:
		return style.Foreground(lipgloss.Cyan)
	case speech:
		return style.Foreground(lipgloss.Blue)
	case plain, firstAgentColor:
	}
	return style
}

// Strong returns text that stands out, such as the name of what a line is about.
func (l Look) Strong(text string) string { return l.paint(strong, text) }

// Faint returns less important text.
func (l Look) Faint(text string) string { return l.paint(faint, text) }

// Good returns text that reports a success; the words say so as well.
func (l Look) Good(text string) string { return l.paint(good, text) }

// Bad returns text that reports a failure; the words say so as well.
func (l Look) Bad(text string) string { return l.paint(bad, text) }

// Warn returns text that warns; the words say so as well.
func (l Look) Warn(text string) string { return l.paint(warn, text) }

// Accent returns text to copy: a command, a URL.
func (l Look) Accent(text string) string { return l.paint(accent, text) }

// agentColors are the colors of agents, as indexes of the 256 colors of terminals:
// those after the first sixteen are the same everywhere, whatever the theme. They
// have medium lightness, to be visible on black and on white, and none is the cyan
// of placements or the yellow of places. The watch page uses the same ones.
var agentColors = [...]uint8{167, 173, 172, 106, 71, 36, 67, 69, 98, 134, 169, 161}

// agentColor returns the index of an agent's color in agentColors. It depends on
// the agent's id only, so that an agent looks the same in every terminal and on the
// watch page.
func agentColor(agentID string) int {
	return int(lookSeed(agentID) % uint32(len(agentColors)))
}

// lookSeed returns the number that determines an agent's looks: FNV-1a of 32 bits
// of the id (G. Fowler, L. C. Noll, K.-P. Vo), its bits spread by the finalizer of
// MurmurHash3 (Austin Appleby, public domain), because ids that differ in one
// character should look different.
func lookSeed(id string) uint32 {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(id))
	h := sum.Sum32()
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}
