package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

const (
	// killDelay is how long a program may run after SIGTERM.
	killDelay = 2 * time.Second
	// maxComplaint is how many bytes of a program's standard error are kept.
	maxComplaint = 8 << 10
)

// commandRunner answers commands with a program.
type commandRunner struct {
	*command.App
	program   string
	arguments []string
	// text is set where the program gets the text alone.
	text bool
	// passCredentials is set where the program gets the credentials of this run.
	passCredentials bool
	maxOutput       int
	// agents are the agents that it answers for, by id.
	agents map[string]command.AgentRef
	// required are the arguments that each tool needs.
	required map[string][]string
}

// logged logs each question and its answer.
func (r *commandRunner) logged(answer sdk.IntercomExecutor) sdk.IntercomExecutor {
	return func(ctx context.Context, call *sdk.IntercomCall) (sdk.IntercomAnswer, error) {
		asked, began := &call.Command, r.Now()
		from := render.ShortID(asked.FromPlayerID)
		if protocol.IsPersonLabel(asked.FromPlayerID) {
			from = "person"
		}
		question := fmt.Sprintf("%q", brief(asked.Text))
		if asked.ToolName != "" {
			question = asked.ToolName + " " + brief(string(asked.Args))
		}
		name := r.agents[asked.ToPlayerID].Name()
		r.Note("%s", render.Clean(fmt.Sprintf("%s %s ← %s %s", r.clock(began), name, from, question)))
		given, err := sdk.IntercomAnswer{}, r.missing(asked)
		if err == nil {
			given, err = answer(ctx, call)
		}
		said := fmt.Sprintf("%q", brief(given.Message))
		switch {
		case err != nil:
			said = "failed: " + brief(err.Error())
		case given.Message == "" && given.Result != nil:
			said = brief(string(given.Result))
		}
		ended := r.Now()
		r.Note("%s", render.Clean(fmt.Sprintf("%s %s → %s %.1f s", r.clock(ended), name, said, ended.Sub(began).Seconds())))
		return given, err
	}
}

// missing returns the error of a call that lacks a required argument of the tool: the
// program is not run for it.
func (r *commandRunner) missing(asked *protocol.IntercomCommand) error {
	args, err := argsOf(asked)
	if err != nil {
		return err
	}
	for _, name := range r.required[asked.ToolName] {
		if _, given := args[name]; !given {
			return fmt.Errorf("the tool %s needs the argument %q", asked.ToolName, name)
		}
	}
	return nil
}

// argsOf returns the arguments of a call by their names.
func argsOf(asked *protocol.IntercomCommand) (args map[string]json.RawMessage, err error) {
	if len(asked.Args) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(asked.Args, &args); err != nil {
		return nil, fmt.Errorf("the arguments cannot be read: %w", err)
	}
	return args, nil
}

func (r *commandRunner) clock(at time.Time) string { return at.In(r.Zone).Format(time.TimeOnly) }

// brief returns the beginning of a text.
func brief(text string) string {
	const most = 200
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// programInput is the input of a program for one command.
type programInput struct {
	RequestID    string          `json:"requestId"`          // the id of the question
	AgentID      string          `json:"agentId"`            // the node id of the agent that is asked
	Label        string          `json:"label,omitempty"`    // the label of the agent in the context
	FromPlayerID string          `json:"fromPlayerId"`       // the asker's id
	Kind         string          `json:"kind"`               // chat, or assist for a tool
	ToolName     string          `json:"toolName,omitempty"` // the tool that is called
	Args         json.RawMessage `json:"args,omitempty"`     // the arguments of the tool
	Text         string          `json:"text,omitempty"`     // what is asked
}

// start returns a process of the program that is ready to start. It has none of this run's
// credentials, because strangers decide what the program reads.
func (r *commandRunner) start(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, r.program, r.arguments...) //nolint:gosec // G204: the person who runs playctl names it
	cmd.Dir, cmd.WaitDelay = r.Dir, killDelay
	if !r.passCredentials {
		cmd.Env = command.WithoutCredentials(cmd.Environ())
	}
	command.EndWithChildren(cmd)
	return cmd
}

