package agent

import (
	"context"
	"errors"
	"strings"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// noAPIKey stands for an unknown key: the host decides whether it needs one.
const noAPIKey = "none"

// holdAgent puts an agent on the map and keeps it there until ctx ends or the requested
// time is over.
func holdAgent(ctx context.Context, a *command.App, name string, flags *agentFlags) (err error) {
	caller, ref, err := flags.find(ctx, a, name)
	if err != nil {
		return err
	}
	found, err := findMap(ctx, a, caller, ref)
	if err != nil {
		return err
	}
	options, err := heldAgent(a, caller, ref, flags, found.rows[ref.ID])
	if err != nil {
		return err
	}
	world, err := remoteWorld(a, caller)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, found.leave(ctx, world)) }()
	kept, lose := context.WithCancelCause(ctx)
	defer lose(nil)
	options.OnLost = lose
	_, shown, err := found.appear(ctx, world, ref, options)
	if err != nil {
		return err
	}
	if err := a.Printer.Print(*shown); err != nil {
		return err
	}
	return hold(kept, a, world, flags)
}

// hold waits until the time is over or kept ends: because of a signal, or because an
// agent is lost.
func hold(kept context.Context, a *command.App, world *sdk.RemotePlayWorld, flags *agentFlags) error {
	wait, until := world.Hold().Forever, "until Ctrl-C"
	if flags.holdFor > 0 {
		until = "for " + flags.holdFor.String() + ", or until Ctrl-C"
		wait = func(ctx context.Context) error { return world.Hold().For(ctx, flags.holdFor) }
	}
	a.Note("The agent stays on the map %s.", until)
	err := wait(kept)
	a.EndInterruptedLine(kept)
	return command.UnlessTerminated(kept, err)
}

// foundMap is the state of the map before a command changes it.
type foundMap struct {
	app    *command.App
	caller *command.Caller
	// rows are the agents on the map by id. stays are the ids of this command's agents that
	// had no lease before: leave restores those of them that the command has shown.
	rows  map[string]*protocol.Agent
	stays map[string]bool
	shown []command.AgentRef
}

// appear puts an agent on the map, and returns it with the document to print.
func (f *foundMap) appear(ctx context.Context, world *sdk.RemotePlayWorld, ref command.AgentRef, options *sdk.AgentOptions) (*sdk.Agent, *render.Document, error) {
	limited, cancel := f.app.Limited(ctx)
	defer cancel()
	agent, err := command.Await(f.app, "Putting the agent on the map", func() (*sdk.Agent, error) { return world.AddAgent(limited, *options) })
	if err != nil {
		return nil, nil, err
	}
	f.shown = append(f.shown, ref)
	return agent, playerDocument(f.caller, ref, agent.Registration()), nil
}

// findMap reads the map before agents are put there, and like App.Reach fails if the host
// is unreachable.
func findMap(ctx context.Context, a *command.App, caller *command.Caller, refs ...command.AgentRef) (*foundMap, error) {
	found := &foundMap{app: a, caller: caller, rows: map[string]*protocol.Agent{}, stays: map[string]bool{}}
	return found, a.Call(ctx, caller, caller.Reader(), "Connecting", func(ctx context.Context, c *client.Client) error {
		all, err := command.AgentsOnMap(ctx, c)
		if err != nil {
			return err
		}
		var ids []string
		for _, row := range all {
			found.rows[row.AgentID] = row
		}
		for _, ref := range refs {
			ids = append(ids, ref.ID)
		}
		answering, err := command.Answering(ctx, c, ids...)
		for _, ref := range refs {
			known, reported := answering[ref.ID]
			found.stays[ref.ID] = reported && known.LeaseTTLSeconds == 0
			// After a program has left, the host says so for a moment.
			if reported && known.Answering == protocol.AnsweringYes && found.rows[ref.ID] != nil {
				a.Warn("another program is answering for "+ref.Name()+", or did a moment ago", "stop one of them: both receive every question, and the first answer counts")
			}
		}
		return err
	})
}

// warnNamesake warns that another account's agent on the map has the name of a new one:
// the person may mean that agent, whose credentials are lost.
func (f *foundMap) warnNamesake(ref command.AgentRef) {
	if f.rows[ref.ID] != nil {
		return
	}
	for _, row := range f.rows {
		if row.Name == ref.Name() && !f.caller.Owns(row) && !f.caller.AgentsOnly() {
			f.app.Warn("an agent of another account on the map is also called "+ref.Name()+": use the id to ask a specific one",
				"if that one is yours, stop this one and sign in to its account with its phrase: \"playctl login --phrase "+f.caller.Server+" --context NAME\"")
			return
		}
	}
}

// leave closes the world and restores the map: agents that had no lease before stay there
// without one, with their previous row.
func (f *foundMap) leave(ctx context.Context, world *sdk.RemotePlayWorld) (err error) {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), command.LeaveTimeout)
	defer cancel()
	unchanged := &agentFlags{given: func(string) bool { return false }}
	var left []string
	for _, ref := range f.shown {
		if !f.stays[ref.ID] {
			left = append(left, ref.Name())
			continue
		}
		request, failed := registration(f.app, f.caller, ref, unchanged, f.rows[ref.ID])
		if failed == nil {
			failed = f.app.Call(limited, f.caller, ref.Node, "Leaving", func(ctx context.Context, c *client.Client) error {
				if _, err := c.Register(ctx, request); err != nil {
					return err
				}
				return restoreActivity(ctx, c, f.rows[ref.ID])
			})
		}
		err = errors.Join(err, failed)
	}
	err = errors.Join(err, world.Close(limited))
	if len(left) > 0 && err == nil {
		f.app.Note("%s left the map.", render.Clean(strings.Join(left, ", ")))
	}
	return err
}

// restoreActivity shows again what an agent that stays on the map did before, or that it is
// idle, if this run has shown anything else.
func restoreActivity(ctx context.Context, c *client.Client, before *protocol.Agent) error {
	if before == nil || !c.Has(protocol.CapActivity) {
		return nil
	}
	now, err := command.AgentOnMap(ctx, c, before.AgentID)
	if err != nil || now == nil || now.Activity == nil {
		return err
	}
	request := protocol.RecordActivityRequest{PlayerID: before.AgentID, State: protocol.ActivityIdle}
	if was := before.Activity; was != nil {
		request.State, request.Text, request.ToolName, request.Usage = was.State, was.Text, was.ToolName, was.Usage
	}
	_, err = c.RecordActivity(ctx, request)
	return err
}

// remoteWorld returns the SDK's connection to the host.
func remoteWorld(a *command.App, caller *command.Caller) (*sdk.RemotePlayWorld, error) {
	options := a.WorldOptions(caller)
	if options.APIKey.IsZero() {
		options.APIKey = protocol.NewSecret(noAPIKey)
	}
	if !caller.Main.IsZero() {
		options.OnWarning = func(text string) { a.Warn(text, "") }
	}
	return sdk.New(options)
}
