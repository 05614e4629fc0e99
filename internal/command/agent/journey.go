package agent

import (
	"bytes"
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
			return a.AsAgent(cmd.Context(), args[0], command.SeekOwn, "Recording", func(ctx context.Context, who *command.Caller, ref command.AgentRef, c *client.Client) (*render.Document, error) {
				reply, err := c.RecordJourney(ctx, protocol.RecordJourneyRequest{PlayerID: ref.ID, Journey: journey})
				if err != nil {
					return nil, err
				}
				result := recordedResult{Context: who.ContextName(), PlayerID: ref.ID, Rev: reply.Rev}
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
