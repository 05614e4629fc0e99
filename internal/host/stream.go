package host

import (
	"context"
	"errors"
	"os"
	"strconv"
	"time"

	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// stream is one subscriber: a cursor into the log that all of them share. It is
// used by one goroutine, and nothing is queued for it.
type stream struct {
	host   *Host
	out    output
	caller world.Caller
	// node is the caller's record, or that of the main node that a viewer's cookie
	// belongs to; nil for callers without one.
	node *world.Node
	// pass is a viewer's cookie that was created from a token, and seen the channel of
	// deletions as of its last check.
	pass *pass
	seen <-chan struct{}
	// ends is when a viewer's cookie expires; zero for other callers.
	ends   time.Time
	inline bool

	// cursor is the seq of the last event that was sent or skipped.
	cursor uint64
	// opened is the log's end when the stream opened, and openedAt the world's time in
	// milliseconds since the Unix epoch, as in an event; 0 if there is no other host,
	// whose events may arrive here later. Events that only subscribers present at the
	// time may see come after both.
	opened   uint64
	openedAt int64
	// live is true once the stream has caught up with the log.
	live bool
	// events are the events last read from the log; the array is reused.
	events []*world.Event

	timer     *time.Timer
	lastWrite time.Time
	// parks makes run end with endIdle where it would wait for the next event.
	parks bool
	// drains is set when the stream knows that the host shuts down.
	drains   bool
	deadline time.Time
	// deadlineReason is the reason why the stream ends at deadline.
	deadlineReason endReason
	written        int
}

// endReason is why a stream ended, for metrics; empty while it has not.
type endReason string

const (
	endClient   endReason = "client"
	endSlow     endReason = "slow"
	endLife     endReason = "life"
	endShutdown endReason = "shutdown"
	endReset    endReason = "reset"
	endDeleted  endReason = "deleted"
	endStore    endReason = "store"
	endCookie   endReason = "cookie"
	// endIdle does not end the stream: there is nothing to send for now.
	endIdle endReason = "idle"
)

// start chooses a random time for the stream to end at the latest.
func (s *stream) start() {
	s.deadline, s.deadlineReason = time.Now().Add(s.host.options.Streams.lifetime()), endLife
	if !s.ends.IsZero() && s.ends.Before(s.deadline) {
		s.deadline, s.deadlineReason = s.ends, endCookie
	}
	s.host.streams.replaying.Add(1)
}

// run sends events until something ends the stream. The order within one round
// matters: the channel of deletions is read before the node is checked, and the
// channel of the log before waiting for it, so that no change is missed in
// between.
func (s *stream) run(ctx context.Context) endReason {
	defer s.setLive()
	log, draining := s.host.world.Events(), s.host.streams.draining
	if s.drains {
		draining = nil
	}
	for {
		deleted := s.host.world.Registry().Removed()
		if !s.nodeExists() || deleted != s.seen && !s.tokenLives(ctx) {
			return endDeleted
		}
		s.seen = deleted
		events, wake, err := log.Since(s.cursor, s.events[:0])
		var end endReason
		switch {
		case errors.Is(err, world.ErrRestarted):
			end = s.resync(world.ResyncRestarted)
		case errors.Is(err, world.ErrBehind) && s.live:
			// The ring no longer has its next event: once cut, the client reconnects and reads the
			// journal.
			return endSlow
		case err != nil:
			end = s.replay(ctx)
		case len(events) > 0:
			end = s.send(events)
		default:
			end = s.await(ctx, wake, deleted, &draining)
		}
		if end == "" {
			end = s.overdue(ctx, &draining)
		}
		if end != "" {
			return end
		}
	}
}

// await waits for the next event, or returns endIdle where a pump does that.
func (s *stream) await(ctx context.Context, wake, deleted <-chan struct{}, draining *chan struct{}) endReason {
	s.setLive()
	if !s.parks {
		return s.idle(ctx, wake, deleted, draining)
	}
	if end := s.overdue(ctx, draining); end != "" {
		return end
	}
	return endIdle
}

// setLive counts the stream as caught up.
func (s *stream) setLive() {
	if !s.live {
		s.live = true
		s.host.streams.replaying.Add(-1)
	}
}

// overdue reports whether the stream has to end although it still has events to
// send.
func (s *stream) overdue(ctx context.Context, draining *chan struct{}) endReason {
	select {
	case <-ctx.Done():
		return endClient
	case <-*draining:
		s.drain(draining)
	default:
	}
	if !time.Now().Before(s.deadline) {
		return s.deadlineReason
	}
	return ""
}

// drain lets the stream live for a random part of the drain jitter.
func (s *stream) drain(draining *chan struct{}) {
	*draining, s.drains = nil, true
	if end := time.Now().Add(retry.Jitter(s.host.options.Streams.DrainJitter)); end.Before(s.deadline) {
		s.deadline, s.deadlineReason = end, endShutdown
	}
}

// idle waits for the next event, and writes a comment line when it is late.
func (s *stream) idle(ctx context.Context, wake, deleted <-chan struct{}, draining *chan struct{}) endReason {
	if s.timer == nil {
		s.timer = time.NewTimer(time.Until(s.due()))
	} else {
		s.timer.Reset(time.Until(s.due()))
	}
	select {
	case <-wake:
	case <-deleted:
	case <-ctx.Done():
		return endClient
	case <-*draining:
		s.drain(draining)
	case <-s.timer.C:
		if !time.Now().Before(s.silentUntil()) {
			return s.writeAll(commentLine)
		}
	}
	return ""
}

// silentUntil returns when a stream that has nothing to send gets a comment line.
func (s *stream) silentUntil() time.Time { return s.lastWrite.Add(s.host.options.Streams.Comment) }

// due returns when the stream needs attention although no event comes.
func (s *stream) due() time.Time {
	if silent := s.silentUntil(); silent.Before(s.deadline) {
		return silent
	}
	return s.deadline
}

// send writes the events that the caller may see, all under one deadline and
// with one flush.
func (s *stream) send(events []*world.Event) endReason {
	// The array must not keep sent events alive.
	defer clear(events)
	wrote := false
	for _, e := range events {
		s.cursor = e.Seq
		if !e.VisibleTo(s.caller) {
			continue
		}
		if !wrote {
			wrote = true
			s.setDeadline()
		}
		for _, part := range e.FrameFor(s.caller, s.inline, s.saw(e)) {
			if end := s.write(part); end != "" {
				return end
			}
		}
		if e.Ends {
			if end := s.flush(); end != "" {
				return end
			}
			return endReset
		}
	}
	if !wrote {
		return ""
	}
	return s.flush()
}

// saw reports whether the stream was open when an event happened.
func (s *stream) saw(e *world.Event) bool { return e.Seq > s.opened && e.At >= s.openedAt }

// nodeExists reports whether the caller's node still exists as it was when the
// stream opened.
func (s *stream) nodeExists() bool {
	if s.node == nil {
		return true
	}
	now := s.host.world.Registry().Node(s.node.ID)
	return now != nil && now.CreatedAt == s.node.CreatedAt
}

func (s *stream) tokenLives(ctx context.Context) bool {
	return s.pass == nil || s.pass.free || s.host.tokenLives(ctx, s.pass)
}

// commentLine keeps proxies and clients from treating a silent stream as dead.
var commentLine = []byte(":\n\n")

// writeAll writes and flushes bytes, under a deadline.
func (s *stream) writeAll(b []byte) endReason {
	s.setDeadline()
	if end := s.write(b); end != "" {
		return end
	}
	return s.flush()
}

func (s *stream) setDeadline() {
	s.lastWrite = time.Now()
	// A writer without deadlines is one that never blocks for long, as in tests.
	_ = s.out.SetWriteDeadline(s.lastWrite.Add(s.host.options.Streams.WriteTimeout))
}

func (s *stream) write(b []byte) endReason {
	if len(b) == 0 {
		return ""
	}
	n, err := s.out.Write(b)
	s.written += n
	return whyFailed(err)
}

func (s *stream) flush() endReason { return whyFailed(s.out.Flush()) }

// whyFailed tells a subscriber that is too slow from one that went away.
func whyFailed(err error) endReason {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, os.ErrDeadlineExceeded):
		return endSlow
	}
	return endClient
}

