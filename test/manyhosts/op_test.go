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

// verb is what an op does.
type verb string

const (
	register   verb = "register"
	disconnect verb = "disconnect"
	heartbeat  verb = "heartbeat"
	say        verb = "say"
	travel     verb = "travel"
	zone       verb = "zone"
	remove     verb = "delete" // an agent's node
	create     verb = "create" // it again
	ask        verb = "ask"
	answer     verb = "answer"
	place      verb = "place"
	withdraw   verb = "withdraw"
	found      verb = "found" // a space
	furnish    verb = "furnish"
	clearOut   verb = "clear"
	drop       verb = "drop"
	look       verb = "look"
)

// outcome is what the caller knows of an op.
type outcome string

const (
	unsent  outcome = "unsent" // no host got it
	unknown outcome = "unknown"
	refused outcome = "refused"
	acked   outcome = "acknowledged"
)

// op is one command or read, and what came of it.
type op struct {
	worker, number int
	verb           verb
	// subject is what the op is about, such as "agent 2": ops of different
	// subjects do not interfere.
	subject string
	// agent is whose answer an answer is.
	agent string
	// mark is a text that no other op has; an event of this op shows it.
	mark string
	// arg is a connection, an id or an amenity.
	arg string
	// keyed ops carry an idempotency key and are repeated until they are answered.
	keyed bool
	// asked are the hosts that it was sent to, and what they said.
	asked []string

	started, ended time.Duration // since the story's begin
	outcome        outcome
	result         result
}

// result is what the answer says.
type result struct {
	code protocol.Code
	ok   bool
	id   string
	// seq is that of the op's event; 0 where the answer does not say.
	seq, rev uint64
	// text and zones are what a look found; text is "" for nothing.
	text  string
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
		asked = append([]string{fmt.Sprintf("%d times in vain", n)}, asked[n:]...)
	}
	return fmt.Sprintf("%8.1f to %8.1f ms %-6s %s %s mark=%q arg=%q%s: %s %+v, asked %s",
		milliseconds(o.started), milliseconds(o.ended), o.name(), o.verb, o.subject, o.mark, o.arg, key, o.outcome, o.result,
		strings.Join(asked, ", "))
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// history is all that was sent, and what was broken meanwhile.
type history struct {
	start time.Time

	mu     sync.Mutex
	ops    []*op
	faults []string
	// rev is the highest that any answer was of: a look from there is as new as
	// all that was answered before it.
	rev uint64
	// refusals are how long hosts took to say that the store is away.
	refusals []time.Duration
	// still is for how long the machine stood still, in nanoseconds.
	still atomic.Int64
}

func newHistory() *history { return &history{start: time.Now()} }

func (h *history) now() time.Duration { return time.Since(h.start) }

func (h *history) add(o *op) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, o)
}

// saw takes the rev of an answer.
func (h *history) saw(rev uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rev = max(h.rev, rev)
}

func (h *history) newest() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.rev
}

// watch notes for how long nothing went on here, as on a machine that is stopped,
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

// away takes how long an answer took that said that the store is away.
func (h *history) away(took time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refusals = append(h.refusals, took)
}

func (h *history) fault(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.faults = append(h.faults, fmt.Sprintf("%8.1f ms %s", milliseconds(h.now()), fmt.Sprintf(format, args...)))
}

// count is how many ops had an outcome.
func (h *history) count(of outcome) int {
	n := 0
	for _, o := range h.ops {
		if o.outcome == of {
			n++
		}
	}
	return n
}

// String is the history in the order in which ops began.
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
