package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

func newChatCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:     "chat <agent>",
		GroupID: command.GroupWorld,
		Short:   "Talk with an agent at a prompt",
		Long: `Talk with an agent at a prompt. Answers appear as they arrive. /tools lists the agent's tools, and
/NAME calls the tool of that name and prompts for each argument in its schema. The arrow keys recall
earlier lines, Tab completes words that begin with /, Ctrl-C cancels a question or clears the line,
and Ctrl-D or /quit leaves. With TERM=dumb the prompt is plain: lines only, and Ctrl-C leaves.`,
		Example:           command.Example("playctl chat Ada"),
		Args:              command.Takes("agent"),
		ValidArgsFunction: a.CompletesAgent(command.SeekAny),
		RunE: func(cmd *cobra.Command, args []string) error {
			return chat(cmd.Context(), a, args[0])
		},
	}
}

// mostTyped limits the history of the arrow keys.
const mostTyped = 1000

// chat is a conversation with an agent until the person leaves.
func chat(ctx context.Context, a *command.App, name string) (err error) {
	plain := a.Env("TERM") == "dumb"
	if err := needsTerminal(a, plain, "playctl intercom send"); err != nil {
		return err
	}
	caller, ref, err := a.CallerAndAgent(ctx, name, command.SeekAny)
	if err != nil {
		return err
	}
	row, err := command.Request(ctx, a, caller, caller.Reader(), "Connecting", func(ctx context.Context, c *client.Client) (*protocol.Agent, error) {
		return command.AgentOnMap(ctx, c, ref.ID)
	})
	if err != nil {
		return err
	}
	if row == nil {
		return notOnMap(ref)
	}
	world, err := remoteWorld(a, caller)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, world.Close(context.WithoutCancel(ctx))) }()
	m := &chatModel{asker: &asker{app: a, world: world, ref: ref, ctx: ctx}, look: a.Look(a.Stdout), row: row, name: row.Name, input: textinput.New()}
	m.input.Prompt = "> "
	if plain {
		return m.plain(ctx)
	}
	m.program = tea.NewProgram(m, m.options(ctx)...)
	m.send, m.print = m.program.Send, func(text string) tea.Cmd { return tea.Println(text) }
	return m.show(ctx)
}

// chatModel is the prompt of a chat.
type chatModel struct {
	*asker
	look  render.Look
	row   *protocol.Agent
	name  string
	input textinput.Model
	// print prints a text above the prompt.
	print func(text string) tea.Cmd
	// typed is the history of lines, the oldest first; at is the arrow keys' place in it.
	typed []string
	at    int
	// form prompts for the arguments of a tool; nil for none.
	form *form
	// coming is the answer so far, while asking is true.
	asking bool
	coming string
	// next is a line that was typed during the answer; it is entered after the answer.
	next   string
	height int
}

// Init implements tea.Model.
func (m *chatModel) Init() tea.Cmd {
	return tea.Batch(m.input.Focus(), m.welcome())
}

// welcome prints who answers, and how to go on.
func (m *chatModel) welcome() tea.Cmd {
	if m.app.Settings.Quiet {
		return nil
	}
	return m.print(m.said("", m.look.Faint("You are talking with "+render.Clean(m.name)+". /help lists the commands, Ctrl-D leaves.")))
}

// Update implements tea.Model.
func (m *chatModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.look.Width, m.height = msg.Width, msg.Height
		m.input.SetWidth(max(1, msg.Width-ansi.StringWidth(m.input.Prompt)-1))
		return m, nil
	case partMsg:
		m.coming += string(msg)
		return m, nil
	case answerMsg:
		m.asking, m.coming = false, ""
		answer := m.answered(msg)
		if m.next == "" {
			return m, answer
		}
		line := m.next
		m.next = ""
		cmd := m.enter(line)
		return m, tea.Sequence(answer, cmd)
	case tea.KeyPressMsg:
		return m.key(msg)
	}
	var cmd tea.Cmd
	m.input, cmd = m.input.Update(msg)
	return m, cmd
}

// answered prints the end of an answer.
func (m *chatModel) answered(end answerMsg) tea.Cmd {
	switch {
	case errors.Is(end.err, context.Canceled):
		end.text = m.look.Faint("(you did not wait for the answer)")
	case end.err != nil:
		return m.failed(end.err)
	}
	return m.print(m.said(m.look.Accent(render.Clean(m.name)+": "), end.text))
}

// failed prints an error, and what to do next.
func (m *chatModel) failed(err error) tea.Cmd {
	var text strings.Builder
	render.Failure(&text, m.look, err.Error(), m.app.HintFor(err))
	return m.print(strings.TrimSuffix(text.String(), "\n"))
}

// said returns a text after its speaker, wrapped to the window.
func (m *chatModel) said(speaker, text string) string {
	return command.Wrap(speaker+text, max(m.look.Width, 1))
}

