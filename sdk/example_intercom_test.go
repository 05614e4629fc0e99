package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// An agent answers chat and has a tool that people can call, and a person asks it.
func ExampleRemotePlayWorld_SubscribeIntercomCommands() {
	options, agents, closeHost := exampleAccount(1)
	defer closeHost()

	ctx := context.Background()
	world, err := sdk.New(options)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = world.Close(ctx) }()
	tools, err := sdk.NewFrameworkRegistration("go", sdk.Tool{Name: "chat_tool"}, sdk.Tool{Name: "assist_add"})
	if err != nil {
		log.Fatal(err)
	}
	ada, err := world.AddAgent(ctx, sdk.AgentOptions{Credentials: agents[0], Name: "Ada", Tools: tools})
	if err != nil {
		log.Fatal(err)
	}

	commands, err := world.SubscribeIntercomCommands(ctx, sdk.IntercomOptions{
		Execute: func(_ context.Context, callTool *sdk.IntercomCall) (sdk.IntercomAnswer, error) {
			switch {
			case callTool.Command.Kind == protocol.IntercomChat:
				return sdk.IntercomAnswer{Message: "You said: " + callTool.Command.Text}, nil
			case callTool.Command.ToolName == "assist_add":
				var args struct {
					A int `json:"a"`
					B int `json:"b"`
				}
				if err := callTool.DecodeArgs(&args); err != nil {
					return sdk.IntercomAnswer{}, err
				}
				return sdk.IntercomAnswer{Message: fmt.Sprint(args.A + args.B)}, nil
			}
			return sdk.IntercomAnswer{}, errors.New("I cannot do that")
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer commands.Close()
	<-commands.Ready()

	for _, question := range []sdk.IntercomQuestion{
		{To: ada.PlayerID(), Text: "Good morning"},
		{To: ada.PlayerID(), Tool: "assist_add", Args: []byte(`{"a": 2, "b": 3}`)},
	} {
		answer, err := world.Ask(ctx, question)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(answer.Message)
	}
	// Output:
	// You said: Good morning
	// 5
}
