package host

import (
	"context"
	"sync"
	"time"
)

const (
	// replyPace is what a client has to take of a long reply in each replyWindow until
	// it has all.
	replyPace   = 64 << 10
	replyWindow = 10 * time.Second
	// readingAtOnce is how many pages are read from the store at once. Until one is
	// read, what it holds is not known; and reading takes the processor, which short
	// requests have to wait for.
	readingAtOnce = 2
	// readingTurn is how long a page waits for its turn to be read.
	readingTurn = 10 * time.Second
	// callersPart is the part of the budget for one caller, so that it leaves the others
	// room.
	callersPart = 4
)

// replyBudget bounds what replies hold that only their readers have: pages of records,
// and compressed maps, until they are written.
type replyBudget struct {
	limit   int
	reading chan struct{}

	mu   sync.Mutex
	held int
	// of is what each caller has of it.
	of map[string]int
}

func newReplyBudget(limit int) *replyBudget {
	return &replyBudget{limit: limit, reading: make(chan struct{}, readingAtOnce), of: map[string]int{}}
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
	ctx := c.r.Context()
	turn := time.NewTimer(readingTurn)
	defer turn.Stop()
	select {
	case c.host.replies.reading <- struct{}{}:
	case <-turn.C:
		return nil, c.host.overloaded("replies_reading", "as many pages as this host reads from its store at once are being read")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-c.host.replies.reading }()
	parts, err := read(ctx)
	if err != nil {
		return nil, err
	}
	if !c.holdReply(lengthOf(parts)) {
		return nil, c.host.overloaded("reply_budget", "the replies that you or others have not read take the memory that this host has for them (--reply-budget)")
	}
	return parts, nil
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
