package world

import (
	"slices"
	"sync"

	"github.com/playctl/playctl/protocol"
)

const (
	// queueLength bounds how many commands wait; past it callers block.
	queueLength = 1024
	// maxBatch bounds how many commands one batch has. A batch is the commands that
	// arrive while the previous one is being made durable, so there is no idle delay.
	maxBatch = 512
	// maxBatchBodies bounds the total length of the request bodies of one batch, so
	// that a short command waits for few long ones. A longer body is a batch of its
	// own.
	maxBatchBodies = 128 << 10
)

// noAccount is the account of the world's own commands in the queue, and of callers that
// have no node.
const noAccount = ""

// queue holds the commands that wait for the writer. Accounts take turns, one command in
// each, so that a queued command waits for few of another account, however many came
// before. The commands of one account stay in their order. Places in the queue are given
// in the order of arrival: the places of an account are bounded by the requests that its
// nodes may have in progress.
type queue struct {
	// places has a value for each command that waits.
	places chan struct{}
	// ready has a value while commands wait, and when the queue is closed.
	ready chan struct{}

	mu      sync.Mutex
	closed  bool
	waiting map[string]jobList
	// turns are the accounts whose commands wait, in the order of their turns.
	turns []string
}

// jobList is the commands of one account, linked in their order.
type jobList struct{ first, last *job }

func newQueue() *queue {
	return &queue{places: make(chan struct{}, queueLength), ready: make(chan struct{}, 1), waiting: map[string]jobList{}}
}

// send queues a command for the writer.
func (q *queue) send(account string, j *job) error {
	if err := j.gone(); err != nil {
		return err
	}
	select {
	case q.places <- struct{}{}:
	case <-j.late:
		return errLate
	case <-j.ctx.Done():
		return j.ctx.Err()
	}
	if !q.append(account, j) {
		<-q.places
		return protocol.Errorf(protocol.CodeShuttingDown, "the host is shutting down: nothing was changed; retry in a moment")
	}
	// The woken goroutine needs the lock.
	q.signal()
	return nil
}

// append adds a command to the list of its account, and reports whether the queue is
// open.
func (q *queue) append(account string, j *job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	commands, waits := q.waiting[account]
	if waits {
		commands.last.next = j
	} else {
		commands.first = j
		q.turns = append(q.turns, account)
	}
	commands.last = j
	q.waiting[account] = commands
	return true
}

func (q *queue) signal() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// close makes the queue refuse further commands. Queued commands stay.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signal()
}

// take moves queued commands to a batch, at least one if any is queued. An account
// whose next command is too long for this batch keeps its turn. open is false when the
// queue is closed and empty.
func (q *queue) take(batch []*job) (_ []*job, open bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	bytes, tooLong := 0, []string(nil)
	turn := 0
	for ; turn < len(q.turns) && len(batch) < maxBatch; turn++ {
		account := q.turns[turn]
		commands := q.waiting[account]
		j := commands.first
		// A command whose caller is gone is answered and not carried out.
		if j.gone() == nil {
			if len(batch) > 0 && bytes+j.req.BodyBytes > maxBatchBodies {
				tooLong = append(tooLong, account)
				continue
			}
			bytes += j.req.BodyBytes
		}
		batch = append(batch, j)
		<-q.places
		if commands.first, j.next = j.next, nil; commands.first == nil {
			delete(q.waiting, account)
			continue
		}
		q.waiting[account] = commands
		q.turns = append(q.turns, account)
	}
	turn -= copy(q.turns[turn-len(tooLong):], tooLong)
	q.turns = slices.Delete(q.turns, 0, turn)
	if len(q.turns) > 0 || q.closed {
		q.signal()
	}
	return batch, len(batch) > 0 || !q.closed
}
