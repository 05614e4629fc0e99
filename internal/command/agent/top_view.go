package agent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// The widths of the columns of top. The name of an agent has up to nameWidth, or a
// quarter of a wider window; or in a window without room for owners, which is narrower
// than ownedWidth, all that is left.
const (
	nameWidth, ownerWidth, answeringWidth = 18, 13, 9
	ownedWidth                            = 60
	// leastLast is the least width of the column with the last event.
	leastLast = 12
)

// topKeys are the keys of top.
var topKeys = [][2]string{
	{"↑ ↓ j k", "select an agent"},
	{"Home End", "the first, the last"},
	{"Enter", "its tools and last lines"},
	{"/", "filter by name or platform"},
	{"a", "ask the agent"},
	{"?", "show or hide the keys"},
	{"Esc q", "go back, quit"},
}

// View implements tea.Model.
func (m *topModel) View() tea.View {
	rows, at := m.shown()
	widths := m.columns(rows)
	lines := []string{m.title(len(rows)), "", m.look.Faint("  " + m.cells(widths, "AGENT", "OWNER", "ANSWERING", "LAST"))}
	below := m.below()
	room := max(1, m.height-len(lines)-len(below))
	first := max(0, min(at-room/2, len(rows)-room))
	for i := first; i < min(len(rows), first+room); i++ {
		lines = append(lines, m.row(widths, rows[i], i == at))
	}
	if len(rows) == 0 {
		lines = append(lines, m.look.Faint("no agents here"))
	}
	for len(lines) < m.height-len(below) {
		lines = append(lines, "")
	}
	lines = append(lines, below...)
	if height := max(1, m.height); len(lines) > height {
		lines = append(lines[:height-1], below[len(below)-1]) // what is typed is always shown
	}
	for i := range lines {
		lines[i] = ansi.Truncate(lines[i], max(1, m.width), "…")
	}
	view := tea.NewView(strings.Join(lines, "\n"))
	view.AltScreen = true
	return view
}

func (m *topModel) title(shown int) string {
	state := m.look.Good("live")
	if !m.connected {
		state = m.look.Warn("connecting")
	}
	text := state + "  " + m.look.Strong(command.Plural(shown, "agent", "agents")) + " at " + render.Clean(m.caller.Server)
	if m.filter != "" {
		text += m.look.Faint("  filter: " + render.Clean(m.filter))
	}
	return text
}

// columns returns the widths of the columns for the window; 0 for one that has no room.
func (m *topModel) columns(rows []*protocol.Agent) (widths [4]int) {
	const gap, cursor = 2, 2
	room := m.width - cursor - answeringWidth - gap
	widths[0], widths[2] = room, answeringWidth
	if m.width >= ownedWidth {
		room -= ownerWidth + gap
		widths[0], widths[1] = max(nameWidth, m.width/4), ownerWidth
	}
	longest := len("AGENT")
	for _, row := range rows {
		longest = max(longest, ansi.StringWidth(render.Clean(row.Name)))
	}
	widths[0] = max(1, min(longest, widths[0]))
	if last := room - widths[0] - gap; last >= leastLast {
		widths[3] = last
	}
	return widths
}

// cells returns the columns of one line.
func (m *topModel) cells(widths [4]int, texts ...string) string {
	var shown []string
	for i, text := range texts {
		if widths[i] > 0 {
			text = ansi.Truncate(text, widths[i], "…")
			shown = append(shown, text+strings.Repeat(" ", widths[i]-ansi.StringWidth(text)))
		}
	}
	return strings.Join(shown, "  ")
}

// row returns one agent on a line.
func (m *topModel) row(widths [4]int, row *protocol.Agent, chosen bool) string {
	owner := render.ShortID(row.NodeID)
	if m.caller.Owns(row) {
		owner = "you"
	}
	last := ""
	if lines := m.lines[row.AgentID]; len(lines) > 0 {
		last = lines[len(lines)-1]
	}
	text := m.cells(widths, render.Clean(row.Name), owner, cmp.Or(m.answering[row.AgentID].Answering, protocol.AnsweringUnknown), last)
	if chosen {
		return m.look.Strong("> " + text)
	}
	return "  " + text
}

// below returns the lines under the list: the keys or details, and the input line or the
// most important keys.
func (m *topModel) below() []string {
	var lines []string
	i := slices.IndexFunc(m.rows, func(row *protocol.Agent) bool { return row.AgentID == m.chosen })
	switch {
	case m.help:
		lines = append(lines, "")
		for _, key := range topKeys {
			lines = append(lines, fmt.Sprintf("  %-8s  %s", key[0], key[1]))
		}
	case m.details && i >= 0:
		lines = append([]string{""}, m.detail(m.rows[i])...)
		room := max(1, m.height/2-len(lines))
		var said []string
		if m.ref.ID == m.chosen && (m.asking || m.said != "") {
			said = m.wrapped(m.look.Accent, strings.TrimRight(command.ShownText(cmp.Or(m.said, "…")), "\n"))
		}
		for _, line := range m.lines[m.chosen] {
			said = append(said, m.look.Faint("  "+line))
		}
		lines = append(lines, said[max(0, len(said)-room):]...)
	}
	if m.typing != "" {
		return append(lines, m.input.View())
	}
	keys := "↑↓ select  Enter details  / filter  a ask  ? keys  q quit"
	if ansi.StringWidth(keys) > m.width {
		keys = "Enter details  a ask  ? keys  q quit"
	}
	return append(lines, m.look.Faint(keys))
}

// detail returns what is known of an agent.
func (m *topModel) detail(row *protocol.Agent) []string {
	text := fmt.Sprintf("%s  %s  %s  (%v, %v)  tools: %s", m.look.Strong(render.Clean(row.Name)), render.ShortID(row.AgentID), render.Clean(row.Platform),
		row.X, row.Y, render.Clean(strings.Join(row.ToolNames, ", ")))
	return strings.Split(command.Wrap(text, max(1, m.width)), "\n")
}

// wrapped returns indented lines of a text that fit the window.
func (m *topModel) wrapped(paint func(string) string, text string) []string {
	lines := strings.Split(command.Wrap(text, max(1, m.width-2)), "\n")
	for i, line := range lines {
		lines[i] = paint("  " + line)
	}
	return lines
}
