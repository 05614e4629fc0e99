package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"time"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// These are the names of the demo's files and context.
const (
	demoCredentials = "demo-credentials.json"
	demoContext     = "demo"
)

// demoPause is the least pause between two lines of the demo; the greatest is twice as
// long.
const demoPause = 1200 * time.Millisecond

// demo is a program like a user's: it uses the host through the SDK, over the network,
// with its own credentials.
type demo struct {
	app    *command.App
	store  *creds.Store
	world  *sdk.RemotePlayWorld
	cast   []persona
	agents []*sdk.Agent
	// commands is nil until the demo answers questions to its agents.
	commands *sdk.IntercomSubscription

	turn    int
	stop    context.CancelFunc
	running sync.WaitGroup
}

// startDemo creates the demo's nodes, unless the data folder has them already, puts the
// agents and MCP placements on the map, plays the first scenes and continues in the
// background until close.
func startDemo(ctx context.Context, a *command.App, served *served) (d *demo, err error) {
	d = &demo{app: a, store: creds.NewStore(filepath.Join(served.folder, demoCredentials)), cast: demoCast()}
	defer func() {
		if err != nil {
			err = fmt.Errorf("create the demo: %w", errors.Join(err, d.close(ctx)))
		}
	}()
	account, err := d.account(ctx, served.host.URL(), served.root.Key)
	if err != nil {
		return d, err
	}
	if err := d.populate(ctx, account); err != nil {
		return d, err
	}
	for speaker := range d.cast {
		if err := d.play(ctx, speaker, 0); err != nil {
			return d, err
		}
	}
	ctx, d.stop = context.WithCancel(ctx)
	d.running.Go(func() { d.live(ctx) })
	return d, nil
}

// account returns the demo's context: from an earlier start, else a new one.
func (d *demo) account(ctx context.Context, url, rootKey string) (*creds.Context, error) {
	file, err := d.store.Load()
	if err != nil {
		return nil, err
	}
	account, err := file.Context(demoContext)
	if errors.Is(err, creds.ErrContextUnknown) {
		if account, err = d.register(ctx, url, rootKey); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, err
	}
	// The port may differ from the last start.
	account.ServerURL = url
	err = d.store.Update(ctx, func(file *creds.File) error { return file.Put(account) })
	return account, err
}

// register creates the main node and the agent nodes, as create-main-node and
// create-agent-node do.
func (d *demo) register(ctx context.Context, url, rootKey string) (*creds.Context, error) {
	account, err := creds.NewContext(demoContext, url, protocol.ServicePlay, d.app.Now())
	if err != nil {
		return nil, err
	}
	node, err := sdk.NewNodeCredentials(sdk.GenerateNodePassphrase(), rootKey)
	if err != nil {
		return nil, err
	}
	key, err := sdk.CreateMainNode(ctx, sdk.MainNodeOptions{Options: sdk.Options{BaseURL: url, MainNodeCredentials: node}})
	if err != nil {
		return nil, err
	}
	hash := creds.PasswHash{Secret: node.PasswHash}
	account.Main = &creds.MainNode{NodeID: node.NodeID, PasswHash: hash, APIKey: key, KeyName: protocol.DefaultKeyName, CreatedAt: d.app.Now()}
	world, err := openDemo(account)
	if err != nil {
		return nil, err
	}
	for _, member := range d.cast {
		agent, err := d.registerAgent(ctx, world, member.name, rootKey)
		if err == nil {
			err = account.AddAgent(*agent)
		}
		if err != nil {
			return nil, errors.Join(err, world.Close(ctx))
		}
	}
	return account, world.Close(ctx)
}

func (d *demo) registerAgent(ctx context.Context, world *sdk.RemotePlayWorld, name, rootKey string) (*creds.Agent, error) {
	node, err := sdk.NewNodeCredentials(sdk.GenerateNodePassphrase(), rootKey)
	if err != nil {
		return nil, err
	}
	agent := &creds.Agent{NodeID: node.NodeID, Label: name, PasswHash: creds.PasswHash{Secret: node.PasswHash}, CreatedAt: d.app.Now()}
	return agent, world.CreateAgentNode(ctx, node)
}

// openDemo returns the SDK's connection to the host, with the demo's account.
func openDemo(account *creds.Context) (*sdk.RemotePlayWorld, error) {
	return sdk.New(sdk.Options{
		BaseURL: account.ServerURL, APIKey: account.Main.APIKey,
		MainNodeCredentials: command.NodeCredentials(account.Main.NodeID, account.Main.PasswHash),
		Logger:              slog.New(slog.DiscardHandler),
	})
}

