package world

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/store"
)

// maxCommit is how long a commit may take: after that its callers, and those that wait
// behind it, get the reply that the store does not respond. The disk of a store of one
// host may not answer for any time, and the call cannot be interrupted.
const maxCommit = 5 * time.Second

// errLate is the error while a commit takes longer than maxCommit.
var errLate error = &store.FaultError{Reason: "a write takes longer than " + maxCommit.String()}

// late notices a commit that takes longer than maxCommit.
type late struct {
	alarm *pause.Alarm
	// closed is closed while a commit is late.
	closed atomic.Pointer[chan struct{}]

	mu sync.Mutex
	// running is set while there is a commit, and rang once it is late.
	running, rang bool
	// stray is the number of alarms on their way for commits that have ended.
	stray int
}

// prepare sets what to call when a commit is late.
func (l *late) prepare(report func(error)) {
	sign := make(chan struct{})
	l.closed.Store(&sign)
	l.alarm = pause.NewAlarm(maxCommit, func() {
		if l.ring() {
			report(errLate)
		}
	})
}

// sign returns a channel that is closed when a commit is late, or already if one is.
func (l *late) sign() <-chan struct{} { return *l.closed.Load() }

// is reports whether a commit is late.
func (l *late) is() bool {
	select {
	case <-l.sign():
		return true
	default:
		return false
	}
}

// begin starts the time of a commit.
func (l *late) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running, l.rang = true, false
	l.alarm.Set()
}

// end ends the time of a commit. It may be called twice.
func (l *late) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.running {
		return
	}
	l.running = false
	switch unset := l.alarm.Unset(); {
	case l.rang:
		sign := make(chan struct{})
		l.closed.Store(&sign)
	case !unset:
		l.stray++
	}
}

// ring is called by the alarm and reports whether the present commit is late.
func (l *late) ring() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stray > 0 {
		l.stray--
		return false
	}
	l.rang = l.running
	if l.rang {
		close(*l.closed.Load())
	}
	return l.rang
}
