package sdk_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// exampleAccount replaces the output of 'playctl create-main-node' and 'playctl
// create-agent-node'; the examples run against a real host in this process.
func exampleAccount(nodes int) (options sdk.Options, agents []*sdk.NodeCredentials, closeHost func()) {
	folder, err := os.MkdirTemp("", "playworld-example-")
	if err != nil {
		log.Fatal(err)
	}
	a, err := openAccount(context.Background(), folder, nodes)
	if err != nil {
		log.Fatal(err)
	}
	return a.options(), a.agents, func() {
		_ = a.host.Close(context.Background())
		_ = os.RemoveAll(folder)
	}
}

// Connect to a host, read the world, and disconnect.
func ExampleNew() {
	options, _, closeHost := exampleAccount(0) // BaseURL, APIKey and MainNodeCredentials
	defer closeHost()

	ctx := context.Background()
	world, err := sdk.New(options)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = world.Close(ctx) }()

	if _, err := world.Connect(ctx); err != nil {
		log.Fatal(err)
	}
	snapshot, err := world.Snapshot(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("leaves:", snapshot.LeafCount())
	// Output: leaves: 2
}

// An agent says something, records a journey, and stays on the map for a while.
func ExampleRemotePlayWorld_AddAgent() {
	options, agents, closeHost := exampleAccount(1)
	defer closeHost()

	ctx := context.Background()
	world, err := sdk.New(options)
	if err != nil {
		log.Fatal(err)
	}
	world.OnClose(func() { fmt.Println("left") })
	defer func() { _ = world.Close(ctx) }()

	tools, err := sdk.NewFrameworkRegistration("go", sdk.Tool{Name: "chat_tool"})
	if err != nil {
		log.Fatal(err)
	}
	ada, err := world.AddAgent(ctx, sdk.AgentOptions{Credentials: agents[0], Name: "Ada", Tools: tools})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := ada.Say(ctx, "Good morning."); err != nil {
		log.Fatal(err)
	}
	now := time.Now().UTC().Format(time.RFC3339)
	_, err = ada.RecordJourney(ctx, protocol.Journey{StartedAt: now, CompletedAt: now, Steps: []protocol.JourneyStep{
		{Type: protocol.StepOrigin, Content: "Where is the shop?", MessageID: "m1"},
		{Type: protocol.StepDestination, Content: "By the gate.", MessageID: "m2"},
	}})
	if err != nil {
		log.Fatal(err)
	}
	if err := world.Hold().For(ctx, 10*time.Millisecond); err != nil {
		log.Fatal(err)
	}
	fmt.Println(ada.Registration().RegisteredAgent.Name, "was here")
	// Output:
	// Ada was here
	// left
}

// An MCP placement on the map.
func ExampleRemotePlayWorld_RegisterMCP() {
	options, _, closeHost := exampleAccount(0)
	defer closeHost()

	ctx := context.Background()
	world, err := sdk.New(options)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = world.Close(ctx) }()

	id, err := world.RegisterMCP(ctx, sdk.MCP{Name: "weather", URL: "https://mcp.example.org"})
	if err != nil {
		log.Fatal(err)
	}
	snapshot, err := world.Snapshot(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, server := range snapshot.MCPServers() {
		fmt.Println(server.Name, server.ID == id)
	}
	// Output: weather true
}

// The tools of an agent: everybody can talk to it and ask it to book a table.
func ExampleNewFrameworkRegistration() {
	tools, err := sdk.NewFrameworkRegistration("langchain",
		sdk.Tool{Name: "chat_tool"},
		sdk.Tool{Name: "assist_book", Description: "Book a table", Parameters: []sdk.Parameter{
			{Name: "guests", Type: sdk.TypeInteger},
		}},
	)
	if err != nil {
		log.Fatal(err)
	}
	book, _ := tools.AssistTool("assist_book")
	fmt.Println(book.Description, string(book.Parameters))
	// Output: Book a table {"type":"object","properties":{"guests":{"type":"integer"}},"required":["guests"]}
}

// Follow the world: every change arrives as a snapshot that is verified against the
// host's root.
func ExampleRemotePlayWorld_SubscribeWorldState() {
	options, agents, closeHost := exampleAccount(1)
	defer closeHost()

	ctx := context.Background()
	world, err := sdk.New(options)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = world.Close(ctx) }()

	updates := make(chan sdk.Update, 8)
	subscription, err := world.SubscribeWorldState(ctx, sdk.SubscribeOptions{
		OnSnapshot: func(u sdk.Update) { updates <- u },
		OnError:    func(err error) { log.Print(err) },
	})
	if err != nil {
		log.Fatal(err)
	}
	defer subscription.Close()

	first := <-updates
	fmt.Println(first.Snapshot.Tree().OccupantCount(), "occupants,", first.Verification)

	tools, err := sdk.NewFrameworkRegistration("go", sdk.Tool{Name: "chat_tool"})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := world.AddAgent(ctx, sdk.AgentOptions{Credentials: agents[0], Name: "Ada", Tools: tools}); err != nil {
		log.Fatal(err)
	}
	second := <-updates
	fmt.Println(second.Snapshot.Tree().OccupantCount(), "occupants,", second.Verification, "by", second.Event.Kind)
	// Output:
	// 0 occupants, verified
	// 1 occupants, verified by world:player_added
}

// Receive chat lines, from the oldest event that the host still has.
func ExampleRemotePlayWorld_SubscribeEvents() {
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
	if _, err := ada.Say(ctx, "Anybody here?"); err != nil {
		log.Fatal(err)
	}

	received := make(chan string)
	subscription, err := world.SubscribeEvents(ctx, sdk.EventOptions{
		Kinds: []protocol.EventKind{protocol.EventInteraction}, FromSeq: true, // from after event 0: all events
		OnEvent: func(e sdk.Event) {
			var line protocol.Interaction
			if err := e.Decode(&line); err != nil {
				log.Print(err)
			}
			received <- line.Text
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(<-received)
	subscription.Close()
	// Output: Anybody here?
}
