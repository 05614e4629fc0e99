package world

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// History walks the events after a seq, up to and including another, read from
// the journal. It fails with store.ErrTrimmed when one of them is no longer
// kept.
func (w *World) History(ctx context.Context, after, upTo uint64) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		from, err := w.options.Journal.Seek(ctx, after)
		if err != nil {
			yield(nil, err)
			return
		}
		for e, err := range w.options.Journal.Read(ctx, from) {
			if err != nil {
				yield(nil, err)
				return
			}
			for _, event := range eventsOf(&e) {
				if event.Seq > upTo {
					return
				}
				if event.Seq > after && !yield(event, nil) {
					return
				}
			}
		}
	}
}

// maxReads is how many pieces of the journal are read for streams at the same time.
// Reading one takes several times the memory of its events.
const maxReads = 2

// JournalEvents appends to buf the events after a seq, up to and including another, that
// are read at a time, as EventLog.Since does, but from the journal. It fails as History
// does.
func (w *World) JournalEvents(ctx context.Context, after, upTo uint64, buf []*Event) ([]*Event, error) {
	select {
	case w.reads <- struct{}{}:
		defer func() { <-w.reads }()
	case <-ctx.Done():
		return buf, ctx.Err()
	}
	bytes := 0
	for e, err := range w.History(ctx, after, upTo) {
		if store.IsDamaged(err) && len(buf) > 0 {
			break // The next call fails.
		}
		if err != nil {
			return buf, err
		}
		if bytes += e.size(); bytes > maxBatchBytes && len(buf) > 0 {
			break
		}
		if buf = append(buf, e); len(buf) == cap(buf) {
			break
		}
	}
	return buf, nil
}

// EventPage is a part of the log that a caller may see.
type EventPage struct {
	Events []*Event
	// After is the seq that the page begins after, Last the one that it reaches to.
	After, Last uint64
	HasMore     bool
}

// maxScannedEvents bounds the events that one page examines; the caller may be allowed
// to see none of them.
const maxScannedEvents = 4096

// ListEvents lists the events of this session after a seq, or after the oldest place
// that is kept. It ends early, with HasMore, where size says that the page would be
// longer than 1 MiB, or after it looked at maxScannedEvents events.
func (w *World) ListEvents(ctx context.Context, c Caller, after *uint64, limit int, size func(*Event) int) (EventPage, error) {
	ctx, cancel := w.bounded(ctx)
	defer cancel()
	from, err := w.oldestAfter(ctx, after)
	if err != nil {
		return EventPage{}, unreadable(err)
	}
	head, room := w.log.Head(), maxPageBytes
	page := EventPage{After: from, Last: from}
	looked := 0
	for buf := make([]*Event, 0, maxRead); page.Last < head; {
		if looked >= maxScannedEvents {
			page.HasMore = true
			return page, nil
		}
		events, _, err := w.eventsAfter(ctx, page.Last, buf[:0])
		if store.IsDamaged(err) && page.Last > from {
			page.HasMore = true // The next page fails.
			return page, nil
		}
		if err != nil {
			return EventPage{}, unreadable(err)
		}
		if len(events) == 0 {
			page.Last = head
		}
		looked += len(events)
		for _, e := range events {
			if e.VisibleTo(c) {
				if room -= size(e); len(page.Events) == limit || room < 0 && len(page.Events) > 0 {
					page.HasMore = true
					return page, nil
				}
				page.Events = append(page.Events, e)
			}
			page.Last = e.Seq
		}
	}
	return page, nil
}

// oldestAfter returns the position to continue from: a seq or, where that is not kept
// or of an earlier session, the oldest one.
func (w *World) oldestAfter(ctx context.Context, after *uint64) (uint64, error) {
	least := max(w.resetSeq.Load(), w.log.lost())
	if after != nil {
		least = max(least, *after)
	}
	return w.oldestKept(ctx, least)
}

