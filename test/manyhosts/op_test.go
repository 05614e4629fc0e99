//go:build full

package manyhosts

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/playctl/playctl/protocol"
)

// verb is the kind of an op.
type verb string

const (
	register      verb = "register"
	disconnect    verb = "disconnect"
	heartbeat     verb = "heartbeat"
	say           verb = "say"
	travel        verb = "travel"
	act           verb = "act"
	zone          verb = "zone"
	remove        verb = "delete" // an agent's node
	create        verb = "create" // the same node again
	ask           verb = "ask"
	answer        verb = "answer"
	place         verb = "place"
	withdraw      verb = "withdraw"
	createSpace   verb = "create space"
	addAmenity    verb = "add amenity"
	removeAmenity verb = "remove amenity"
	removeSpace   verb = "remove space"
	look          verb = "look"
)

// outcome is the result of an op as its caller knows it.
type outcome string

const (
	unsent  outcome = "unsent" // no host received it
	unknown outcome = "unknown"
	refused outcome = "refused"
	acked   outcome = "acknowledged"
)

// op is one command or read, and its result.
type op struct {
	worker, number int
	verb           verb
	// subject is the subject of the op, such as "agent 2": ops of different subjects
	// do not interfere.
	subject string
	// agent is the agent that gives the answer.
	agent string
	// mark is a text that is unique to the op; an event of this op contains it.
	mark string
	// arg is a connection, an id or an amenity.
	arg string
	// keyed ops have an idempotency key and are repeated until they are answered.
	keyed bool
	// asked are the hosts to which it was sent, and their replies.
	asked []string

	started, ended time.Duration // since the scenario's begin
	outcome        outcome
	result         result
}

// result is the content of the reply.
type result struct {
	code protocol.Code
	ok   bool
	id   string
	// seq is the seq of the op's event; 0 if the reply does not contain it.
	seq, rev uint64
	// text, doing and zones are the result of a look; text is "" for nothing.
	text  string
	doing string
	zones int64
}

func (o *op) name() string { return fmt.Sprintf("w%d#%d", o.worker, o.number) }

func (o *op) String() string {
	key := ""
	if o.keyed {
		key = " keyed"
	}
	asked := o.asked
	if n := len(asked) - 3; n > 0 {
		asked = append([]string{fmt.Sprintf("%d failed attempts", n)}, asked[n:]...)
	}
	return fmt.Sprintf("%8.1f to %8.1f ms %-6s %s %s mark=%q arg=%q%s: %s %+v, asked %s",
		milliseconds(o.started), milliseconds(o.ended), o.name(), o.verb, o.subject, o.mark, o.arg, key, o.outcome, o.result,
		strings.Join(asked, ", "))
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// history is everything sent, and all faults in the meantime.
type history struct {
	start time.Time

	mu     sync.Mutex
	ops    []*op
	faults []string
	// rev is the highest of all replies: a look at that rev is as new as all earlier
	// replies.
	rev uint64
	// refusals are the durations until hosts reported that the store is unavailable.
	refusals []time.Duration
	// still is for how long the machine was suspended, in nanoseconds.
	still atomic.Int64
}

func newHistory() *history { return &history{start: time.Now()} }

func (h *history) now() time.Duration { return time.Since(h.start) }

func (h *history) add(o *op) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, o)
}

// recordRev records the rev of a reply.
func (h *history) recordRev(rev uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rev = max(h.rev, rev)
}

func (h *history) newest() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.rev
}

// watch records for how long this process did not run, as on a suspended machine,
// until the context ends.
func (h *history) watch(ctx context.Context) {
	const every = 20 * time.Millisecond
	tick := time.NewTicker(every)
	defer tick.Stop()
	for last := time.Now(); ; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		now := time.Now()
		if late := now.Sub(last) - every; late > every {
			h.still.Add(int64(late))
		}
		last = now
	}
}

// storeUnavailable records the duration of a reply that reported that the store is unavailable.
func (h *history) storeUnavailable(took time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refusals = append(h.refusals, took)
}

func (h *history) fault(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.faults = append(h.faults, fmt.Sprintf("%8.1f ms %s", milliseconds(h.now()), fmt.Sprintf(format, args...)))
}

// count returns the number of ops with an outcome.
func (h *history) count(of outcome) int {
	n := 0
	for _, o := range h.ops {
		if o.outcome == of {
			n++
		}
	}
	return n
}

// String returns the history in the order in which ops began.
func (h *history) String() string {
	slices.SortStableFunc(h.ops, func(a, b *op) int { return int(a.started - b.started) })
	var b strings.Builder
	for _, f := range h.faults {
		fmt.Fprintln(&b, f)
	}
	for _, o := range h.ops {
		fmt.Fprintln(&b, o)
	}
	return b.String()
}
