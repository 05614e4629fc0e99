package agent

import (
	"strings"
	"testing"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/playctl/playctl/internal/command"
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