// oldestKept returns the first position from a seq on after which every event is kept.
func (w *World) oldestKept(ctx context.Context, from uint64) (uint64, error) {
	to := w.log.Head()
	if from >= w.log.oldest() {
		return min(from, to), nil
	}
	if _, err := w.options.Journal.Seek(ctx, from); err == nil {
		return from, nil
	}
	// Seek fails for every position before the oldest and for none after it, so a
	// binary search finds the oldest.
	for low := from; low < to; {
		middle := low + (to-low)/2
		switch _, err := w.options.Journal.Seek(ctx, middle); {
		case errors.Is(err, store.ErrTrimmed):
			low = middle + 1
		case err != nil:
			return 0, fmt.Errorf("look for the oldest event after %d that is kept: %w", from, err)
		default:
			to = middle
		}
	}
	return to, nil
}

// eventsAfter appends to buf the events of one read, from memory or else from the
// journal; none if no event follows. wake is closed when one does; it is nil if the
// caller has to read again to get it.
func (w *World) eventsAfter(ctx context.Context, seq uint64, buf []*Event) (events []*Event, wake <-chan struct{}, err error) {
	events, wake, err = w.log.Since(seq, buf)
	if errors.Is(err, ErrBehind) {
		events, err = w.JournalEvents(ctx, seq, w.log.Head(), buf)
	}
	return events, wake, err
}

// Reasons why a stream cannot continue from a cursor.
const (
	ResyncTooOld      = "too_old"
	ResyncAhead       = "ahead"
	ResyncBeforeReset = "before_reset"
	ResyncGap         = "gap"
	// ResyncRestarted: the store restarted and may have lost events.
	ResyncRestarted = "store_restarted"
	// ResyncDamaged: an event after the cursor is damaged in the store.
	ResyncDamaged = "damaged"
)

// ResumeCheck returns why a stream cannot continue from a cursor; the reason is
// empty where it can. An error means that the store did not answer.
func (w *World) ResumeCheck(ctx context.Context, seq uint64) (reason string, err error) {
	if seq < w.resetSeq.Load() {
		return ResyncBeforeReset, nil
	}
	if seq < w.log.lost() {
		return ResyncRestarted, nil
	}
	if seq > w.log.Head() {
		// The cursor may be of an event that another host has sent and this one has not received
		// yet.
		if err := w.Refresh(ctx); err != nil {
			return "", err
		}
		w.awaitEvents(ctx, seq)
	}
	switch ok, sure := w.log.known(seq); {
	case ok:
		return "", nil
	case seq > w.log.Head():
		return ResyncAhead, nil
	case sure:
		return ResyncGap, nil
	}
	return w.resumeFromJournal(ctx, seq)
}

// showTime bounds the wait for the events of a view, which takes no more than a moment.
const showTime = time.Second

// awaitEvents waits until the events up to a seq are in memory, if a view has them: it is
// shown just before its events, and a reader may know its seq from it.
func (w *World) awaitEvents(ctx context.Context, seq uint64) {
	ctx, cancel := context.WithTimeout(ctx, showTime)
	defer cancel()
	for seq <= w.View().Seq {
		wake := w.log.Wake()
		if seq <= w.log.Head() {
			return
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return
		}
	}
}

// resumeFromJournal is ResumeCheck for a cursor that the ring does not reach
// back to.
func (w *World) resumeFromJournal(ctx context.Context, seq uint64) (reason string, err error) {
	ctx, cancel := w.bounded(ctx)
	defer cancel()
	from, err := w.options.Journal.Seek(ctx, seq)
	switch {
	case errors.Is(err, store.ErrTrimmed):
		return ResyncTooOld, nil
	case store.IsDamaged(err):
		return ResyncDamaged, nil
	case err != nil:
		return "", unreadable(err)
	}
	// The entry before the first one to send must end at the cursor, or that first one
	// must contain the event just after it.
	prev := max(from, 1) - 1
	for e, err := range w.options.Journal.Read(ctx, prev) {
		switch {
		case store.IsDamaged(err):
			return ResyncDamaged, nil
		case err != nil:
			return "", unreadable(err)
		case e.Seq < seq:
		case e.Seq == seq || e.FirstSeq() <= seq+1:
			return "", nil
		default:
			return ResyncGap, nil
		}
	}
	return ResyncGap, nil
}

