package world

import (
	"context"

	"github.com/playctl/playctl/protocol"
)

// Cursor is a position in the event log: just after an event.
type Cursor struct {
	// Seq is the id of that event.
	Seq uint64 `json:"seq"`
	// SID is the session as of that event; empty if it is not known.
	SID string `json:"sid"`
}

// Cursor returns the position after the newest event.
func (w *World) Cursor() Cursor {
	v := w.View()
	return Cursor{Seq: v.Seq, SID: v.SID}
}

// EventReader reads every event once, in order, whatever its audience: from memory
// while it keeps up, otherwise from the journal. It has no queue and delays no other
// part of the world, however slow it is. It is used by one goroutine.
type EventReader struct {
	world  *World
	cursor Cursor
	// buf has the events read last; the array is reused.
	buf []*Event
}

// ReadEvents returns a reader of the events after a position.
func (w *World) ReadEvents(after Cursor) *EventReader {
	return &EventReader{world: w, cursor: after, buf: make([]*Event, 0, maxRead)}
}

// maxRead is how many events a reader takes at once; it bounds what it
// keeps in memory.
const maxRead = 64

// Next waits for events and returns the next ones, at least one. The slice is
// valid until the next call. It fails with store.ErrTrimmed when an event after
// the cursor is no longer kept, and with the journal's error when that cannot be
// read, a *store.DamagedError among them; Next may be called again after either.
func (r *EventReader) Next(ctx context.Context) ([]*Event, error) {
	clear(r.buf)
	for {
		events, wake, err := r.world.eventsAfter(ctx, r.cursor.Seq, r.buf[:0])
		if err != nil {
			return nil, err
		}
		if len(events) > 0 {
			r.buf = events
			return events, nil
		}
		if wake == nil {
			// The ring has gone past the cursor and the journal has nothing there:
			// what comes next is in the ring.
			r.cursor.Seq = r.world.log.oldest()
			continue
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// After returns the position just after an event that Next returned, with the session
// that the event is of, which for a reset is the new one. The session is empty if it
// is not known: for events of a past session that are read after a Skip.
func (r *EventReader) After(e *Event) Cursor { return Cursor{Seq: e.Seq, SID: r.sessionOf(e)} }

// Advance moves the cursor to a position that After returned.
func (r *EventReader) Advance(to Cursor) { r.cursor = to }

// Cursor returns the position that the reader was moved to last; Next returns the
// events after it.
func (r *EventReader) Cursor() Cursor { return r.cursor }

// sessionOf returns the session of an event. An event since the last reset is of the
// live session; that also holds where a restore changed the session without an
// event. An older one is of the session that the cursor is in.
func (r *EventReader) sessionOf(e *Event) string {
	for {
		reset := r.world.resetSeq.Load()
		sid := r.world.View().SID
		if reset != r.world.resetSeq.Load() {
			// A reset in between: the view may be of either session.
			continue
		}
		if e.Seq >= reset {
			return sid
		}
		break
	}
	if !e.Ends {
		return r.cursor.SID
	}
	var data protocol.SessionResetData
	if err := protocol.Decode(e.Data, &data); err != nil {
		return ""
	}
	return data.SID
}

// SkipDamage moves a cursor whose next events are damaged in the store to the oldest
// event in memory, and returns by how many seqs.
func (r *EventReader) SkipDamage() (by uint64) {
	from := r.cursor.Seq
	if to := r.world.log.oldest(); to > from {
		r.cursor = Cursor{Seq: to}
		return to - from
	}
	return 0
}

// Skip moves a cursor whose next events are no longer kept to the oldest place
// from which every event is, and returns by how many seqs. A cursor that needs
// no move stays.
func (r *EventReader) Skip(ctx context.Context) (by uint64, err error) {
	from := r.cursor.Seq
	to, err := r.world.oldestKept(ctx, from)
	if err != nil {
		return 0, err
	}
	if to <= from {
		return 0, nil
	}
	// There may have been resets among what is gone.
	r.cursor = Cursor{Seq: to}
	return to - from, nil
}
