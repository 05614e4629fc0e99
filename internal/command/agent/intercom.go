package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

func newIntercomCommand(a *command.App) *cobra.Command {
	return command.Group(&cobra.Command{
		Use: "intercom", Short: "Ask agents, and answer for them",
		GroupID: command.GroupWorld,
		Example: command.Example("playctl intercom send Ada \"Where is the shop?\"", "playctl intercom serve Ada --exec ./agent.sh"),
	}, newIntercomSendCommand(a), newIntercomServeCommand(a))
}

// answerResult is what "playctl intercom send" prints: the end of an answer, or with
// NDJSON also a part of it.
type answerResult struct {
	Context   string          `json:"context,omitempty"`
	RequestID string          `json:"requestId"` // the id of the question
	AgentID   string          `json:"agentId"`
	Label     string          `json:"label,omitempty"`    // the label of the agent in the context
	Kind      string          `json:"kind"`               // chat, or assist for a tool
	ToolName  string          `json:"toolName,omitempty"` // the tool that was called
	Status    string          `json:"status"`             // completed or failed; in the lines of ndjson also stream, for a part
	Message   string          `json:"message,omitempty"`  // the answer in words
	Result    json.RawMessage `json:"result,omitempty"`   // the result of the tool
	Error     string          `json:"error,omitempty"`    // why it failed, in the agent's words
	Parts     []string        `json:"parts,omitempty"`    // the parts in which the answer came
}

// sendFlags are the flags of a question.
type sendFlags struct {
	tool string
	args string
	from string
}

func newIntercomSendCommand(a *command.App) *cobra.Command {
	var flags sendFlags
	cmd := &cobra.Command{
		Use:        "send <agent> [text]",
		SuggestFor: []string{"ask", "send"},
		Short:      "Ask an agent and print its answer",
		Long: `Say something to an agent on the map, or call one of its tools with --tool, and wait for the answer,
for --timeout at most. The text is an argument; with - or in a pipe it is read from standard input.
Identify an agent by its name, its id or the beginning of its id; the labels of your own agents come
first.

The exit code is 1 if the agent reports a failure.`,
		Example: command.Example(
			"playctl intercom send Ada \"Where is the shop?\"",
			"playctl intercom send Ada --tool assist_route --args '{\"to\": \"shop\"}' --timeout 2m --output json"),
		Args:              command.Takes("agent", "text?"),
		ValidArgsFunction: a.CompletesAgent(command.SeekAny),
		RunE: func(cmd *cobra.Command, args []string) error {
			question, err := questionOf(a, &flags, args)
			if err != nil {
				return err
			}
			return sendIntercom(cmd.Context(), a, args[0], flags.from, question)
		},
	}
	cmd.Flags().StringVar(&flags.tool, "tool", "", "call this `tool` instead of saying something")
	cmd.Flags().StringVar(&flags.args, "args", "", "the tool's arguments: a `JSON` object, or - for standard input")
	cmd.Flags().StringVar(&flags.from, "from", "", "ask as this `agent` of yours (default: as a person)")
	a.CompleteFlag(cmd, "tool", command.ToolsOf)
	a.CompleteFlag(cmd, "from", command.Agents(command.SeekOwn))
	return cmd
}

// questionOf returns the question on the command line.
func questionOf(a *command.App, flags *sendFlags, args []string) (*sdk.IntercomQuestion, error) {
	q := &sdk.IntercomQuestion{Tool: flags.tool}
	switch {
	case flags.tool != "" && len(args) > 1:
		return nil, command.Usagef("a tool takes --args, not a text")
	case flags.tool == "" && flags.args != "":
		return nil, command.Usagef("--args requires --tool")
	case flags.tool == "":
		text, err := spokenText(a, args[1:], "")
		if err == nil && protocol.TrimSpace(text) == "" {
			err = command.Hintf(command.Usagef("the text is missing"), "put it after the agent, or pass it on standard input with -; \"playctl chat %s\" is a prompt", command.Operand(args[0]))
		}
		q.Text = text
		return q, err
	case flags.args == "":
		return q, nil
	}
	text := []byte(flags.args)
	if flags.args == "-" {
		var err error
		if text, err = a.ReadText("-", protocol.MaxIntercomArgsBytes); err != nil {
			return nil, err
		}
		text = bytes.TrimRight(text, "\r\n")
	}
	if _, refused := protocol.ParseObject(text); refused != nil {
		why := strings.Replace(refused.Message, "the body", "it", 1)
		return nil, command.Hintf(command.Usagef("--args is not a JSON object: %s", why), `in a shell, put it in single quotes, such as '{"to": "shop"}'`)
	}
	q.Args = text
	return q, nil
}

