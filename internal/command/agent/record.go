package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// recordedResult is what the record commands print.
type recordedResult struct {
	Context  string  `json:"context,omitempty"`
	PlayerID string  `json:"playerId"`
	Seq      *uint64 `json:"seq,omitempty"` // the number of its event; only for a chat line, and absent if its text was blank
	Rev      *uint64 `json:"rev,omitempty"` // the rev of the world with the journey or activity; absent for a chat line
}

func newRecordInteractionCommand(a *command.App) *cobra.Command {
	var role, file string
	cmd := &cobra.Command{
		Use:        "record-interaction <agent> [text]",
		SuggestFor: []string{"say", "speak", "tell"},
		GroupID:    command.GroupWorld,
		Short:      "Record a chat line of an agent",
		Long: fmt.Sprintf(`Record a chat line of an agent. The text is the argument, or comes from --file, or from
standard input if it is - or missing and standard input is a pipe. It is trimmed and cut at
%d characters; a blank one records nothing.`, protocol.MaxInteractionChars),
		Example: command.Example(
			"playctl record-interaction Ada \"I found it.\"",
			"playctl record-interaction Ada --role user \"Where is the library?\"",
			"make test 2>&1 | playctl record-interaction Ada --role tool"),
		Args:              command.Takes("agent", "text?"),
		ValidArgsFunction: a.CompletesAgent(command.SeekOwn),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := spokenText(a, args[1:], file)
			if err != nil {
				return err
			}
			return a.AsAgent(cmd.Context(), args[0], command.SeekOwn, "Recording", func(ctx context.Context, caller *command.Caller, ref command.AgentRef, c *client.Client) (*render.Document, error) {
				reply, err := c.RecordInteraction(ctx, protocol.RecordInteractionRequest{PlayerID: ref.ID, Role: role, Text: text})
				if err != nil {
					return nil, err
				}
				line := "Recorded."
				if reply.Seq == nil && protocol.NormalizeText(text) == "" {
					line = "Nothing was recorded: the text is blank."
				}
				return command.SentenceDocument(recordedResult{Context: caller.ContextName(), PlayerID: ref.ID, Seq: reply.Seq}, "%s", line), nil
			})
		},
	}
	cmd.Flags().StringVar(&role, "role", protocol.RoleAssistant, "who speaks: user, assistant or tool")
	cmd.Flags().StringVar(&file, "file", "", "read the text from this `file`; - is standard input")
	command.Choices(cmd, "role", protocol.RoleUser, protocol.RoleAssistant, protocol.RoleTool)
	return cmd
}

// maxSpoken limits the size of a text to what fits into a request.
const maxSpoken = protocol.MaxBodyBytes / 2

// spokenText returns a text from the argument, a file or a pipe.
func spokenText(a *command.App, args []string, file string) (string, error) {
	switch {
	case len(args) > 0 && file != "":
		return "", command.Usagef("use either a text argument or --file")
	case len(args) > 0 && args[0] != "-":
		return args[0], nil
	case len(args) == 0 && file == "" && command.IsTerminal(a.Stdin):
		return "", command.Usagef("the text is missing")
	case file == "":
		file = "-"
	}
	text, err := a.ReadText(file, maxSpoken)
	if err != nil {
		return "", err
	}
	if spoken := string(text); strings.ToValidUTF8(spoken, "") == spoken {
		return strings.TrimRight(spoken, "\r\n"), nil
	}
	return "", errors.New(command.InputName(file) + ": not UTF-8 text")
}

// interactionsResult is what "playctl interactions" prints.
type interactionsResult struct {
	Context      string                 `json:"context,omitempty"`
	Interactions []protocol.Interaction `json:"interactions"`      // the lines, the newest last
	HasMore      bool                   `json:"hasMore"`           // whether there are older ones: --before the first seq shows them
	Damaged      []uint64               `json:"damaged,omitempty"` // the seqs of lines that are left out because they are damaged in the host's store, 0 for an unknown one
}

func newInteractionsCommand(a *command.App) *cobra.Command {
	return newHistoryCommand(a, &cobra.Command{
		Use:   "interactions [agent]",
		Short: "List chat lines, newest last",
		Example: command.Example(
			"playctl interactions",
			"playctl interactions Ada --limit 20",
			"playctl interactions --before 1200 --output ndjson"),
	}, "Reading the interactions", func(ctx context.Context, caller *command.Caller, c *client.Client, request protocol.ListRequest) (*render.Document, error) {
		reply, err := c.ListInteractions(ctx, request)
		if err != nil {
			return nil, err
		}
		return interactionsDocument(caller, a.Printer.Look, reply), nil
	})
}

