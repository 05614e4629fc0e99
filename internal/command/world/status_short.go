package world

import (
	"context"
	"errors"
	"time"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/protocol"
)

// promptTime is how long a prompt waits for the counts, unless --timeout says otherwise.
const promptTime = 200 * time.Millisecond

// shortStatus prints how many agents are in each state. It asks once, and shows no spinner;
// waits says that the command line asks for more.
func shortStatus(ctx context.Context, a *command.App, waits bool) error {
	if waits {
		return command.Usagef("--short cannot be used together with --ready or --wait")
	}
	if !a.Sources.Made("timeout") {
		a.Settings.Timeout = promptTime
	}
	caller, err := a.Caller()
	if err != nil {
		return err
	}
	c, err := a.Client(caller, caller.Reader())
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, cancel := a.Limited(ctx)
	defer cancel()
	counts, err := countAgents(ctx, c.WithRetry(retry.Policy{Attempts: 1}))
	if protocol.HasCode(err, protocol.CodeCredentialsInvalid) {
		// A prompt cannot wait until the cause is known.
		return command.Hintf(err, "\"playctl status\" finds the cause")
	}
	if err != nil {
		return err
	}
	return a.Printer.Print(render.Document{Data: counts, Views: []render.View{render.Line(render.CountsText(*counts))}})
}

// countAgents counts the agents by their states; with a host that does not, it reads the
// map.
func countAgents(ctx context.Context, c *client.Client) (*protocol.AgentCounts, error) {
	counts, err := c.CountAgents(ctx)
	if _, lacks := errors.AsType[*client.UnsupportedError](err); !lacks {
		return counts, err
	}
	rows, err := command.AgentsOnMap(ctx, c)
	if err != nil {
		return nil, err
	}
	found := render.CountAgents(rows)
	return &found, nil
}
