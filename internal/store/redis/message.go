package redis

import (
	"context"
	"iter"
)

// Message is one that a commit publishes.
type Message struct {
	// Channel is its whole name, without the world's prefix.
	Channel string
	Payload []byte
}

// Send implements store.Shared.
func (j *Journal) Send(ctx context.Context, message []byte) error {
	return j.call(ctx, "sending by", func() error {
		return j.client.Publish(ctx, j.key("messages"), message).Err()
	})
}

// Listen implements store.Shared. A connection that breaks ends it with an error.
func (j *Journal) Listen(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if err := j.call(ctx, "listening to", func() error { return nil }); err != nil {
			yield(nil, err)
			return
		}
		ctx, w := j.walk(ctx, replyTimeout)
		defer w.end()
		subscription := w.client.Subscribe(ctx, j.key("messages"))
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
