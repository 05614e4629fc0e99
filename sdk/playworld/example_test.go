package playworld_test

import (
	"context"
	"fmt"
	"log"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
	"github.com/playctl/playctl/sdk/playworld"
)

// A program that has a world of its own: it joins it, puts an agent on the map
// and looks at the map. To serve the world to others, give world.Handler() to an
// http.Server.
func Example() {
	ctx := context.Background()
	world, err := playworld.New(ctx, playworld.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = world.Close(ctx) }()

	account, err := world.Join(ctx)
	if err != nil {
		log.Fatal(err)
	}
	node, err := sdk.NewNodeCredentials(sdk.GenerateNodePassphrase(), world.RootKey())
	if err != nil {
		log.Fatal(err)
	}
	if err := account.CreateAgentNode(ctx, node); err != nil {
		log.Fatal(err)
	}
	tools, err := sdk.NewFrameworkRegistration("go", sdk.Tool{Name: "chat_tool"})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := account.AddAgent(ctx, sdk.AgentOptions{Credentials: node, Name: "Ada", Tools: tools}); err != nil {
		log.Fatal(err)
	}

	snapshot, err := world.Snapshot()
	if err != nil {
		log.Fatal(err)
	}
	for occupant := range snapshot.Occupants() {
		if agent, ok := occupant.(*protocol.Agent); ok {
			fmt.Println(agent.Name, "is on the map")
		}
	}
	// Output: Ada is on the map
}
