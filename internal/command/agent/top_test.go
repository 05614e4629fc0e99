package agent

import (
	"strings"
	"testing"
	"unicode"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/protocol"
)

// If the cursor moves to another agent during an answer, the answer is shown only in the
// details of the agent that gives it.
func TestTopShowsAnswerOfItsAgent(t *testing.T) {
	t.Parallel()
	m := &topModel{
		asker: &asker{ref: command.AgentRef{ID: "ada"}}, caller: &command.Caller{}, input: textinput.New(),
		rows: rowsMsg{{AgentID: "ada", Name: "Ada"}, {AgentID: "bo", Name: "Bo"}}, chosen: "ada", details: true, asking: true, width: 80, height: 24,
	}
	send := func(msg tea.Msg) string {
		m.Update(msg)
		return strings.Join(m.below(), "\n")
	}
	if shown := send(partMsg("Good ")); !strings.Contains(shown, "Good") {
		t.Errorf("the first part is not shown: %s", shown)
	}
	if shown := send(tea.KeyPressMsg{Code: tea.KeyDown}); !strings.Contains(shown, "Bo") || strings.Contains(shown, "…") {
		t.Errorf("Bo is shown as asked: %s", shown)
	}
	if shown := send(answerMsg{text: "Good morning"}); strings.Contains(shown, "Good morning") {
		t.Errorf("Ada's answer is shown as Bo's: %s", shown)
	}
	if shown := send(tea.KeyPressMsg{Code: tea.KeyUp}); !strings.Contains(shown, "Ada") {
		t.Errorf("the cursor is not on Ada: %s", shown)
	}
}

// In a narrow window top still shows whether programs answer, and what is typed.
func TestTopFitsWindow(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{24, 5}, {40, 16}, {59, 24}, {60, 24}, {80, 24}, {200, 60}} {
		m := &topModel{
			asker: &asker{}, caller: &command.Caller{Server: "https://play.example.com"}, input: textinput.New(), width: size[0], height: size[1],
			rows:      rowsMsg{{AgentID: "ada", Name: "Ada of the library on the hill by the sea 日本語"}, {AgentID: "bo", Name: "Bo"}},
			answering: answeringMsg{"ada": {Answering: protocol.AnsweringYes}},
			lines:     map[string][]string{"bo": {"12:00:00  says      Bo: All 412 tests are green."}},
		}
		shown := m.View().Content
		if lines := strings.Split(shown, "\n"); len(lines) > size[1] {
			t.Errorf("%v: %d lines:\n%s", size, len(lines), shown)
		}
		for line := range strings.SplitSeq(shown, "\n") {
			if ansi.StringWidth(line) > size[0] {
				t.Errorf("%v: a line has %d columns: %s", size, ansi.StringWidth(line), line)
			}
		}
		for _, text := range []string{"live", "AGENT", "ANSWERING", "yes"} {
			if !strings.Contains(strings.Replace(shown, "connecting", "live", 1), text) {
				t.Errorf("%v: there is no %s:\n%s", size, text, shown)
			}
		}
		if size[0] >= 60 && (!strings.Contains(shown, "OWNER") || !strings.Contains(shown, "12:00:00")) {
			t.Errorf("%v: there is no owner or no last line:\n%s", size, shown)
		}
		for _, key := range "a?" {
			m.Update(tea.KeyPressMsg{Code: key, Text: string(key)})
		}
		if shown := ansi.Strip(m.View().Content); !strings.HasPrefix(shown[strings.LastIndex(shown, "\n")+1:], "ask: ?") {
			t.Errorf("%v: what is typed is not shown:\n%s", size, shown)
		}
		m.Update(tea.KeyPressMsg{Code: tea.KeyEscape})
		m.Update(tea.KeyPressMsg{Code: '?', Text: "?"})
		if shown := m.View().Content; size[1] >= 16 && !strings.Contains(shown, "ask the agent") {
			t.Errorf("%v: the keys are not shown:\n%s", size, shown)
		}
	}
}

// The keys s and g show the agents in one state and of one group; Esc shows all again. The
// cursor stays on its agent while the order changes.
func TestTopFilters(t *testing.T) {
	t.Parallel()
	m := &topModel{asker: &asker{}, caller: &command.Caller{}, input: textinput.New(), width: 80, height: 24}
	doing := func(name, state, group string) *protocol.Agent {
		return &protocol.Agent{AgentID: name, Name: name, Group: group, Activity: &protocol.Activity{State: state, Text: "text-of-" + name}}
	}
	m.rows = rowsMsg{doing("ada", "working", "docs"), doing("bo", "waiting", "infra"), doing("cy", "idle", "docs")}
	shows := func(keys, want string) {
		t.Helper()
		for _, key := range keys {
			m.Update(tea.KeyPressMsg{Code: key, Text: strings.TrimFunc(string(key), unicode.IsControl)})
		}
		var names []string
		for line := range strings.Lines(ansi.Strip(m.View().Content)) {
			if name, _, found := strings.Cut(strings.TrimLeft(line, "> "), " "); found && strings.Contains(line, "text-of-") {
				names = append(names, name)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("after %q: %q, want %q", keys, got, want)
		}
	}
	shows("", "bo ada cy")
	shows("s", "bo")
	shows("s", "ada")
	shows("g", "ada")
	shows("ss", "ada cy")
	if title := ansi.Strip(m.title(2)); !strings.Contains(title, "2 of 3 agents  filter: in docs  1 working · 1 waiting · 1 idle") {
		t.Errorf("the title is %q", title)
	}
	shows("gg", "bo ada cy")
	shows("s"+string(tea.KeyEnter)+string(tea.KeyEscape), "bo") // Esc goes back one step
	shows(string(tea.KeyEscape), "bo ada cy")

	m.Update(tea.KeyPressMsg{Code: tea.KeyDown})
	m.Update(rowsMsg{doing("ada", "idle", ""), doing("bo", "working", ""), doing("cy", "waiting", "")})
	shows("", "cy bo ada")
	if shown := ansi.Strip(m.View().Content); !strings.Contains(shown, "> ada") {
		t.Errorf("the cursor left its agent:\n%s", shown)
	}
}
