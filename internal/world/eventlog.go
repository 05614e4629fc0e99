package world

import (
	"cmp"
	"errors"
	"fmt"
	"sort"
	"sync"
)

// ErrBehind means that the ring no longer holds the events asked for: read them
// from the journal, with World.History.
var ErrBehind = errors.New("the event is no longer in memory")

// ErrRestarted is the ErrBehind of a cursor from before the store restarted and
// may have lost events: the reader rereads the world.
var ErrRestarted = fmt.Errorf("%w: the store restarted since", ErrBehind)

// EventLog is the ring of the newest events, shared by all subscribers. A
// subscriber is a goroutine with a cursor; there is no queue for each.
type EventLog struct {
	mu   sync.RWMutex
	ring []*Event
	// first and next count the events ever dropped and ever added: those between
	// them are in the ring, each at its count modulo the ring's length.
	first, next uint64
	// bytes is the size of the events in the ring, budget its limit.
	bytes, budget int
	// base is the seq after which the ring holds every event.
	base uint64
	// began is where the seq last jumped because the store may have lost events: a
	// cursor before it cannot be resumed. 0 if it never jumped.
	began uint64
	head  uint64
	wake  chan struct{}
}

func newEventLog(capacity, budget int, head uint64) *EventLog {
	return &EventLog{ring: make([]*Event, capacity), budget: budget, base: head, head: head, wake: make(chan struct{})}
}

// Head is the seq of the last event.
func (l *EventLog) Head() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.head
}

// Wake returns a channel that is closed at the next event.
func (l *EventLog) Wake() <-chan struct{} {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.wake
}

// maxBatchBytes bounds the memory of the events that are read at a time: one event, or
// several within it. A stalled reader keeps no more than that.
const maxBatchBytes = 256 << 10

// Since appends to buf the events after a seq that are read at once, at most
// cap(buf)-len(buf) of them if buf has room and 256 otherwise. With nothing new it returns a channel that
// is closed at the next event. It fails with ErrBehind when the ring has gone
// past the seq.
func (l *EventLog) Since(seq uint64, buf []*Event) ([]*Event, <-chan struct{}, error) {
	room := cmp.Or(cap(buf)-len(buf), 256)
	l.mu.RLock()
	defer l.mu.RUnlock()
	if seq < l.began {
		return buf, nil, ErrRestarted
	}
	if seq >= l.head {
		return buf, l.wake, nil
	}
	i, ok := l.search(seq)
	if !ok {
		return buf, nil, ErrBehind
	}
	for bytes := 0; i < l.next && room > 0; i, room = i+1, room-1 {
		e := l.ring[i%uint64(len(l.ring))]
		if bytes += e.size(); bytes > maxBatchBytes && len(buf) > 0 {
			break
		}
		buf = append(buf, e)
	}
	return buf, nil, nil
}

// search finds the index of the first event after seq. Seqs may jump, so it is
// a binary search and not a subtraction.
func (l *EventLog) search(seq uint64) (uint64, bool) {
	if seq < l.base {
		return 0, false
	}
	past := sort.Search(int(l.next-l.first), func(i int) bool {
		return l.ring[(l.first+uint64(i))%uint64(len(l.ring))].Seq > seq
	})
	return l.first + uint64(past), true
}

// restart empties the ring; the next event is after seq. A cursor before began,
// where the seq jumped, may point to a lost event.
func (l *EventLog) restart(seq, began uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.ring)
	l.first, l.next, l.bytes = 0, 0, 0
	l.base, l.head, l.began = seq, seq, max(began, l.began)
	close(l.wake)
	l.wake = make(chan struct{})
}

// lost returns the seq before which the store may have lost events; 0 for none.
func (l *EventLog) lost() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.began
}

// add appends events and wakes every subscriber that waits.
func (l *EventLog) add(events []*Event) {
	if len(events) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	size := uint64(len(l.ring))
	for _, e := range events {
		if l.next-l.first == size {
			l.drop()
		}
		l.ring[l.next%size] = e
		l.next++
		l.head = e.Seq
		l.bytes += e.size()
	}
	for l.bytes > l.budget && l.next-l.first > 1 {
		l.drop()
	}
	close(l.wake)
	l.wake = make(chan struct{})
}

// drop drops the oldest event.
func (l *EventLog) drop() {
	at := l.first % uint64(len(l.ring))
	l.base, l.bytes = l.ring[at].Seq, l.bytes-l.ring[at].size()
	l.ring[at] = nil
	l.first++
}

// known reports whether a seq is that of an event in the ring, or the one just
// before it; sure is false if the ring does not reach back that far.
func (l *EventLog) known(seq uint64) (ok, sure bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if seq == l.head || seq == l.base {
		return true, true
	}
	if seq > l.head {
		return false, true
	}
	i, found := l.search(seq)
	if !found {
		return false, false
	}
	return i > l.first && l.ring[(i-1)%uint64(len(l.ring))].Seq == seq, true
}

// oldest is the seq after which the ring holds every event.
func (l *EventLog) oldest() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.base
}
