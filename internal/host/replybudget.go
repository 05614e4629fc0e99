package host

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// replyPace is how many bytes of a long reply a client has to read in each
	// replyWindow until it has all.
	replyPace   = 64 << 10
	replyWindow = 10 * time.Second
	// pageBytes is the size that a page of records counts as until it is read: the
	// length at which a page ends.
	pageBytes = 1 << 20
	// readingTurn is how long a page or a past rev waits for its turn to be read, and
	// maxReplays how many past revs are replayed at once.
	readingTurn = 10 * time.Second
	maxReplays  = 2
	// perCallerDivisor is the divisor of the budget for the share of one caller, which leaves
	// room for the others.
	perCallerDivisor = 4
)

// replyBudget bounds the memory of pages of records and of maps until they are written. A
// map that readers share counts for each of them.
type replyBudget struct {
	limit int

	mu   sync.Mutex
	held int
	// of is the share that each caller has taken.
	of map[string]int
}

func newReplyBudget(limit int) *replyBudget {
	return &replyBudget{limit: limit, of: map[string]int{}}
}

// take reports whether a caller's reply may hold n bytes. A caller's only reply may take
// all that is free.
func (b *replyBudget) take(caller string, n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held+n > b.limit || b.of[caller] > 0 && b.of[caller]+n > b.limit/perCallerDivisor {
		return false
	}
	b.held += n
	b.of[caller] += n
	return true
}

func (b *replyBudget) giveBack(caller string, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held -= n
	if b.of[caller] -= n; b.of[caller] == 0 {
		delete(b.of, caller)
	}
}

func (b *replyBudget) bytes() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held
}

// holdReply reports whether the reply may hold n bytes until it is written.
func (c *call) holdReply(n int) bool {
	caller := c.callerKey()
	if !c.host.replies.take(caller, n) {
		return false
	}
	c.leaves = append(c.leaves, func() { c.host.replies.giveBack(caller, n) })
	return true
}

// inTurn reads a part of the history in a turn of the caller.
func (c *call) inTurn(of *fairSemaphore, read func() error) error {
	ctx, cancel := context.WithTimeoutCause(c.r.Context(), readingTurn, errNoTurn)
	defer cancel()
	if err := of.acquire(ctx, c.callerKey()); err != nil {
		if errors.Is(err, errNoTurn) {
			return c.host.overloaded("replies_reading", "too many concurrent history reads")
		}
		return err
	}
	defer of.release()
	return read()
}

// readPage reads the page for the reply, in the caller's turn and if the budget allows it.
func (c *call) readPage(read func(ctx context.Context) (parts [][]byte, err error)) ([][]byte, error) {
	var parts [][]byte
	err := c.inTurn(c.host.reading, func() (err error) {
		parts, err = c.readCounted(read)
		return err
	})
	if err != nil {
		return nil, err
	}
	if !c.holdReply(lengthOf(parts)) {
		return nil, c.noRoom()
	}
	return parts, nil
}

// readCounted reads a page, counting it as pageBytes meanwhile.
func (c *call) readCounted(read func(ctx context.Context) (parts [][]byte, err error)) ([][]byte, error) {
	budget, caller := c.host.replies, c.callerKey()
	if !budget.take(caller, pageBytes) {
		return nil, c.noRoom()
	}
	defer budget.giveBack(caller, pageBytes)
	return read(c.r.Context())
}

var errNoTurn = errors.New("no turn came in time")

func (c *call) noRoom() error {
	return c.host.overloaded("reply_budget", "reply memory is full (--reply-budget); read pending replies")
}

func lengthOf(parts [][]byte) int {
	length := 0
	for _, part := range parts {
		length += len(part)
	}
	return length
}

// paceReply starts a window in which the client has to read the next part of a long reply.
func (c *call) paceReply() {
	end := time.Now().Add(replyWindow)
	if all := c.replyBegan.Add(writeTimeout); all.Before(end) {
		end = all
	}
	// A server without deadlines is a test's, or the responsibility of an embedding program.
	_ = c.control().SetWriteDeadline(end)
}
