// Command r3labs keeps a number of streams of github.com/r3labs/sse open, and prints
// a line for each id that arrives: the number of the stream, a space, the id. It is a
// separate module, so that its dependencies are not playctl's.
package main

import (
	"bufio"
	"context"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"time"

	"github.com/r3labs/sse/v2"
)

func main() {
	url, node, hash := os.Args[1], os.Getenv("NODE_ID"), os.Getenv("NODE_PASSW")
	count, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var mu sync.Mutex
	out := bufio.NewWriter(os.Stdout)
	var streams sync.WaitGroup
	for i := range count {
		streams.Go(func() {
			client := sse.NewClient(url)
			client.Headers["x-node-id"], client.Headers["x-node-passw"] = node, hash
			// The subscription ends at a clean end and after its own retries; the client keeps the id.
			for ctx.Err() == nil {
				_ = client.SubscribeWithContext(ctx, "", func(event *sse.Event) {
					if len(event.Data) == 0 {
						return
					}
					mu.Lock()
					defer mu.Unlock()
					_, _ = out.WriteString(strconv.Itoa(i) + " " + string(event.ID) + "\n")
					_ = out.Flush()
				})
				select {
				case <-ctx.Done():
				case <-time.After(time.Second):
				}
			}
		})
	}
	streams.Wait()
}
