package bridge

import (
	"fmt"
	"io"
	"sync"
)

// Failure is a kind of failure to deliver an event.
type Failure string

// The kinds of failures.
const (
	// FailedTimeout: no reply in time.
	FailedTimeout Failure = "timeout"
	// FailedUnreachable: no connection, or one that broke.
	FailedUnreachable Failure = "unreachable"
	// FailedServer: a 5xx.
	FailedServer Failure = "server_error"
	// FailedThrottled: a 408 or 429.
	FailedThrottled Failure = "throttled"
	// FailedRedirect: a 3xx, which is not followed.
	FailedRedirect Failure = "redirect"
	// FailedRefused: another 4xx; the event is skipped.
	FailedRefused Failure = "refused"
	// FailedStore: the world's own store did not answer.
	FailedStore Failure = "store"
)

// State is the state of a bridge.
type State struct {
	// Position is the seq of the last event that the bridge is done with, and Lag how
	// many seqs the world is ahead of it.
	Position, Lag uint64
	// Delivered, Refused and Retries count events and repeated attempts since the
	// start; Skipped counts the seqs of events that were gone before they were
	// delivered.
	Delivered, Refused, Retries, Skipped uint64
	// LastFailure is the kind of the last failure, empty if there was none.
	LastFailure Failure
	// Failing says that the event after Position could not be delivered so far.
	Failing bool
	// Leader reports whether this host is the one that delivers. If not, Position is
	// the last one that the store returned.
	Leader bool
}

// State returns the current state of the bridge.
func (b *Bridge) State() State {
	s := b.state.read()
	if head := b.world.Events().Head(); head > s.Position {
		s.Lag = head - s.Position
	}
	return s
}

// board is a State that goroutines share.
type board struct {
	mu    sync.Mutex
	state State
}

func (b *board) read() State {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state
}

func (b *board) change(f func(*State)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f(&b.state)
}

func (b *board) moved(to uint64) { b.change(func(s *State) { s.Position = to }) }

func (b *board) skipped(by uint64) { b.change(func(s *State) { s.Skipped += by }) }

func (b *board) delivered() {
	b.change(func(s *State) { s.Delivered, s.Failing = s.Delivered+1, false })
}

func (b *board) refused() {
	b.change(func(s *State) { s.Refused, s.LastFailure, s.Failing = s.Refused+1, FailedRefused, false })
}

func (b *board) retried(why Failure) {
	b.change(func(s *State) { s.Retries, s.LastFailure, s.Failing = s.Retries+1, why, true })
}

func (b *board) leads(it bool) { b.change(func(s *State) { s.Leader = it }) }

func (b *board) passedOn() { b.change(func(s *State) { s.Leader, s.Failing = false, false }) }

func (b *board) failed(why Failure) { b.change(func(s *State) { s.LastFailure = why }) }

// WriteMetrics writes the state in the text format of Prometheus.
func (b *Bridge) WriteMetrics(w io.Writer) {
	s := b.State()
	write := func(name, labels, kind, help string, value float64) {
		_, _ = fmt.Fprintf(w, "# HELP playctl_bridge_%[1]s %[2]s\n# TYPE playctl_bridge_%[1]s %[3]s\nplayctl_bridge_%[1]s%[4]s %[5]g\n", name, help, kind, labels, value)
	}
	write("position", "", "gauge", "The id of the last event that was delivered, refused or skipped.", float64(s.Position))
	write("lag_events", "", "gauge", "Events between the position of the bridge and the end of the log.", float64(s.Lag))
	write("failing", "", "gauge", "1 while the bridge does not accept the next event.", oneIf(s.Failing))
	write("leader", "", "gauge", "1 while this host is the leader, which delivers to the bridge.", oneIf(s.Leader))
	write("delivered_total", "", "counter", "Events that the bridge accepted.", float64(s.Delivered))
	write("refused_total", "", "counter", "Events that the bridge refused.", float64(s.Refused))
	write("retries_total", "", "counter", "Failed attempts, which are repeated.", float64(s.Retries))
	write("skipped_total", "", "counter", "Events that were no longer kept when they could have been delivered.", float64(s.Skipped))
	if s.LastFailure != "" {
		write("last_failure", fmt.Sprintf("{kind=%q}", s.LastFailure), "gauge", "The kind of the last failure; absent if there was none.", 1)
	}
}

func oneIf(it bool) float64 {
	if it {
		return 1
	}
	return 0
}