func (m *chatModel) key(msg tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	switch msg.String() {
	case "ctrl+c":
		cmd := m.giveUp()
		return m, cmd
	case "ctrl+d":
		if m.input.Value() == "" {
			return m, tea.Quit
		}
	case "ctrl+z":
		return m, tea.Suspend
	case "up", "down":
		m.recall(msg.String() == "up")
		return m, nil
	case "tab":
		m.complete()
		return m, nil
	case "enter":
		if m.next != "" {
			return m, nil // one question in progress and one line after it
		}
		line := strings.TrimSpace(m.input.Value())
		m.input.Reset()
		m.at = 0
		if m.asking {
			m.next = line
			return m, nil
		}
		cmd := m.enter(line)
		return m, cmd
	}
	var cmd tea.Cmd
	m.input, cmd = m.input.Update(msg)
	return m, cmd
}

// giveUp ends the question, the form or the line in progress; without any of them, the
// chat.
func (m *chatModel) giveUp() tea.Cmd {
	switch {
	case m.asking:
		m.next = ""
		m.cancel()
	case m.form != nil:
		m.endForm()
	case m.input.Value() != "":
		m.input.Reset()
	default:
		return tea.Interrupt
	}
	return nil
}

// recall moves through the history.
func (m *chatModel) recall(back bool) {
	switch {
	case m.form != nil:
		return
	case back && m.at < len(m.typed):
		m.at++
	case !back && m.at > 0:
		m.at--
	}
	m.input.Reset()
	if m.at > 0 {
		m.input.SetValue(m.typed[len(m.typed)-m.at])
		m.input.CursorEnd()
	}
}

// commands returns the tools that can be called, with the commands of the prompt.
func (m *chatModel) commands() []string {
	names := []string{"/help", "/quit", "/tools"}
	for _, tool := range m.row.AssistTools {
		names = append(names, "/"+tool.Name)
	}
	return names
}

func (m *chatModel) complete() {
	typed := m.input.Value()
	if m.form != nil || !strings.HasPrefix(typed, "/") {
		return
	}
	var fits []string
	for _, name := range m.commands() {
		if strings.HasPrefix(name, typed) {
			fits = append(fits, name)
		}
	}
	if len(fits) == 1 {
		m.input.SetValue(fits[0])
		m.input.CursorEnd()
	}
}

// enter handles a line: a value of a form, a command, or a question.
func (m *chatModel) enter(line string) tea.Cmd {
	if m.form != nil {
		return m.fill(line)
	}
	if line == "" {
		return nil
	}
	if len(m.typed) == 0 || m.typed[len(m.typed)-1] != line {
		m.typed = append(m.typed, line)
		m.typed = m.typed[max(0, len(m.typed)-mostTyped):]
	}
	mine := m.echo("> " + render.Clean(line))
	name, isCommand := strings.CutPrefix(line, "/")
	switch {
	case line == "/quit":
		return tea.Quit
	case line == "/help":
		return tea.Sequence(mine, m.print(m.help()))
	case line == "/tools":
		return tea.Sequence(mine, m.print(m.toolList()))
	case isCommand:
		i := slices.IndexFunc(m.row.AssistTools, func(tool protocol.AssistTool) bool { return tool.Name == name })
		if i < 0 {
			return tea.Sequence(mine, m.failed(fmt.Errorf("there is no %s: %s", line, strings.Join(m.commands(), ", "))))
		}
		m.form = formOf(&m.row.AssistTools[i])
		return tea.Sequence(mine, m.proceed())
	}
	m.begin(sdk.IntercomQuestion{To: m.ref.ID, Text: line})
	return mine
}

// echo repeats what was typed above the prompt; a plain terminal shows it already.
func (m *chatModel) echo(text string) tea.Cmd {
	if m.program == nil {
		return nil
	}
	return m.print(m.look.Faint(text))
}

// help returns what can be typed.
func (m *chatModel) help() string {
	lines := []string{m.said("", "A line without / is a question to "+render.Clean(m.name)+".")}
	for _, one := range [][2]string{{"/tools", "lists its tools"}, {"/NAME", "calls the tool of that name"}, {"/quit", "leaves, as Ctrl-D does"}} {
		lines = append(lines, m.said(m.look.Accent(one[0])+"  ", one[1]))
	}
	return strings.Join(lines, "\n")
}

// begin sends a question.
func (m *chatModel) begin(q sdk.IntercomQuestion) {
	m.asking = true
	m.ask(q)
}

func (m *chatModel) toolList() string {
	if len(m.row.AssistTools) == 0 {
		return render.Clean(m.name) + " has no tools that people can call."
	}
	var lines []string
	for _, tool := range m.row.AssistTools {
		lines = append(lines, m.said(m.look.Accent("/"+render.Clean(tool.Name))+"  ", render.Clean(tool.Description)))
	}
	return strings.Join(lines, "\n")
}

// View implements tea.Model: the prompt, or during a question the last lines of the
// answer that fit.
func (m *chatModel) View() tea.View {
	if !m.asking {
		return tea.NewView(m.input.View())
	}
	text := strings.TrimRight(command.ShownText(m.coming), "\n")
	if m.coming == "" {
		text = m.look.Faint("…")
	}
	lines := strings.Split(m.said(m.look.Accent(render.Clean(m.name)+": "), text), "\n")
	return tea.NewView(strings.Join(lines[max(0, len(lines)-max(1, m.height-2)):], "\n") + "\n" + m.look.Faint("(Ctrl-C ends the question)"))
}