// sendPreamble sends the beginning of every stream at once: the time to wait before a
// reconnect, a comment, and the cursor that its events come after. Where the requested
// cursor is not honored, a resync follows it.
func (s *stream) sendPreamble(reason string) bool {
	b := append(make([]byte, 0, 256), "retry: 2000\n:\n\nid: "...)
	b = strconv.AppendUint(b, s.cursor, 10)
	b = append(b, "\n\n"...)
	if reason != "" {
		b = s.appendResync(b, reason)
	}
	return s.writeAll(b) == ""
}

// replay sends some of the events that the ring no longer has, from the journal.
func (s *stream) replay(ctx context.Context) endReason {
	events, err := s.older(ctx)
	switch {
	case ctx.Err() != nil:
		return endClient
	case errors.Is(err, store.ErrTrimmed):
		return s.resync(world.ResyncTooOld)
	case store.IsDamaged(err):
		return s.resync(world.ResyncDamaged)
	case err != nil:
		s.host.log.Warn("a stream ends because the journal cannot be read", "after", s.cursor, "error", err)
		return endStore
	case len(events) == 0:
		// The journal has nothing after the cursor and the ring is past it.
		return s.resync(world.ResyncGap)
	}
	return s.send(events)
}

// older reads some events from the journal in the caller's turn.
func (s *stream) older(ctx context.Context) ([]*world.Event, error) {
	if err := s.host.reading.acquire(ctx, keyOf(s.caller)); err != nil {
		return nil, err
	}
	defer s.host.reading.release()
	return s.host.world.JournalEvents(ctx, s.cursor, s.host.world.Events().Head(), s.events[:0])
}

// resync tells the client to read the whole snapshot again, and continues live.
func (s *stream) resync(reason string) endReason {
	s.cursor = s.host.world.Events().Head()
	return s.writeAll(s.appendResync(nil, reason))
}

// appendResync appends the frame of a resync at the cursor. The view is read after
// the cursor, so that a snapshot read now has everything up to it.
func (s *stream) appendResync(b []byte, reason string) []byte {
	v := s.host.world.View()
	data, err := protocol.EncodeEventData(&protocol.SessionResyncData{Reason: reason}, &protocol.EventHead{
		Rev: &v.Rev, MerkleRootHex: v.Tree.Root().String(), MerkleLeafCount: v.Tree.Len(),
	})
	if err != nil {
		// Plain values always marshal.
		panic(err)
	}
	b = append(b, "id: "...)
	b = strconv.AppendUint(b, s.cursor, 10)
	b = append(b, "\nevent: "...)
	b = append(b, protocol.EventSessionResync...)
	b = append(b, "\ndata: "...)
	b = append(b, data...)
	return append(b, "\n\n"...)
}
