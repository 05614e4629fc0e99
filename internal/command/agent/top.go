package agent

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

const (
	// keptLines is the number of lines kept for each agent, mostAgents the number of agents.
	keptLines, mostAgents = 20, 10_000
	// answeringStep is the interval at which the host is asked for which agents programs
	// answer.
	answeringStep = 5 * time.Second
)

func newTopCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:     "top",
		GroupID: command.GroupWorld,
		Short:   "Show live what the agents on the map do, and ask them",
		Long: `Show the agents on the map live: what they do now and since when, those who wait for a person first,
and agents that another one started below it; in a wide window also tokens, cost, group, owner and
whether a program answers. An agent that does not say what it does shows its last event. The arrow
keys select one, Enter shows details, s and g filter by state and group, / by name, a asks the agent,
? lists the keys, and q or Esc goes back or quits.`,
		Example: command.Example("playctl top"),
		Args:    command.Takes(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return top(cmd.Context(), a) },
	}
}

// top shows the agents until the person leaves.
func top(ctx context.Context, a *command.App) (err error) {
	if err := needsTerminal(a, false, "playctl agent list"); err != nil {
		return err
	}
	caller, err := a.Caller()
	if err != nil {
		return err
	}
	if err := a.Reach(ctx, caller); err != nil {
		return err
	}
	world, err := remoteWorld(a, caller)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, world.Close(context.WithoutCancel(ctx))) }()
	host, err := a.Client(caller, caller.Reader())
	if err != nil {
		return err
	}
	defer host.Close()
	m := &topModel{asker: &asker{app: a, world: world, ctx: ctx}, caller: caller, look: a.Look(a.Stdout), lines: map[string][]string{}, input: textinput.New()}
	following, stop := context.WithCancel(ctx)
	defer stop()
	m.program = tea.NewProgram(m, m.options(ctx)...)
	m.send = m.program.Send
	sub, err := world.SubscribeWorldState(following, sdk.SubscribeOptions{
		OnSnapshot: func(u sdk.Update) {
			var rows rowsMsg
			for occupant := range u.Snapshot.Occupants() {
				if row, ok := occupant.(*protocol.Agent); ok {
					rows = append(rows, row)
				}
			}
			m.send(rows)
		},
		OnEvent: func(e sdk.Event) { m.send(e) },
		OnState: func(s sdk.State) { m.send(s) },
	})
	if err != nil {
		return err
	}
	defer sub.Close()
	m.running.Go(func() { m.watchAnswering(following, host) })
	m.stop = stop
	return m.show(ctx)
}

// rowsMsg are the agents on the map, answeringMsg whether programs answer for them, and
// clockMsg is the time.
type (
	rowsMsg      []*protocol.Agent
	answeringMsg map[string]protocol.AnsweringAgent
	clockMsg     time.Time
)

// topModel is the list of agents, with the details of one or an input line below it.
type topModel struct {
	*asker
	caller    *command.Caller
	look      render.Look
	rows      rowsMsg
	answering answeringMsg
	connected bool
	names     render.Names
	// lines are the last events of each agent, by its id, the oldest first.
	lines map[string][]string
	// chosen is the id of the agent under the cursor.
	chosen  string
	details bool
	// help is set while the keys are shown.
	help          bool
	width, height int
	filter        render.RosterFilter
	// typing is the purpose of the input: "filter", "ask" or nothing.
	typing string
	input  textinput.Model
	// said is the answer to the last question.
	said   string
	asking bool
}

// watchAnswering requests the answering agents from the host until ctx ends.
func (m *topModel) watchAnswering(ctx context.Context, host *client.Client) {
	for {
		limited, cancel := m.app.Limited(ctx)
		known, err := command.Answering(limited, host)
		cancel()
		if err == nil {
			m.send(answeringMsg(known))
		}
		if !pause.For(ctx, answeringStep) {
			return
		}
	}
}

// Init implements tea.Model.
func (m *topModel) Init() tea.Cmd { return clock() }

// clock sends the time after a second, for the column that says since when.
func clock() tea.Cmd {
	return tea.Tick(time.Second, func(now time.Time) tea.Msg { return clockMsg(now) })
}

// Update implements tea.Model.
func (m *topModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.input.SetWidth(max(1, msg.Width-10))
	case rowsMsg:
		m.rows = msg[:min(len(msg), mostAgents)]
		for _, row := range m.rows {
			m.names.Learn(row.AgentID, row.Name)
		}
		m.forget()
	case clockMsg:
		m.look.Now = time.Time(msg)
		return m, clock()
	case answeringMsg:
		m.answering = msg
	case sdk.State:
		m.connected = msg.Connected
	case sdk.Event:
		m.note(msg)
	case partMsg:
		m.said += string(msg)
	case answerMsg:
		m.asking, m.said = false, msg.text
		if msg.err != nil {
			m.said = msg.err.Error()
		}
	case tea.KeyPressMsg:
		return m.key(msg)
	}
	return m, nil
}

