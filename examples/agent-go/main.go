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

	"github.com/playctl/playctl/sdk"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "agent-go:", err) //nolint:forbidigo // this is main
		os.Exit(1)                                //nolint:forbidigo // this is main
	}
}

// run keeps the agent on the map until ctx ends.
func run(ctx context.Context) (err error) {
	world, err := sdk.Connect(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, world.Close(context.WithoutCancel(ctx))) }()

	// A journey of each answer is recorded, where everybody in the world can see it.
	_, err = world.Agent(ctx, "Gopher", sdk.Chat(chat), sdk.Func("add", "Adds two numbers", add), sdk.Record(nil))
	if err != nil {
		return err
	}
	if err := world.Hold().Forever(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

func chat(_ context.Context, text string) (string, error) {
	return "You said: " + text, nil
}

// sum is what people are asked for by the form of the tool.
type sum struct {
	A int `json:"a"`
	B int `json:"b"`
}

func add(_ context.Context, in sum) (string, error) {
	return strconv.Itoa(in.A + in.B), nil
}
