package redis_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/redis/redistest"
	"github.com/playctl/playctl/internal/store/storetest"
)

// TestPublish commits what is published, and what is refused and therefore not.
func TestPublish(t *testing.T) {
	server := redistest.Start(t)
	o := at(t, server.URL())
	o.Channel = "play:" + o.HostID + ":world:events"
	o.Envelope = func(e *store.Entry) [][]byte {
		return [][]byte{fmt.Append(nil, e.Seq, " a"), fmt.Append(nil, e.Seq, " b")}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	client := goredis.NewClient(&goredis.Options{Addr: server.Addr, DisableIdentity: true})
	defer func() { _ = client.Close() }()
	subscription := client.Subscribe(ctx, o.Channel)
	defer func() { _ = subscription.Close() }()
	if _, err := subscription.Receive(ctx); err != nil {
		t.Fatal(err)
	}
	j := open(t, o)
	var feed, late storetest.Feed
	tip := commit(t, j, batch(&feed, store.Tip{}, 1))
	if _, err := j.Commit(ctx, batch(&late, store.Tip{}, 2)); err == nil {
		t.Fatal("a batch on an old tip was committed")
	}
	commit(t, j, batch(&feed, tip, 3))
	for _, want := range []string{"1 a", "1 b", "2 a", "2 b"} {
		message, err := subscription.ReceiveMessage(ctx)
		if err != nil || message.Payload != want {
			t.Fatalf("published: %v, %v; want %q", message, err, want)
		}
	}
}