// forget drops the data of agents that are no longer on the map.
func (m *topModel) forget() {
	here := map[string]bool{}
	for _, row := range m.rows {
		here[row.AgentID] = true
	}
	maps.DeleteFunc(m.lines, func(id string, _ []string) bool { return !here[id] })
	if !here[m.chosen] {
		m.details = false
	}
}

// note adds an event to the lines of its agent.
func (m *topModel) note(e sdk.Event) {
	var about struct {
		PlayerID     string `json:"playerId"`
		FromPlayerID string `json:"fromPlayerId"`
		Player       struct {
			AgentID string `json:"agentId"`
		} `json:"player"`
	}
	if e.Decode(&about) != nil {
		return
	}
	id := cmp.Or(about.PlayerID, about.FromPlayerID, about.Player.AgentID)
	line := strings.TrimRight(render.EventLine(render.Look{Now: m.app.Now(), Zone: m.app.Zone}, &m.names, render.Event{Kind: e.Kind, Data: e.Data, Seen: m.app.Now()}), "\n")
	if id == "" || line == "" || len(m.lines) >= mostAgents && m.lines[id] == nil {
		return
	}
	m.lines[id] = append(m.lines[id], line)
	m.lines[id] = m.lines[id][max(0, len(m.lines[id])-keptLines):]
}

// shown returns the agents that match the filter, and the cursor's index among them.
func (m *topModel) shown() (rows []render.Placed, at int) {
	rows = m.filter.Of(m.rows)
	at = max(0, slices.IndexFunc(rows, func(row render.Placed) bool { return row.AgentID == m.chosen }))
	return rows, at
}

func (m *topModel) key(msg tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	switch key := msg.String(); {
	case key == "ctrl+c":
		return m, tea.Interrupt
	case key == "ctrl+z":
		return m, tea.Suspend
	case m.typing != "":
		return m.typed(msg)
	case key == "q", key == "esc" && !m.back():
		return m, tea.Quit
	case key == "esc":
		return m, nil
	default:
		cmd := m.command(key)
		return m, cmd
	}
}

// back closes the keys, else the details, else ends the filter; false if there is nothing
// to go back from.
func (m *topModel) back() bool {
	switch {
	case m.help:
		m.help = false
	case m.details:
		m.details = false
	case m.filter != render.RosterFilter{}:
		m.filter = render.RosterFilter{}
	default:
		return false
	}
	return true
}

// command handles a key in the list.
func (m *topModel) command(key string) tea.Cmd {
	rows, at := m.shown()
	choose := func(to int) {
		if len(rows) > 0 {
			m.chosen, m.said = rows[max(0, min(to, len(rows)-1))].AgentID, ""
		}
	}
	switch key {
	case "up", "k":
		choose(at - 1)
	case "down", "j":
		choose(at + 1)
	case "pgup", "home":
		choose(0)
	case "pgdown", "end":
		choose(len(rows) - 1)
	case "enter":
		choose(at)
		m.details, m.help = !m.details && len(rows) > 0, false
	case "?":
		m.help = !m.help
	case "s":
		m.filter = m.filter.NextState(m.rows)
	case "g":
		m.filter = m.filter.NextGroup(m.rows)
	case "/":
		return m.begin("filter", m.filter.Text)
	case "a":
		if choose(at); m.chosen != "" && !m.asking {
			return m.begin("ask", "")
		}
	}
	return nil
}

// begin lets the person type a line.
func (m *topModel) begin(what, text string) tea.Cmd {
	m.typing = what
	m.input.Prompt = what + ": "
	m.input.SetValue(text)
	m.input.CursorEnd()
	return m.input.Focus()
}

// typed handles a key in the input line.
func (m *topModel) typed(msg tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	switch msg.String() {
	case "esc":
		if m.typing == "filter" {
			m.filter.Text = ""
		}
		m.typing = ""
		return m, nil
	case "enter":
		text := strings.TrimSpace(m.input.Value())
		if m.typing == "ask" && text != "" {
			m.details, m.help, m.asking, m.said = true, false, true, ""
			m.asker.ref = command.AgentRef{ID: m.chosen}
			m.ask(sdk.IntercomQuestion{To: m.chosen, Text: text})
		}
		m.typing = ""
		return m, nil
	}
	var cmd tea.Cmd
	m.input, cmd = m.input.Update(msg)
	if m.typing == "filter" {
		m.filter.Text = m.input.Value()
	}
	return m, cmd
}