func interactionsDocument(c *command.Caller, look render.Look, reply *protocol.InteractionsReply) *render.Document {
	result := interactionsResult{Context: c.ContextName(), Interactions: append([]protocol.Interaction{}, reply.Interactions...), HasMore: reply.HasMore, Damaged: reply.Damaged}
	table := render.Table{
		Columns: []render.Column{{Title: "seq", Right: true}, {Title: "when"}, {Title: "agent"}, {Title: "role"}, {Title: "text", Wraps: true}},
		Empty:   "There are no chat lines yet.",
	}
	doc := render.ListOf(result, result.Interactions, table, func(one protocol.Interaction) []string {
		name := cmp.Or(c.NameOf(one.PlayerID), render.ShortID(one.PlayerID))
		return []string{command.Number(&one.Seq), look.AgeOf(one.At), name, one.Role, one.Text}
	})
	if reply.HasMore && len(result.Interactions) > 0 {
		doc.Views = append(doc.Views, thereAreMore(look, result.Interactions[0].Seq))
	}
	doc.Views = append(doc.Views, leftOut(look, reply.Damaged, "line", "lines")...)
	return doc
}

func newRecordJourneyCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:     "record-journey <agent> <file>",
		GroupID: command.GroupWorld,
		Short:   "Record a journey: what an agent did to answer a message",
		Long: `Record a journey: what an agent did to answer a message. The file, - for standard input,
is a JSON object with steps, and the times startedAt and completedAt, as 2026-01-02T03:04:05.678Z:

    {"type": "origin", "content": "Where is it?", "messageId": "m1"}
    {"type": "structure", "toolName": "search", "toolCallId": "c1", "args": {"q": "it"}, "result": "there"}
    {"type": "destination", "content": "It is there.", "messageId": "m2"}

The host gives each step a place on the map.`,
		Example:           command.Example("playctl record-journey Ada journey.json", "agent --trace | playctl record-journey Ada -"),
		Args:              command.Takes("agent", "file"),
		ValidArgsFunction: a.CompletesAgent(command.SeekOwn),
		RunE: func(cmd *cobra.Command, args []string) error {
			journey, err := readJourney(a, args[1])
			if err != nil {
				return err
			}
			return a.AsAgent(cmd.Context(), args[0], command.SeekOwn, "Recording", func(ctx context.Context, caller *command.Caller, ref command.AgentRef, c *client.Client) (*render.Document, error) {
				reply, err := c.RecordJourney(ctx, protocol.RecordJourneyRequest{PlayerID: ref.ID, Journey: journey})
				if err != nil {
					return nil, err
				}
				result := recordedResult{Context: caller.ContextName(), PlayerID: ref.ID, Rev: reply.Rev}
				return command.SentenceDocument(result, "Recorded a journey of %s.", command.Plural(len(journey.Steps), "step", "steps")), nil
			})
		},
	}
}

// readJourney reads a journey and validates it as a host would, so that the error of a
// mistake has the file's name and nothing is sent.
func readJourney(a *command.App, file string) (protocol.Journey, error) {
	text, err := a.ReadText(file, protocol.MaxBodyBytes)
	if err != nil {
		return protocol.Journey{}, err
	}
	object, refused := protocol.ParseObject(text)
	if refused != nil {
		return protocol.Journey{}, journeyProblem(file, text, refused)
	}
	journey, refused := protocol.ParseRequest[protocol.Journey](object)
	if refused != nil {
		return protocol.Journey{}, journeyProblem(file, text, refused)
	}
	return journey, nil
}

// journeyProblem returns the error of a journey file. For invalid JSON it adds the line.
func journeyProblem(file string, text []byte, refused *protocol.Error) error {
	return command.Hintf(errors.New(placeIn(file, text)+": "+strings.Replace(refused.Message, "the body", "it", 1)), "\"playctl record-journey --help\" shows what a journey looks like")
}

// placeIn returns the name of a JSON file, with the line of its syntax error if it has
// one.
func placeIn(file string, text []byte) string {
	var value any
	broken, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(text, &value))
	if !ok {
		return command.InputName(file)
	}
	// The offset is after the invalid byte.
	before := text[:min(max(broken.Offset-1, 0), int64(len(text)))]
	return fmt.Sprintf("%s:%d", command.InputName(file), 1+bytes.Count(before, []byte("\n")))
}
