package render

import (
	"fmt"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/playctl/playctl/protocol"
)

// crowd returns agents in all states: some with children, groups, usage and hostile texts.
func crowd(count int) []*protocol.Agent {
	states := append(protocol.ActivityStates(), "")
	names := []string{"Ada", "Grace", "Lin", "Dorothy", "\x1b[2J\u202e日本語の名前 長い長い長い長い", "Mary", "Evelyn", "Hedy"}
	texts := map[string]string{
		protocol.ActivityWorking: "Editing commit.go", protocol.ActivityWaiting: "May I delete the branch?", protocol.ActivityDone: strings.Repeat("語", 200),
		protocol.ActivityFailed: "Timeout\x1b]0;owned\x07Error", protocol.ActivityIdle: "",
	}
	rows := make([]*protocol.Agent, count)
	for i := range rows {
		row := &protocol.Agent{AgentID: fmt.Sprint("a", i), NodeID: "m", Name: names[i%len(names)], Platform: "go", X: float64(i % 20), Y: float64(i / 20)}
		if i >= len(names) {
			row.Name += fmt.Sprint(" ", i/len(names))
		}
		if i%5 == 3 {
			row.ParentID = fmt.Sprint("a", i-2)
		}
		row.Group = []string{"checkout", "infra", ""}[i%3]
		if state := states[i%len(states)]; state != "" {
			since := noon.Add(-time.Duration(i*i) * 7 * time.Second)
			row.Activity = &protocol.Activity{State: state, Text: texts[state], Since: since.Format(time.RFC3339)}
			if i%2 == 0 {
				row.Activity.ToolName = "edit"
				row.Activity.Usage = &protocol.Usage{InputTokens: new(float64(900 * (i + 1) * (i + 1))), CostUSD: new(float64(i) / 3)}
			}
		}
		rows[i] = row
	}
	return rows
}

func rosterText(look Look, rows []*protocol.Agent) string {
	placed := Arrange(rows)
	roster := NewRoster(look, placed, look.Width, RosterTexts{
		Owner: func(*protocol.Agent) string { return "you" }, Answering: func(*protocol.Agent) string { return "yes" },
		Last: func(row *protocol.Agent) string { return "12:00:00  says      " + row.Name + ": Hello." },
	})
	text := roster.Titles() + "\n"
	for i, row := range placed {
		text += roster.Line(row, i == 1) + "\n"
	}
	return text
}

func TestRosterGolden(t *testing.T) {
	t.Parallel()
	for name, look := range looks() {
		if look.Width == 0 {
			look.Width = 120
		}
		text := rosterText(look, crowd(18))
		golden(t, path.Join("roster", name+".txt"), text)
		inWindow(t, "roster", look, text)
	}
}

// At any width each agent has one line that is not too wide; its state is on it as soon as
// there is room, and a change of what agents do moves no column.
func TestRosterInAnyWindow(t *testing.T) {
	t.Parallel()
	for width := 1; width < 160; width += 3 {
		look := Look{Width: width, Now: noon}
		for _, count := range []int{0, 5, 30} {
			rows := crowd(count)
			text := rosterText(look, rows)
			inWindow(t, fmt.Sprint(width), look, text)
			if lines := strings.Count(text, "\n"); lines != count+1 {
				t.Fatalf("%d agents at %d columns have %d lines", count, width, lines)
			}
			if width >= 16 && count > 0 && !strings.Contains(text, "waiting") {
				t.Errorf("at %d columns there is no state:\n%s", width, text)
			}
			for _, row := range rows {
				if row.Activity != nil {
					row.Activity = &protocol.Activity{State: protocol.ActivityWorking, Text: "x", Since: "2026-03-04T11:59:59.000Z", Usage: row.Activity.Usage}
				}
			}
			before, _, _ := strings.Cut(text, "\n")
			now, _, _ := strings.Cut(rosterText(look, rows), "\n")
			if before != now {
				t.Errorf("at %d columns the columns moved:\n%s\n%s", width, before, now)
			}
		}
	}
}

// A list in which no agent says what it does has no empty columns.
func TestRosterWithoutActivity(t *testing.T) {
	t.Parallel()
	rows := []*protocol.Agent{{AgentID: "a", Name: "Ada"}}
	if text := rosterText(Look{Width: 80, Now: noon}, rows); strings.Contains(text, "STATE") || !strings.Contains(text, "ANSWERING  LAST") {
		t.Errorf("the columns are:\n%s", text)
	}
	if text := rosterText(Look{Width: 30, Now: noon}, rows); !strings.HasPrefix(text, "AGENT  ANSWERING") || ansi.StringWidth(strings.Split(text, "\n")[0]) > 30 {
		t.Errorf("the columns are:\n%s", text)
	}
}
