// Package fanout publishes a world's events to a pub/sub channel: each one that
// everybody may see, once and in order, as the contract's envelope. What carries
// them is the caller's.
package fanout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// Publisher carries envelopes. It is called by one goroutine, in order; an error
// means that the envelope was not published.
type Publisher interface {
	Publish(ctx context.Context, channel string, envelope []byte) error
}

// Options make a Fanout.
type Options struct {
	// World is whose events are published.
	World *world.World
	// After is the place after which they are: world.Cursor of a world that was
	// just opened, or what Cursor of an earlier Fanout gave.
	After world.Cursor
	// HostID is the host's part of the channel's name.
	HostID string
	// Services are the names under which the host answers; each has its channel.
	Services []protocol.Service
	// Publisher carries the envelopes.
	Publisher Publisher
}

// Fanout follows a world. Make one with New.
type Fanout struct {
	follower  *world.Follower
	publisher Publisher
	channels  []string
	// done are the channels that have the event after the cursor already.
	done int
}

// New makes a fan-out. It does nothing before Run.
func New(o Options) (*Fanout, error) {
	switch {
	case o.World == nil:
		return nil, errors.New("fanout: Options.World is missing")
	case o.Publisher == nil:
		return nil, errors.New("fanout: Options.Publisher is missing")
	case o.HostID == "":
		return nil, errors.New("fanout: Options.HostID is empty")
	case len(o.Services) == 0:
		return nil, errors.New("fanout: Options.Services is empty")
	}
	f := &Fanout{follower: o.World.Follow(o.After), publisher: o.Publisher}
	for _, s := range o.Services {
		f.channels = append(f.channels, s.FanoutChannel(o.HostID))
	}
	return f, nil
}

// Run publishes until the context ends, whose error it then returns, or until
// something fails. It may be called again and goes on with the envelope that was
// not published. After store.ErrTrimmed that one is gone; Skip goes past it.
func (f *Fanout) Run(ctx context.Context) error {
	for {
		events, err := f.follower.Next(ctx)
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := f.publish(ctx, e); err != nil {
				return err
			}
			f.follower.Pass(f.follower.After(e))
			f.done = 0
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
}

// Cursor is the place after the last event that was published everywhere. It is
// not to be called while Run runs.
func (f *Fanout) Cursor() world.Cursor { return f.follower.Cursor() }

// Skip passes over events that are no longer kept, and returns how many seqs
// that is.
func (f *Fanout) Skip(ctx context.Context) (by uint64, err error) {
	if by, err = f.follower.Skip(ctx); by > 0 {
		f.done = 0
	}
	return by, err
}

func (f *Fanout) publish(ctx context.Context, e *world.Event) error {
	if !e.Everybody() {
		return nil
	}
	envelope, err := Envelope(e)
	if err != nil {
		return err
	}
	for _, channel := range f.channels[f.done:] {
		if err := f.publisher.Publish(ctx, channel, envelope); err != nil {
			return fmt.Errorf("publish event %d on %s: %w", e.Seq, channel, err)
		}
		f.done++
	}
	return nil
}

// Envelope encodes an event as protocol.FanoutEnvelope. Its data is what streams
// have, without inline nodes: a receiver that hands it on as it is gives its
// clients what this host gives its own.
func Envelope(e *world.Event) ([]byte, error) {
	head, err := protocol.ParseEventHead(e.Data)
	if err != nil {
		return nil, fmt.Errorf("event %d: %w", e.Seq, err)
	}
	envelope, err := json.Marshal(&protocol.FanoutEnvelope{
		Rev: e.Rev, Event: protocol.EventKind(e.Kind), Data: e.Data,
		MerkleRootHex: head.MerkleRootHex, MerkleLeafCount: head.MerkleLeafCount, Notify: head.Notify,
	})
	if err != nil {
		return nil, fmt.Errorf("encode the envelope of event %d: %w", e.Seq, err)
	}
	return envelope, nil
}
