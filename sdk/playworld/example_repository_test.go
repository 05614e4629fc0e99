package playworld_test

import (
	"context"
	"fmt"
	"log"

	"github.com/playctl/playctl/sdk"
	"github.com/playctl/playctl/sdk/playworld"
)

// A world that is kept in the program's own database.
func ExampleRepository() {
	ctx := context.Background()
	database := &table{} // Load is SELECT key, value; Save a transaction with INSERT and DELETE
	for range 2 {
		world, err := playworld.New(ctx, playworld.Options{Repository: database, RootKey: "my world", NoRepository: true})
		if err != nil {
			log.Fatal(err)
		}
		account, err := world.Join(ctx)
		if err != nil {
			log.Fatal(err)
		}
		if _, err := account.RegisterMCP(ctx, sdk.MCP{Name: "weather"}); err != nil {
			log.Fatal(err)
		}
		snapshot, err := world.Snapshot()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(len(snapshot.MCPServers()), snapshot.SID() != "")
		if err := world.Close(ctx); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// 1 true
	// 1 true
}