// run is the executor: it runs the program for one command.
func (r *commandRunner) run(ctx context.Context, call *sdk.IntercomCall) (sdk.IntercomAnswer, error) {
	asked := &call.Command
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	output := &boundedOutput{limit: r.maxOutput, full: cancel}
	complaint := &boundedOutput{limit: maxComplaint}
	cmd := r.start(ctx)
	give := r.giveJSON
	if r.text {
		give = giveText
	}
	if err := give(cmd, asked); err != nil {
		return sdk.IntercomAnswer{}, err
	}
	cmd.Stdout, cmd.Stderr = output, complaint
	err := cmd.Run()
	r.complain(asked.RequestID, complaint)
	switch {
	case output.over:
		return sdk.IntercomAnswer{}, fmt.Errorf("the agent's program printed more than %d bytes", r.maxOutput)
	case ctx.Err() != nil:
		return sdk.IntercomAnswer{}, context.Cause(ctx)
	case err != nil:
		return sdk.IntercomAnswer{}, r.failure(asked.RequestID, err, output.kept.String())
	}
	if printed := output.kept.String(); r.text && asked.Kind != protocol.IntercomAssist {
		// What looks like JSON may be from the asker.
		return sdk.IntercomAnswer{Message: strings.TrimRight(strings.ToValidUTF8(printed, "\uFFFD"), "\r\n")}, nil
	}
	return readAnswer(output.kept.Bytes())
}

// giveJSON gives a program a command as a line of JSON.
func (r *commandRunner) giveJSON(cmd *exec.Cmd, asked *protocol.IntercomCommand) error {
	input, err := json.Marshal(programInput{
		RequestID: asked.RequestID, AgentID: asked.ToPlayerID, Label: r.agents[asked.ToPlayerID].Label,
		FromPlayerID: asked.FromPlayerID, Kind: asked.Kind, ToolName: asked.ToolName, Args: asked.Args, Text: asked.Text,
	})
	if err != nil {
		return fmt.Errorf("encode the command: %w", err)
	}
	cmd.Stdin = bytes.NewReader(append(input, '\n'))
	return nil
}

// complain shows the standard error of a program.
func (r *commandRunner) complain(requestID string, complaint *boundedOutput) {
	text := strings.TrimRight(complaint.kept.String(), "\r\n")
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		r.Note("%s: %s", requestID, render.Clean(line))
	}
}

// failure returns the error for the asker if a program failed: the program's output, or
// that it failed. The exit status is only logged here.
func (r *commandRunner) failure(requestID string, err error, printed string) error {
	if _, ended := errors.AsType[*exec.ExitError](err); !ended && !errors.Is(err, exec.ErrWaitDelay) {
		r.Warn(fmt.Sprintf("%s: the program did not run: %v", requestID, err), "")
		return errors.New("the agent's program did not run")
	}
	r.Note("%s: the program failed: %v", requestID, err)
	if reason := protocol.TrimSpace(printed); reason != "" {
		return errors.New(reason)
	}
	return errors.New("the agent's program failed")
}

// readAnswer parses the output of a program: a text, an answer or a result.
func readAnswer(printed []byte) (sdk.IntercomAnswer, error) {
	text := protocol.TrimSpace(strings.ToValidUTF8(string(printed), "\uFFFD"))
	if !strings.HasPrefix(text, "{") {
		return sdk.IntercomAnswer{Message: text}, nil
	}
	object, refused := protocol.ParseObject([]byte(text))
	if refused != nil {
		// A text may begin with a brace.
		return sdk.IntercomAnswer{Message: text}, nil //nolint:nilerr // as the comment says
	}
	if object.Raw("message") == nil && object.Raw("result") == nil && object.Raw("error") == nil {
		return sdk.IntercomAnswer{Result: json.RawMessage(text)}, nil
	}
	var answer struct {
		Message string          `json:"message"`
		Result  json.RawMessage `json:"result"`
		Error   string          `json:"error"`
	}
	if err := protocol.Decode([]byte(text), &answer); err != nil {
		return sdk.IntercomAnswer{}, errors.New("the agent's program printed a message or an error that is not a text")
	}
	if answer.Error != "" {
		return sdk.IntercomAnswer{}, errors.New(answer.Error)
	}
	return sdk.IntercomAnswer{Message: answer.Message, Result: answer.Result}, nil
}

// boundedOutput keeps the output up to a limit. full, if any, is called when there is
// more.
type boundedOutput struct {
	kept  bytes.Buffer
	limit int
	full  func()
	over  bool
}

// Write implements io.Writer. It drops everything past the limit.
func (b *boundedOutput) Write(p []byte) (int, error) {
	kept := p
	if room := b.limit - b.kept.Len(); len(p) > room {
		kept, b.over = p[:room], true
		if b.full != nil {
			b.full()
		}
	}
	b.kept.Write(kept)
	return len(p), nil
}
