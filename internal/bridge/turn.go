package bridge

import (
	"context"
	"time"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/store"
)

const (
	// turnTerm is how long the lock of the delivering host lasts, by the store's time:
	// if that host crashes, another one continues after this time.
	turnTerm = 5 * time.Second
	// turnTrust is how long after its last request a host treats the lock as its own:
	// less than the term, because two clocks do not run equally fast.
	turnTrust = 4 * time.Second
	// turnRenew is how often the lock is extended, and turnAsk the longest wait of the
	// other hosts before they request it again.
	turnRenew = time.Second
	turnAsk   = 2 * time.Second
	// askTimeout bounds one request to the store.
	askTimeout = time.Second
)

// turn is the time in which this host is the delivering host.
//
// It keeps events from being delivered twice and protects nothing else: a host that
// was suspended and delivers events that another host delivered meanwhile repeats
// them under the same idempotency keys. Each host delivers events one by one from a
// position that the bridge has certainly reached, so the first delivery of every
// event is in order however many hosts deliver.
type turn struct {
	// fence is the lock.
	fence *store.Fence
	// asked is the time of the last request for the lock.
	asked time.Time
	// running ends with the turn or when the bridge is to stop, attempts with the
	// turn or when the attempt in progress is cut.
	running, attempts context.Context //nolint:containedctx // they are what a turn is
	end               context.CancelFunc
}

// take takes the turn for this host unless another host has it.
func (b *Bridge) take(ctx context.Context) (held bool, err error) {
	asking, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	asked := time.Now()
	fence, held, err := b.world.Lock(asking, lockName(b.name), b.holder, turnTerm)
	if err != nil {
		return false, err
	}
	// A host that does not deliver reads the position only for its state.
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
