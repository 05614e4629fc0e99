package redis

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	goredis "github.com/redis/go-redis/v9"
)

// Send implements store.Hosts.
func (j *Journal) Send(ctx context.Context, message []byte) error {
	return j.call(ctx, "sending by", func() error {
		return j.client.Publish(ctx, j.key("messages"), message).Err()
	})
}

// Hosts counts the hosts that currently listen to the world's messages: every host
// that serves the world does.
func (j *Journal) Hosts(ctx context.Context) (int, error) {
	var mu sync.Mutex
	hosts := 0
	ask := func(ctx context.Context, node *goredis.Client) error {
		listening, err := node.PubSubNumSub(ctx, j.key("messages")).Result()
		mu.Lock()
		defer mu.Unlock()
		hosts += int(listening[j.key("messages")])
		return err //nolint:wrapcheck // call says what it was
	}
	err := j.read(ctx, "counting the hosts of", func() error {
		hosts = 0
		switch client := j.client.(type) {
		case *goredis.ClusterClient:
			// Each host is connected to one of the nodes, no matter which.
			return client.ForEachShard(ctx, ask)
		case *goredis.Client:
			return ask(ctx, client)
		}
		return fmt.Errorf("%w: %T", errors.ErrUnsupported, j.client)
	})
	return hosts, err
}

// Listen implements store.Hosts. A broken connection ends it with an error.
func (j *Journal) Listen(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if err := j.call(ctx, "listening to", func() error { return nil }); err != nil {
			yield(nil, err)
			return
		}
		client, end := j.walk(ctx, replyTimeout)
		defer end()
		subscription := client.Subscribe(ctx, j.key("messages"))
		defer func() { _ = subscription.Close() }()
		for {
			message, err := subscription.ReceiveMessage(ctx)
			if err != nil {
				yield(nil, j.explain(ctx, "listening to", err))
				return
			}
			if !yield([]byte(message.Payload), nil) {
				return
			}
		}
	}
}