// populate puts agents and placements on the map.
func (d *demo) populate(ctx context.Context, account *creds.Context) (err error) {
	if d.world, err = openDemo(account); err != nil {
		return err
	}
	if err := d.listen(ctx); err != nil {
		return err
	}
	for i := range d.cast {
		member := &d.cast[i]
		node, err := account.Agent(member.name)
		if err != nil {
			return err
		}
		tools, err := sdk.NewFrameworkRegistration(member.framework, member.allTools()...)
		if err != nil {
			return err
		}
		agent, err := d.world.AddAgent(ctx, sdk.AgentOptions{
			Credentials: command.NodeCredentials(node.NodeID, node.PasswHash), Name: member.name, Tools: tools, EnableP2A: true,
		})
		if err != nil {
			return err
		}
		d.agents = append(d.agents, agent)
	}
	for _, mcp := range demoPlacements() {
		if _, err := d.world.RegisterMCP(ctx, mcp); err != nil {
			return err
		}
	}
	return nil
}

// live plays scenes until ctx ends. A scene that fails is ended: the SDK has retried for
// a while by then, and the next scene tries again.
func (d *demo) live(ctx context.Context) {
	for ctx.Err() == nil {
		speaker := rand.IntN(len(d.cast)) //nolint:gosec // G404: who speaks next is not a secret
		if err := d.play(ctx, speaker, demoPause); err != nil && ctx.Err() == nil {
			d.app.Warn("the demo could not continue a scene: "+err.Error(), "")
		}
	}
}

// play records one scene of an agent: the question, the tool, the answer and the journey,
// with pauses between.
func (d *demo) play(ctx context.Context, speaker int, pace time.Duration) error {
	agent, scenes := d.agents[speaker], d.cast[speaker].scenes
	d.turn++
	part := scenes[rand.IntN(len(scenes))] //nolint:gosec // G404: as above
	start := d.app.Now()
	lines := []struct{ role, text string }{
		{protocol.RoleUser, part.question},
		{protocol.RoleTool, part.tool + ": " + part.result},
		{protocol.RoleAssistant, part.answer},
	}
	for i, line := range lines {
		if err := part.act(ctx, agent, i); err != nil {
			return err
		}
		_, err := d.world.RecordInteraction(ctx, protocol.RecordInteractionRequest{PlayerID: agent.PlayerID(), Role: line.role, Text: line.text})
		if err != nil {
			return err
		}
		if err := rest(ctx, pace); err != nil {
			return err
		}
	}
	_, err := agent.RecordJourney(ctx, part.journey(d.turn, start, d.app.Now()))
	if err != nil {
		return err
	}
	if err := agent.Done(ctx, "", sdk.WithUsage(part.usage())); err != nil {
		return err
	}
	return rest(ctx, pace)
}

// rest waits between pace and twice pace, and not at all for 0.
func rest(ctx context.Context, pace time.Duration) error {
	if pace > 0 && !pause.For(ctx, pace+rand.N(pace)) { //nolint:gosec // G404: as above
		return context.Cause(ctx)
	}
	return nil
}

// close removes the agents from the map. It may be called after startDemo failed.
func (d *demo) close(ctx context.Context) error {
	if d.stop != nil {
		d.stop()
	}
	d.running.Wait()
	if d.commands != nil {
		d.commands.Close()
	}
	if d.world == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), command.LeaveTimeout)
	defer cancel()
	return d.world.Close(ctx)
}

// nextCommands returns commands that show the demo's world. They take the long path of the
// credentials file from a variable of the shell, so that each fits a line of a terminal. It
// is not exported: other commands in that terminal use the person's own credentials.
func (d *demo) nextCommands() []string {
	path, variable := command.ShellWord(d.store.Path()), "$demo"
	if path != d.store.Path() {
		variable = `"$demo"`
	}
	program, with := invocation(d.app), " --credentials-file "+variable
	return []string{
		"demo=" + path,
		program + " tail" + with,
		program + " snapshot" + with,
		program + " intercom send Ada 'Lighthouses?'" + with,
		program + " record-interaction Ada 'Hello!'" + with,
		program + " agent run Robin" + with + " -- echo 'Hello!'",
	}
}
