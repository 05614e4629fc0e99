package bridge

import (
	"context"
	"time"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/store"
)

const (
	// turnTerm is how long the lock of the delivering host lasts, by
	// the store's time: so late another one goes on when that host dies.
	turnTerm = 5 * time.Second
	// turnTrust is how long after it last asked a host takes the lock for its own:
	// less than the term, because two clocks do not run equally fast.
	turnTrust = 4 * time.Second
	// turnRenew is how often the lock is extended, and at most how long each of
	// the other hosts waits before it asks for it again.
	turnRenew = time.Second
	turnAsk   = 2 * time.Second
	// askTimeout bounds one question to the store.
	askTimeout = time.Second
)

// turn is the time in which this host is the delivering host.
//
// It keeps events from being delivered twice and protects nothing else: a host that
// stood still and delivers what another host delivered meanwhile repeats an event
// under the same idempotency key. Each host delivers events one by one from a place
// that the bridge is known to have reached, so the first delivery of every event is
// in order however many hosts deliver.
type turn struct {
	// fence is the lock.
	fence *store.Fence
	// asked is when the lock was last asked for.
	asked time.Time
	// running ends with the turn or when the bridge is to stop, attempts with the
	// turn or when the attempt in progress is cut.
	running, attempts context.Context //nolint:containedctx // they are what a turn is
	end               context.CancelFunc
}

// take makes it this host's turn unless it is another's.
func (b *Bridge) take(ctx context.Context) (held bool, err error) {
	asking, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	asked := time.Now()
	fence, held, err := b.world.Lock(asking, lockName(b.name), b.holder, turnTerm)
	if err != nil {
		return false, err
	}
	// A host that does not deliver reads this only to know where the bridge stands.
	at, err := b.settle(asking)
	if err != nil || !held {
		return false, err
	}
	t := &turn{fence: fence, asked: asked}
	running, stop := context.WithCancel(ctx)
	attempts, cut := context.WithCancel(b.attempts)
	t.running, t.attempts = running, attempts
	t.end = func() { stop(); cut() }
	b.turn = t
	b.events, b.kept, b.keptAt = b.world.ReadEvents(at), at, time.Now()
	return true, nil
}

func lockName(bridge string) string { return "bridge:" + bridge }

// hold extends a turn until it stops running, and ends it as soon as the lock
// may be another host's.
func (b *Bridge) hold(t *turn) {
	for rest := turnRenew; pause.For(t.running, min(rest, time.Until(t.asked.Add(turnTrust)))); {
		asked := time.Now()
		asking, cancel := context.WithDeadline(t.running, t.asked.Add(turnTrust))
		fence, held, err := b.world.Lock(asking, lockName(b.name), b.holder, turnTerm)
		cancel()
		switch {
		case err == nil && (!held || *fence != *t.fence):
			t.end()
			return
		case err == nil:
			t.asked, rest = asked, turnRenew
		case !time.Now().Before(t.asked.Add(turnTrust)):
			t.end()
			return
		default:
			rest = turnRenew / 4
		}
	}
}