// maxPageBytes is how long a page of a history may be, except for one record, with
// 64 bytes for what surrounds them.
const maxPageBytes = 1<<20 - 64

// HistoryPage is a page of a history, the newest last.
type HistoryPage struct {
	// Records are the JSON of each record.
	Records [][]byte
	// Damaged are the seqs of the records that are left out because they are damaged, 0
	// for one whose seq is not known.
	Damaged []uint64
	HasMore bool
}

// Interactions lists the kept chat lines before a seq, the newest last; all of
// them for before 0, and every agent's for an empty playerID. It ends early, with
// HasMore, where the page would be longer than 1 MiB.
func (w *World) Interactions(ctx context.Context, list protocol.ListRequest) (HistoryPage, error) {
	return w.list(ctx, interactionHistory, list)
}

// Journeys lists the kept journeys as Interactions lists chat lines.
func (w *World) Journeys(ctx context.Context, list protocol.ListRequest) (HistoryPage, error) {
	return w.list(ctx, journeyHistory, list)
}

func (w *World) list(ctx context.Context, h history, list protocol.ListRequest) (HistoryPage, error) {
	ctx, cancel := w.bounded(ctx)
	defer cancel()
	table, prefix := h.order, []byte(nil)
	if list.PlayerID != "" {
		table, prefix = h.byPlayer, historyPrefix(list.PlayerID)
	}
	walk := store.Range{Prefix: prefix, Reverse: true}
	if list.BeforeSeq != nil {
		walk.Before = append(slices.Clone(prefix), seqKey(*list.BeforeSeq)...)
	}
	page := HistoryPage{Records: make([][]byte, 0, min(list.Limit, 64))}
	// known is how many of the damaged records are newer than the last one of the page.
	room, known := maxPageBytes, 0
	for pair, err := range w.options.Journal.Scan(ctx, table, walk) {
		if page.HasMore = page.full(list.Limit) && (err == nil || store.IsDamaged(err)); page.HasMore {
			break
		}
		record := pair.Value
		if list.PlayerID == "" {
			record, err = w.recordOf(ctx, h, pair, err)
		}
		switch {
		case store.IsDamaged(err):
			page.Damaged = append(page.Damaged, seqOf(pair.Key))
			continue
		case err != nil:
			return HistoryPage{}, unreadable(err)
		case record == nil:
			continue
		}
		room -= len(record) + 1
		if page.HasMore = room < 0 && len(page.Records) > 0; page.HasMore {
			break
		}
		page.Records, known = append(page.Records, record), len(page.Damaged)
	}
	if page.HasMore && len(page.Records) > 0 {
		page.Damaged = page.Damaged[:known] // The next page names the others.
	}
	slices.Reverse(page.Records)
	slices.Reverse(page.Damaged)
	return page, nil
}

// recordOf returns the record to which a pair of the order of all agents refers, or the
// error with which the pair was read.
func (w *World) recordOf(ctx context.Context, h history, pair store.Pair, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return w.options.Journal.Get(ctx, h.byPlayer, append(historyPrefix(string(pair.Value)), pair.Key...))
}

// full reports whether a page of at most limit records takes no more.
func (p *HistoryPage) full(limit int) bool {
	return len(p.Records) == limit || len(p.Damaged) == protocol.MaxListLimit
}

// seqOf returns the seq at the end of a record's key, 0 if there is none.
func seqOf(key []byte) uint64 {
	if len(key) < 8 {
		return 0
	}
	if seq := binary.BigEndian.Uint64(key[len(key)-8:]); seq <= protocol.MaxSafeInteger {
		return seq
	}
	return 0
}
