package sdk_test

import (
	"context"
	"fmt"
	"log"

	"github.com/playctl/playctl/sdk"
)

type order struct {
	Guests int    `json:"guests" jsonschema:"how many people come"`
	Where  string `json:"where,omitempty" enum:"inside,outside"`
}

type reservation struct {
	Table int `json:"table"`
}

// An agent with its functions: it chats, and people can book a table with it.
func ExampleRemotePlayWorld_Agent() {
	options, _, closeHost := exampleAccount(0)
	defer closeHost()

	ctx := context.Background()
	world, err := sdk.New(options)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = world.Close(ctx) }()

	ada, err := world.Agent(ctx, "Ada",
		sdk.Chat(func(_ context.Context, text string) (string, error) {
			return "You said: " + text, nil
		}),
		sdk.Func("book", "Books a table", func(_ context.Context, o order) (reservation, error) {
			if o.Guests > 8 {
				return reservation{}, sdk.ToolErrorf("there is no table for %d", o.Guests)
			}
			return reservation{Table: 3}, nil
		}),
	)
	if err != nil {
		log.Fatal(err)
	}

	for _, question := range []sdk.IntercomQuestion{
		{To: ada.PlayerID(), Text: "Good morning"},
		{To: ada.PlayerID(), Tool: "assist_book", Args: []byte(`{"guests": 2, "where": "outside"}`)},
		{To: ada.PlayerID(), Tool: "assist_book", Args: []byte(`{"guests": 20}`)},
	} {
		answer, err := world.Ask(ctx, question)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(answer.Message + string(answer.Result))
	}
	// Output:
	// You said: Good morning
	// {"table":3,"messageKind":"text"}
	// the agent failed: there is no table for 20
}

// An answer in parts, as a model generates it.
func ExampleStream() {
	options, _, closeHost := exampleAccount(0)
	defer closeHost()

	ctx := context.Background()
	world, err := sdk.New(options)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = world.Close(ctx) }()

	ada, err := world.Agent(ctx, "Ada", sdk.Chat(func(ctx context.Context, _ string) (string, error) {
		for _, word := range []string{"One, ", "two, ", "three."} {
			if err := sdk.Stream(ctx, word); err != nil {
				return "", err
			}
		}
		return "", nil // the parts are the answer
	}))
	if err != nil {
		log.Fatal(err)
	}
	answer, err := world.Ask(ctx, sdk.IntercomQuestion{To: ada.PlayerID(), Text: "Count"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Message)
	// Output: One, two, three.
}

// A program that does not name its host and account. Both are found in the
// environment or in the configuration that commands use; at a host on this machine
// an account is created for the run.
func ExampleConnect() {
	ctx := context.Background()
	world, err := sdk.Connect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = world.Close(ctx) }()
	if _, err := world.Agent(ctx, "Ada", sdk.Chat(func(_ context.Context, text string) (string, error) {
		return "You said: " + text, nil
	})); err != nil {
		log.Print(err)
		return
	}
	if err := world.Hold().Forever(ctx); err != nil {
		log.Print(err)
	}
}
