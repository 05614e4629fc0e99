package sdk_test

import (
	"context"
	"fmt"
	"log"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// An agent shows what it does, and a reader sees it.
func ExampleAgent_Working() {
	options, agents, closeHost := exampleAccount(1)
	defer closeHost()

	ctx := context.Background()
	world, err := sdk.New(options)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = world.Close(ctx) }()

	ada, err := world.Agent(ctx, "Ada", sdk.With(sdk.AgentOptions{Credentials: agents[0], Group: "shop"}))
	if err != nil {
		log.Fatal(err)
	}
	if err := ada.Working(ctx, "Editing commit.go", sdk.UsingTool("edit")); err != nil {
		log.Fatal(err)
	}
	for event, err := range world.Events(ctx, sdk.EventOptions{Kinds: []protocol.EventKind{protocol.EventActivity}, FromSeq: true}) {
		if err != nil {
			continue // the stream goes on
		}
		var seen protocol.ActivityData
		if err := event.Decode(&seen); err != nil {
			log.Fatal(err)
		}
		fmt.Println(seen.Activity.State, seen.Activity.ToolName, seen.Activity.Text)
		break
	}
	// Output: working edit Editing commit.go
}
