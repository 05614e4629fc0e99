package mcp_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	sdkmcp "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/command/mcp"
	"github.com/playctl/playctl/internal/command/node"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
	"github.com/playctl/playctl/sdk/playworld"
	"github.com/playctl/playctl/test/worldtest"
)

// fixture is a world on a server, with an agent that answers, and the environment of a
// person whose account has another agent.
type fixture struct {
	*testing.T
	world   *sdk.RemotePlayWorld
	home    string
	env     map[string]string
	release chan struct{}
	other   string
	// ended receives a value when an event stream of the server ends.
	ended chan struct{}
	// program is the name by which the command is called, and version that of its build.
	program, version string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	world, err := playworld.New(t.Context(), playworld.Options{NoRepository: true})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{}, 64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		world.Handler().ServeHTTP(w, r)
		if r.URL.Path == protocol.ServicePlay.Events() {
			ended <- struct{}{}
		}
	}))
	t.Cleanup(func() {
		if err := world.Close(context.Background()); err != nil {
			t.Error(err)
		}
		server.Close()
	})
	f := &fixture{T: t, home: t.TempDir(), env: map[string]string{"PLAYCTL_SERVER": server.URL}, release: make(chan struct{}), other: strings.Repeat("ab", 32), ended: ended, program: "playctl"}
	if f.world, err = world.Join(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.answer()
	return f
}

// answer puts the agent Grace on the map. Grace answers texts in two parts, fails if a
// text requests it, and answers the tool assist_wait late.
func (f *fixture) answer() {
	f.Helper()
	tools, err := sdk.NewFrameworkRegistration("test", sdk.Tool{Name: protocol.ChatTool}, sdk.Tool{Name: "assist_wait", Description: "Waits"})
	if err != nil {
		f.Fatal(err)
	}
	commands, err := f.world.SubscribeIntercomCommands(f.Context(), sdk.IntercomOptions{
		Execute: func(ctx context.Context, call *sdk.IntercomCall) (sdk.IntercomAnswer, error) {
			if call.Command.ToolName == "assist_wait" {
				<-f.release
			}
			if call.Command.Text == "fail" {
				return sdk.IntercomAnswer{}, errors.New("the reason of Grace")
			}
			if err := call.Stream(ctx, sdk.IntercomAnswer{Message: "Looking"}); err != nil {
				return sdk.IntercomAnswer{}, err
			}
			return sdk.IntercomAnswer{Message: "You said: " + call.Command.Text}, nil
		},
	})
	if err != nil {
		f.Fatal(err)
	}
	<-commands.Ready()
	if _, err := f.world.AddAgent(f.Context(), sdk.AgentOptions{AgentID: strings.Repeat("cd", 32), Name: "Grace", Tools: tools, OwnActivity: true}); err != nil {
		f.Fatal(err)
	}
}

// forwarded returns a channel that is closed after an agent received a question.
func (f *fixture) forwarded() <-chan struct{} {
	asked := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for event, err := range f.world.Events(f.Context(), sdk.EventOptions{Kinds: []protocol.EventKind{protocol.EventIntercom}, FromSeq: true}) {
			if err == nil && strings.Contains(string(event.Data), `"forwarded"`) {
				close(asked)
				return
			}
		}
	})
	f.Cleanup(watching.Wait)
	return asked
}

// run runs the command in this process and returns when it has ended.
func (f *fixture) run(ctx context.Context, in io.Reader, out, errs io.Writer, args ...string) int {
	program := &command.Program{
		Name: f.program, Version: f.version, Args: args, Stdin: in, Stdout: out, Stderr: errs, Home: f.home, Dir: f.home, Now: time.Now, Zone: time.UTC,
		LookupEnv: func(name string) (string, bool) { value, ok := f.env[name]; return value, ok },
		OpenTTY:   func() (command.TTY, error) { return nil, os.ErrNotExist },
		Signals:   func(chan<- os.Signal, ...os.Signal) {}, StopSignals: func(chan<- os.Signal) {}, Exit: func(int) {},
		// No end of a session interrupts the derivation of an account, which takes 0.2 s.
		Derive: worldtest.CheapID,
	}
	return command.Run(ctx, program, func(a *command.App) *cobra.Command {
		root := command.NewRoot(a)
		root.AddCommand(node.Commands(a)...) // they create accounts
		root.AddCommand(mcp.Commands(a)...)
		return root
	})
}

// start starts the server over pipes, which ends with its input.
func (f *fixture) start(args ...string) (toServer *io.PipeWriter, fromServer *io.PipeReader, running *sync.WaitGroup) {
	f.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	running = new(sync.WaitGroup)
	running.Go(func() {
		var errs bytes.Buffer
		if code := f.run(context.Background(), fromClient, toClient, &errs, append([]string{"mcp"}, args...)...); code != command.ExitDone {
			f.Errorf("the server ended with %d: %s", code, &errs)
		}
		_ = toClient.Close()
	})
	return toServer, fromServer, running
}

// connect starts the server over pipes and connects a client to it.
func (f *fixture) connect(options *sdkmcp.ClientOptions, args ...string) *sdkmcp.ClientSession {
	f.Helper()
	toServer, fromServer, running := f.start(args...)
	client := sdkmcp.NewClient(&sdkmcp.Implementation{Name: "test", Version: "1"}, options)
	session, err := client.Connect(f.Context(), &sdkmcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := session.Close(); err != nil {
			f.Error(err)
		}
		running.Wait()
	})
	return session
}