func sendIntercom(ctx context.Context, a *command.App, name, from string, q *sdk.IntercomQuestion) (err error) {
	caller, ref, err := a.CallerAndAgent(ctx, name, command.SeekAny)
	if err != nil {
		return err
	}
	if err := a.Reach(ctx, caller); err != nil {
		return err
	}
	q.To = ref.ID
	if from != "" {
		asker, err := a.FindAgent(ctx, caller, from, command.SeekOwn)
		if err != nil {
			return err
		}
		q.From = asker.ID
	}
	world, err := remoteWorld(a, caller)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, world.Close(context.WithoutCancel(ctx))) }()
	answer, err := askAgent(ctx, a, world, caller, ref, q)
	if answer != nil {
		return errors.Join(a.Printer.Print(*answer), err)
	}
	return err
}

// askAgent waits for an answer within --timeout. Its parts are separate lines in NDJSON,
// and in the result of the other formats; a terminal shows them as they arrive, on the
// line that the whole answer then replaces.
func askAgent(ctx context.Context, a *command.App, world *sdk.RemotePlayWorld, caller *command.Caller, ref command.AgentRef, q *sdk.IntercomQuestion) (*render.Document, error) {
	ctx, cancel := a.Limited(ctx)
	defer cancel()
	var parts []string
	var broken error
	var coming atomic.Value
	coming.Store("Waiting for the answer")
	q.OnPartial = func(part *protocol.IntercomEvent) {
		if a.Printer.Format == render.FormatNDJSON {
			broken = errors.Join(broken, a.Printer.Item(*answerDocument(caller, ref, part, nil)))
			return
		}
		parts = append(parts, part.Message)
		coming.Store(strings.Join(parts, ""))
	}
	var answer *protocol.IntercomEvent
	ask := func() (err error) {
		answer, err = world.Ask(ctx, *q)
		return errors.Join(err, broken)
	}
	err := a.Watching(func() string { text, _ := coming.Load().(string); return text }, ask)
	if answer == nil {
		return nil, whoStarts(ref, err)
	}
	return answerDocument(caller, ref, answer, parts), err
}

// whoStarts adds a hint to the refusal of a question: how to start an agent that is not
// on the map, or for which no program answers, if its credentials are available; or how
// to list the tools.
func whoStarts(ref command.AgentRef, err error) error {
	refused, ok := errors.AsType[*protocol.Error](err)
	switch {
	case ok && refused.Code == protocol.CodeToolUnknown:
		return command.Hintf(err, "\"playctl agent show %s\" lists its tools", command.Operand(ref.Name()))
	case ok && refused.Code == protocol.CodePlayerUnknown:
		return notOnMap(ref)
	case !ok || !ref.Own:
		return err
	case refused.Code == protocol.CodeAgentNotAnswering:
		return command.Hintf(err, "start one with \"playctl agent run %s -- COMMAND\"", command.Operand(ref.Name()))
	}
	return err
}

// notOnMap returns the error for a question to an agent that is not on the map.
func notOnMap(ref command.AgentRef) error {
	hint := "\"playctl agent list\" lists the agents on the map"
	if ref.Own {
		hint += fmt.Sprintf("; \"playctl agent run %s -- COMMAND\" adds it and answers for it", command.Operand(ref.Name()))
	}
	return command.Hintf(protocol.Errorf(protocol.CodePlayerUnknown, "%s is not on the map", ref.Name()), "%s", hint)
}

// answerDocument shows an answer. It omits a client secret for the asker's program, which
// is never shown.
func answerDocument(c *command.Caller, ref command.AgentRef, event *protocol.IntercomEvent, parts []string) *render.Document {
	result := answerResult{
		Context: c.ContextName(), RequestID: event.RequestID, AgentID: ref.ID, Label: ref.Label, Kind: event.Kind,
		ToolName: event.ToolName, Status: event.Status, Message: event.Message, Error: event.Error, Parts: parts,
	}
	if normal, _, err := protocol.NormalizeResult(event.Result, event.Message); err == nil {
		result.Result = normal
	}
	doc := &render.Document{Data: result}
	switch {
	case event.Status == protocol.IntercomFailed:
		// The error that follows has the text.
	case event.Message != "":
		doc.Views = []render.View{render.Text(command.ShownText(event.Message))}
	case len(result.Result) > 0:
		doc.Views = []render.View{render.Text(command.ShownText(string(result.Result)))}
	case len(parts) > 0:
		doc.Views = []render.View{render.Text(command.ShownText(strings.Join(parts, "")))}
	default:
		doc.Views = command.Sentence("%s did it.", ref.Name())
	}
	return doc
}
