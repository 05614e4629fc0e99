package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

func newRecordJourneyCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "record-journey <agent> <file>",
		Short: "Record a journey: what an agent did to answer a message",
		Long: `Record a journey: what an agent did to answer a message. The file, - for standard input,
is a JSON object with startedAt, completedAt and steps:

    {"type": "origin", "content": "Where is it?", "messageId": "m1"}
    {"type": "structure", "toolName": "search", "toolCallId": "c1", "args": {"q": "it"}, "result": "there"}
    {"type": "destination", "content": "It is there.", "messageId": "m2"}

The host gives each step a place on the map.`,
		Example:           example("playctl record-journey Ada journey.json", "agent --trace | playctl record-journey Ada -"),
		Args:              takes("agent", "file"),
		ValidArgsFunction: a.completesAgent,
		RunE: func(cmd *cobra.Command, args []string) error {
			journey, err := a.readJourney(args[1])
			if err != nil {
				return err
			}
			return a.asAgent(cmd.Context(), args[0], "Recording", func(ctx context.Context, who *caller, ref agentRef, c *client.Client) (*render.Document, error) {
				reply, err := c.RecordJourney(ctx, protocol.RecordJourneyRequest{PlayerID: ref.id, Journey: journey})
				if err != nil {
					return nil, err
				}
				return &render.Document{
					Data:  recordedResult{Context: who.contextName(), PlayerID: ref.id, Rev: reply.Rev},
					Views: []render.View{render.Line("Recorded a journey of " + plural(len(journey.Steps), "step", "steps") + ".")},
				}, nil
			})
		},
	}
}

// readJourney reads a journey and checks it as a host would, so that a mistake
// is told with the file's name and before anything is sent.
func (a *app) readJourney(file string) (protocol.Journey, error) {
	text, err := a.readText(file, protocol.MaxBodyBytes)
	if err != nil {
		return protocol.Journey{}, err
	}
	object, refused := protocol.ParseObject(text)
	if refused != nil {
		return protocol.Journey{}, journeyProblem(file, text, refused)
	}
	journey, refused := protocol.ParseJourney(object)
	if refused != nil {
		return protocol.Journey{}, journeyProblem(file, text, refused)
	}
	return journey, nil
}

// journeyProblem tells what is wrong with a journey file. For broken JSON it
// finds the line.
func journeyProblem(file string, text []byte, refused *protocol.Error) error {
	where := inputName(file)
	if line := brokenLine(text); line > 0 {
		where = fmt.Sprintf("%s:%d", where, line)
	}
	return hintf(errors.New(where+": "+refused.Message), "\"playctl record-journey --help\" shows what a journey looks like")
}
