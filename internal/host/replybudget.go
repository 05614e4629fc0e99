package host

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// replyPace is what a client has to take of a long reply in each replyWindow until
	// it has all.
	replyPace   = 64 << 10
	replyWindow = 10 * time.Second
	// pageBytes is what a page of records is counted as until it is read: the length at
	// which one ends.
	pageBytes = 1 << 20
	// readingTurn is how long a page waits for its turn to be read.
	readingTurn = 10 * time.Second
	// callersPart is what the budget is divided by for the part of one caller, which leaves
	// the others room.
	callersPart = 4
)

// replyBudget bounds what replies hold that only their readers have: pages of records,
// and compressed maps, until they are written.
type replyBudget struct {
	limit int

	mu   sync.Mutex
	held int
	// of is what each caller has of it.
	of map[string]int
}

func newReplyBudget(limit int) *replyBudget {
	return &replyBudget{limit: limit, of: map[string]int{}}
}

// take reports whether a caller's reply may hold n bytes. One that has no other may hold
// what there is.
func (b *replyBudget) take(caller string, n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held+n > b.limit || b.of[caller] > 0 && b.of[caller]+n > b.limit/callersPart {
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

// readPage reads a page that the reply then holds, in its turn and if there is room.
func (c *call) readPage(read func(ctx context.Context) (parts [][]byte, err error)) ([][]byte, error) {
	ctx, cancel := context.WithTimeoutCause(c.r.Context(), readingTurn, errNoTurn)
	defer cancel()
	if err := c.host.reading.begin(ctx, c.callerKey()); err != nil {
		if errors.Is(err, errNoTurn) {
			return nil, c.host.overloaded("replies_reading", "this host is reading as many pages from its store as it may at the same time")
		}
		return nil, err
	}
	defer c.host.reading.end()
	parts, err := c.readCounted(read)
	if err != nil {
		return nil, err
	}
	if !c.holdReply(lengthOf(parts)) {
		return nil, c.noRoom()
	}
	return parts, nil
}

// readCounted reads a page that is counted as pageBytes meanwhile.
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
	return c.host.overloaded("reply_budget", "the replies that you or others have not read take the memory that this host has for them (--reply-budget)")
}

func lengthOf(parts [][]byte) int {
	length := 0
	for _, part := range parts {
		length += len(part)
	}
	return length
}

// paceReply gives the client a window for the next part of a long reply.
func (c *call) paceReply() {
	end := time.Now().Add(replyWindow)
	if all := c.replyBegan.Add(writeTimeout); all.Before(end) {
		end = all
	}
	// A server without deadlines is one of a test, or an embedder's own business.
	_ = c.control().SetWriteDeadline(end)
}
