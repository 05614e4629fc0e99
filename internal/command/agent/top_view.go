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

// topKeys are the keys of top.
var topKeys = [][2]string{
	{"↑ ↓ j k", "select an agent"},
	{"Home End", "the first, the last"},
	{"Enter", "its tools and last lines"},
	{"s", "only agents in the next state"},
	{"g", "only agents of the next group"},
	{"/", "filter by name, platform or group"},
	{"a", "ask the agent"},
	{"?", "show or hide the keys"},
	{"Esc q", "go back, quit"},
}

// View implements tea.Model.
func (m *topModel) View() tea.View {
	rows, at := m.shown()
	const cursor = 2
	roster := render.NewRoster(m.look, rows, m.width-cursor, render.RosterTexts{Owner: m.owner, Answering: m.answers, Last: m.last})
	lines := []string{m.title(len(rows)), "", "  " + roster.Titles()}
	below := m.below()
	room := max(1, m.height-len(lines)-len(below))
	first := max(0, min(at-room/2, len(rows)-room))
	for i := first; i < min(len(rows), first+room); i++ {
		sign := "  "
		if i == at {
			sign = m.look.Strong("> ")
		}
		lines = append(lines, sign+roster.Line(rows[i], i == at))
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
	count := command.Plural(len(m.rows), "agent", "agents")
	if shown < len(m.rows) {
		count = fmt.Sprintf("%d of %s", shown, count)
	}
	texts := []string{state, m.look.Strong(count)}
	if filter := m.filter.String(); filter != "" {
		texts = append(texts, m.look.Accent("filter: "+render.Clean(filter)))
	}
	if counts := render.CountsText(render.CountAgents(m.rows)); counts != "" {
		texts = append(texts, counts)
	}
	return strings.Join(append(texts, m.look.Faint(render.Clean(m.caller.Server))), "  ")
}

// owner, answers and last return what is known of an agent besides its row.
func (m *topModel) owner(row *protocol.Agent) string {
	if m.caller.Owns(row) {
		return "you"
	}
	return render.ShortID(row.NodeID)
}

func (m *topModel) answers(row *protocol.Agent) string {
	return cmp.Or(m.answering[row.AgentID].Answering, protocol.AnsweringUnknown)
}

func (m *topModel) last(row *protocol.Agent) string {
	if lines := m.lines[row.AgentID]; len(lines) > 0 {
		return lines[len(lines)-1]
	}
	return ""
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
	keys := "↑↓ select  Enter details  s state  g group  / filter  a ask  ? keys  q quit"
	if ansi.StringWidth(keys) > m.width {
		keys = "Enter details  s state  ? keys  q quit"
	}
	return append(lines, m.look.Faint(keys))
}

// detail returns what is known of an agent, on at most half of the window.
func (m *topModel) detail(row *protocol.Agent) []string {
	texts := []string{fmt.Sprintf("%s  %s  %s  (%v, %v)  %s, answering: %s", m.look.Strong(render.Clean(row.Name)), render.ShortID(row.AgentID), render.Clean(row.Platform),
		row.X, row.Y, m.owner(row), m.answers(row))}
	for _, part := range [][2]string{
		{"", strings.TrimSuffix(m.look.StateText(row.Activity)+": "+render.DoingText(row.Activity), ": ")},
		{"", render.UsageText(row.Activity)},
		{"group: ", row.Group}, {"started by ", m.parent(row)}, {"tools: ", strings.Join(row.ToolNames, ", ")},
	} {
		if part[1] != "" {
			texts = append(texts, render.Clean(part[0]+part[1]))
		}
	}
	lines := strings.Split(command.Wrap(strings.Join(texts, "\n"), max(1, m.width)), "\n")
	if most := max(1, m.height/2-1); len(lines) > most {
		lines = append(lines[:most-1], "…")
	}
	return lines
}

// parent returns the name of the agent that started one.
func (m *topModel) parent(row *protocol.Agent) string {
	if row.ParentID == "" {
		return ""
	}
	return m.names.Of(row.ParentID)
}

// wrapped returns indented lines of a text that fit the window.
func (m *topModel) wrapped(paint func(string) string, text string) []string {
	lines := strings.Split(command.Wrap(text, max(1, m.width-2)), "\n")
	for i, line := range lines {
		lines[i] = paint("  " + line)
	}
	return lines
}
