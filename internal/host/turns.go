package host

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// fairSemaphore shares the processors among callers with long work: to read a page or a part of
// the history, or to write a part of a long reply. Callers have turns one after the other,
// however many requests each has.
type fairSemaphore struct {
	mu   sync.Mutex
	free int
	// waiting are the requests that wait for a turn, by caller, in the order of their
	// arrival, and next are the callers of waiting requests, in the order of their turns.
	waiting map[string][]chan struct{}
	next    []string
}

// longestTurn is how long a turn to write lasts at most. A client that does not read
// delays its own writer, but no other. A processor copies some MiB in that time.
const longestTurn = 2 * time.Millisecond

// halfOf leaves the other half of the processors to short requests, which would otherwise
// wait for all long ones before them.
func halfOf(processors int) int { return max(processors/2, 1) }

// newFairSemaphore returns one with that many turns at once.
func newFairSemaphore(free int) *fairSemaphore {
	return &fairSemaphore{free: free, waiting: map[string][]chan struct{}{}}
}

// acquire waits for a turn of the caller, which release ends.
func (t *fairSemaphore) acquire(ctx context.Context, caller string) error {
	t.mu.Lock()
	if t.free > 0 {
		t.free--
		t.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	if len(t.waiting[caller]) == 0 {
		t.next = append(t.next, caller)
	}
	t.waiting[caller] = append(t.waiting[caller], turn)
	t.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	if !t.cancel(caller, turn) {
		t.release() // The turn came at the same moment.
	}
	return fmt.Errorf("wait for a turn: %w", context.Cause(ctx))
}

// cancel removes a waiting request and reports whether it was waiting.
func (t *fairSemaphore) cancel(caller string, turn chan struct{}) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.waiting[caller], turn)
	if i < 0 {
		return false
	}
	t.waiting[caller] = slices.Delete(t.waiting[caller], i, i+1)
	if len(t.waiting[caller]) == 0 {
		delete(t.waiting, caller)
		t.next = slices.Delete(t.next, slices.Index(t.next, caller), slices.Index(t.next, caller)+1)
	}
	return true
}

// release ends a turn and gives it to the caller whose turn is next.
func (t *fairSemaphore) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.next) == 0 {
		t.free++
		return
	}
	caller := t.next[0]
	t.next = slices.Delete(t.next, 0, 1)
	of := t.waiting[caller]
	close(of[0])
	if t.waiting[caller] = slices.Delete(of, 0, 1); len(of) > 1 {
		t.next = append(t.next, caller)
	} else {
		delete(t.waiting, caller)
	}
}

// acquireShort is begin for a turn that ends automatically after longestTurn. The
// function that it returns ends the turn earlier.
func (t *fairSemaphore) acquireShort(ctx context.Context, caller string) (end func(), err error) {
	if err := t.acquire(ctx, caller); err != nil {
		return nil, err
	}
	over := time.AfterFunc(longestTurn, t.release)
	return func() {
		if over.Stop() {
			t.release()
		}
	}, nil
}

// writePart writes a part of a long reply in turns of the caller. On HTTP/1.1 without
// TLS a turn covers only writes that do not wait for the client.
func (c *call) writePart(b []byte) (int, error) {
	c.paceReply()
	if conn, raw := canHijack(c.r); conn != nil {
		conn.inTurns = func(b []byte) (int, error) {
			return c.host.writing.write(c.r.Context(), c.callerKey(), conn.Conn, raw, b)
		}
		defer func() { conn.inTurns = nil }()
		return c.w.Write(b) //nolint:wrapcheck // the caller's own writer
	}
	end, err := c.host.writing.acquireShort(c.r.Context(), c.callerKey())
	if err != nil {
		return 0, err
	}
	defer end()
	return c.w.Write(b) //nolint:wrapcheck // the caller's own writer
}
