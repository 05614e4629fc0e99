package redis_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/test/redistest"
	"github.com/playctl/playctl/test/storetest"
)

// TestPublish commits a batch that publishes on two channels, and a refused batch,
// which publishes nothing.
func TestPublish(t *testing.T) {
	server := redistest.Start(t)
	o := at(t, server.URL())
	publish(t, o, server.Addr)
}

func publish(t *testing.T, o redis.Options, addr string) {
	first, second := "play:"+o.HostID+":world:events", "other:"+o.HostID+":world:events"
	o.Publish = func(e *store.Entry) []store.Message {
		return []store.Message{
			{Channel: first, Payload: fmt.Append(nil, e.Seq, " a")},
			{Channel: second, Payload: fmt.Append(nil, e.Seq, " a")},
			{Channel: first, Payload: fmt.Append(nil, e.Seq, " b")},
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	client := goredis.NewClient(&goredis.Options{Addr: addr, DisableIdentity: true})
	defer func() { _ = client.Close() }()
	subscription := client.Subscribe(ctx, first, second)
	defer func() { _ = subscription.Close() }()
	for range 2 {
		if _, err := subscription.Receive(ctx); err != nil {
			t.Fatal(err)
		}
	}
	j := open(t, o)
	var feed, late storetest.Feed
	tip := commit(t, j, batch(&feed, store.Tip{}, 1))
	if _, err := j.Commit(ctx, batch(&late, store.Tip{}, 2)); err == nil {
		t.Fatal("a batch on an old tip was committed")
	}
	commit(t, j, batch(&feed, tip, 3))
	for _, seq := range []string{"1", "2"} {
		for _, want := range []string{first + " a", second + " a", first + " b"} {
			message, err := subscription.ReceiveMessage(ctx)
			if err != nil {
				t.Fatal(err)
			}
			channel, name, _ := strings.Cut(want, " ")
			if message.Channel != channel || message.Payload != seq+" "+name {
				t.Fatalf("published: %q on %s; want %q on %s", message.Payload, message.Channel, seq+" "+name, channel)
			}
		}
	}
}
