package agent

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// journeysResult is what "playctl journeys" prints.
type journeysResult struct {
	Context  string                   `json:"context,omitempty"`
	Journeys []protocol.JourneyRecord `json:"journeys"`          // the journeys, the newest last
	HasMore  bool                     `json:"hasMore"`           // whether there are older ones: --before the first seq shows them
	Damaged  []uint64                 `json:"damaged,omitempty"` // the seqs of journeys that are left out because they are damaged in the host's store, 0 for an unknown one
}

func newJourneysCommand(a *command.App) *cobra.Command {
	return newHistoryCommand(a, &cobra.Command{
		Use:   "journeys [agent]",
		Short: "List journeys, newest last",
		Long: `List the journeys of all agents or of one, newest last: from the question to the tools that were
called and the answer.`,
		Example: command.Example(
			"playctl journeys",
			"playctl journeys Ada --limit 20",
			"playctl journeys --before 1200 --output ndjson"),
	}, "Reading the journeys", func(ctx context.Context, caller *command.Caller, c *client.Client, request protocol.ListRequest) (*render.Document, error) {
		reply, err := c.ListJourneys(ctx, request)
		if err != nil {
			return nil, err
		}
		return journeysDocument(caller, a.Printer.Look, reply), nil
	})
}

func journeysDocument(c *command.Caller, look render.Look, reply *protocol.JourneysReply) *render.Document {
	result := journeysResult{Context: c.ContextName(), Journeys: append([]protocol.JourneyRecord{}, reply.Journeys...), HasMore: reply.HasMore, Damaged: reply.Damaged}
	table := render.Table{
		Columns: []render.Column{{Title: "seq", Right: true}, {Title: "when"}, {Title: "agent"}, {Title: "steps", Right: true}, {Title: "journey", Wraps: true}},
		Empty:   "There are no journeys yet.",
	}
	doc := render.ListOf(result, result.Journeys, table, func(one protocol.JourneyRecord) []string {
		name := cmp.Or(c.NameOf(one.PlayerID), render.ShortID(one.PlayerID))
		return []string{command.Number(&one.Seq), look.AgeOf(one.At), name, strconv.Itoa(len(one.Journey.Steps)), render.Route(one.Journey)}
	})
	if reply.HasMore && len(result.Journeys) > 0 {
		doc.Views = append(doc.Views, thereAreMore(look, result.Journeys[0].Seq))
	}
	doc.Views = append(doc.Views, leftOut(look, reply.Damaged, "journey", "journeys")...)
	return doc
}

// newHistoryCommand completes a command that lists records, of all agents or of one, page
// by page. work is what it does, for the spinner; list reads a page.
func newHistoryCommand(a *command.App, cmd *cobra.Command, work string,
	list func(context.Context, *command.Caller, *client.Client, protocol.ListRequest) (*render.Document, error),
) *cobra.Command {
	var limit int
	var before uint64
	cmd.GroupID = command.GroupWorld
	cmd.Args = command.Takes("agent?")
	cmd.ValidArgsFunction = a.CompletesAgent(command.SeekAny)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if limit < 1 || limit > protocol.MaxListLimit {
			return command.Usagef("--limit must be from 1 to %d", protocol.MaxListLimit)
		}
		if err := command.CheckNumber("before", before); err != nil {
			return err
		}
		return a.AsReader(cmd.Context(), work, func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
			request := protocol.ListRequest{Limit: limit}
			if cmd.Flags().Changed("before") {
				request.BeforeSeq = &before
			}
			if len(args) > 0 {
				ref, err := a.FindAgent(ctx, caller, args[0], command.SeekAny)
				if err != nil {
					return nil, err
				}
				request.PlayerID = ref.ID
			}
			return list(ctx, caller, c, request)
		})
	}
	cmd.Flags().IntVar(&limit, "limit", protocol.DefaultListLimit, fmt.Sprintf("how many to list, at most %d", protocol.MaxListLimit))
	cmd.Flags().Uint64Var(&before, "before", 0, "list those before the event with this `seq`")
	return cmd
}

// leftOut names the records of a list that the host left out, if there are any.
func leftOut(look render.Look, damaged []uint64, one, many string) []render.View {
	if len(damaged) == 0 {
		return nil
	}
	seqs := make([]string, len(damaged))
	for i := range damaged {
		seqs[i] = command.Number(&damaged[i])
	}
	return []render.View{render.Line(look.Bad("damaged") + ": " + command.Plural(len(damaged), one, many) +
		" cannot be read from the host's store, seq " + strings.Join(seqs, ", "))}
}

// thereAreMore says how to list the records before a page that begins at seq.
func thereAreMore(look render.Look, seq uint64) render.View {
	return render.Line(look.Faint("There are more: --before " + command.Number(&seq)))
}
