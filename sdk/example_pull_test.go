package sdk_test

import (
	"context"
	"fmt"
	"log"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// Read chat lines, from the oldest event that the host still has, until one of them
// is the line that the program waits for.
func ExampleRemotePlayWorld_Events() {
	options, agents, closeHost := exampleAccount(1)
	defer closeHost()

	ctx := context.Background()
	world, err := sdk.New(options)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = world.Close(ctx) }()
	tools, err := sdk.NewFrameworkRegistration("go", sdk.Tool{Name: "chat_tool"})
	if err != nil {
		log.Fatal(err)
	}
	ada, err := world.AddAgent(ctx, sdk.AgentOptions{Credentials: agents[0], Name: "Ada", Tools: tools})
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{"Anybody here?", "Bye."} {
		if _, err := ada.Say(ctx, text); err != nil {
			log.Fatal(err)
		}
	}

	for event, err := range world.Events(ctx, sdk.EventOptions{
		Kinds: []protocol.EventKind{protocol.EventInteraction}, FromSeq: true, // from after event 0: all events
	}) {
		if err != nil {
			log.Print(err) // it reconnects, or events are missing; the loop continues
			continue
		}
		var line protocol.Interaction
		if err := event.Decode(&line); err != nil {
			log.Fatal(err)
		}
		fmt.Println(line.Text)
		if line.Text == "Bye." {
			break
		}
	}
	// Output:
	// Anybody here?
	// Bye.
}

// Follow the world with a copy that is verified against the host's root after every
// event.
func ExampleRemotePlayWorld_Follow() {
	options, _, closeHost := exampleAccount(0)
	defer closeHost()

	ctx := context.Background()
	world, err := sdk.New(options)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = world.Close(ctx) }()

	for report, err := range world.Follow(ctx, sdk.SubscribeOptions{}) {
		switch {
		case err != nil:
			log.Print(err)
		case report.Type == sdk.ReportUpdate && report.Event == nil:
			fmt.Println(report.State.Snapshot.Tree().OccupantCount(), "occupants,", report.State.Verification)
			if _, err := world.RegisterMCP(ctx, sdk.MCP{Name: "weather"}); err != nil {
				log.Fatal(err)
			}
		case report.Type == sdk.ReportChecked:
			fmt.Println(report.State.Snapshot.Tree().OccupantCount(), "occupants after", report.Event.Kind, report.Checked)
			return
		}
	}
	// Output:
	// 0 occupants, verified
	// 1 occupants after world:mcp_registered verified
}
