// Command agent-go is a small agent: it registers, answers chat and the tool
// assist_add, and records a journey for each answer, until it is interrupted.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Getenv)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "agent-go:", err) //nolint:forbidigo // this is main
		os.Exit(1)                                //nolint:forbidigo // this is main
	}
}

// run keeps the agent on the map until ctx ends. env has where the host is and
// who the agent is; README.md lists the variables.
func run(ctx context.Context, env func(string) string) (err error) {
	world, err := sdk.New(sdk.Options{
		BaseURL: env("PLAYCTL_SERVER"),
		APIKey:  protocol.NewSecret(env("PLAYCTL_API_KEY")),
		MainNodeCredentials: &sdk.NodeCredentials{
			NodeID: env("PLAYCTL_NODE_ID"), Phrase: protocol.NewSecret(env("PLAYCTL_PHRASE")),
		},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, world.Close(context.WithoutCancel(ctx))) }()

	commands, err := world.SubscribeIntercomCommands(ctx, sdk.IntercomOptions{
		Execute: answer,
		OnError: func(err error) { fmt.Fprintln(os.Stderr, "agent-go:", err) }, //nolint:forbidigo // as above
	})
	if err != nil {
		return err
	}
	defer commands.Close()
	select {
	case <-commands.Ready():
	case <-ctx.Done():
		return nil
	}

	tools, err := sdk.NewFrameworkRegistration("go",
		sdk.Tool{Name: protocol.ChatTool},
		sdk.Tool{Name: "assist_add", Description: "Adds two numbers", Parameters: []sdk.Parameter{
			{Name: "a", Type: sdk.TypeInteger}, {Name: "b", Type: sdk.TypeInteger},
		}},
	)
	if err != nil {
		return err
	}
	_, err = world.AddAgent(ctx, sdk.AgentOptions{
		Credentials: &sdk.NodeCredentials{NodeID: env("AGENT_NODE_ID"), Phrase: protocol.NewSecret(env("AGENT_PHRASE"))},
		Name:        "Gopher", Tools: tools,
	})
	if err != nil {
		return err
	}
	if err := world.Hold().Forever(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// answer carries out one command and records how.
func answer(ctx context.Context, call *sdk.IntercomCall) (sdk.IntercomAnswer, error) {
	started := time.Now()
	question := call.Command.Text
	var reply string
	switch {
	case call.Command.Kind == protocol.IntercomChat:
		reply = "You said: " + question
	case call.Command.ToolName == "assist_add":
		var args struct {
			A int `json:"a"`
			B int `json:"b"`
		}
		if err := call.DecodeArgs(&args); err != nil {
			return sdk.IntercomAnswer{}, err
		}
		question = fmt.Sprintf("How much is %d and %d?", args.A, args.B)
		reply = strconv.Itoa(args.A + args.B)
	default:
		return sdk.IntercomAnswer{}, errors.New("this agent answers chat and assist_add only")
	}
	_, err := call.Agent.RecordJourney(ctx, protocol.Journey{
		StartedAt: protocol.FormatTime(started), CompletedAt: protocol.FormatTime(time.Now()),
		Steps: []protocol.JourneyStep{
			{Type: protocol.StepOrigin, Content: question, MessageID: call.Command.RequestID + ".q"},
			{Type: protocol.StepDestination, Content: reply, MessageID: call.Command.RequestID + ".a"},
		},
	})
	return sdk.IntercomAnswer{Message: reply}, err
}
