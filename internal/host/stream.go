package host

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// stream is one subscriber: a cursor into the log that all of them share. It is
// used by one goroutine, and nothing is queued for it.
type stream struct {
	host    *Host
	w       http.ResponseWriter
	control *http.ResponseController
	caller  world.Caller
	// node is the caller's record, or that of the main node that a viewer's cookie
	// belongs to; nil for callers without one.
	node *world.Node
	// pass is a viewer's cookie that was made from a token, and seen the channel of
	// deletions at which it was looked at last.
	pass *pass
	seen <-chan struct{}
	// ends is when a viewer's cookie does; zero for other callers.
	ends   time.Time
	inline bool

	// cursor is the seq of the last event that was passed.
	cursor uint64
	// opened is the log's end when the stream opened. What is only for those who
	// were there when it happened comes after it.
	opened uint64
	// live is true once the stream has caught up with the log.
	live bool
	// events is what was taken from the log last; its array is used again.
	events []*world.Event

	timer     *time.Timer
	lastWrite time.Time
	dies      time.Time
	// dying is why the stream ends when dies comes.
	dying   endReason
	written int
}

// endReason is why a stream ended, for measurements; empty while it has not.
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
)

// run sends events until something ends the stream. The order within one round
// matters: the channel of deletions is taken before the node is looked at, and
// the log's before it is waited for, so that nothing slips in between.
func (s *stream) run(ctx context.Context) endReason {
	s.dies, s.dying = time.Now().Add(s.host.options.Streams.lifetime()), endLife
	if !s.ends.IsZero() && s.ends.Before(s.dies) {
		s.dies, s.dying = s.ends, endCookie
	}
	s.timer = time.NewTimer(time.Hour)
	defer s.timer.Stop()
	s.host.streams.replaying.Add(1)
	defer s.setLive()
	log, draining := s.host.world.Events(), s.host.streams.draining
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
			// It fell off the ring: cut, it comes back and reads the journal.
			return endSlow
		case err != nil:
			end = s.replay(ctx)
		case len(events) > 0:
			end = s.send(events)
		default:
			s.setLive()
			end = s.idle(ctx, wake, deleted, &draining)
		}
		if end == "" {
			end = s.overdue(ctx, &draining)
		}
		if end != "" {
			return end
		}
	}
}

// setLive counts the stream as one that has caught up.
func (s *stream) setLive() {
	if !s.live {
		s.live = true
		s.host.streams.replaying.Add(-1)
	}
}

// overdue reports whether the stream has to end although it always has something
// to send.
func (s *stream) overdue(ctx context.Context, draining *chan struct{}) endReason {
	select {
	case <-ctx.Done():
		return endClient
	case <-*draining:
		s.drain(draining)
	default:
	}
	if !time.Now().Before(s.dies) {
		return s.dying
	}
	return ""
}

// drain lets the stream live for a random part of the drain jitter.
func (s *stream) drain(draining *chan struct{}) {
	*draining = nil
	if end := time.Now().Add(jitter(s.host.options.Streams.DrainJitter)); end.Before(s.dies) {
		s.dies, s.dying = end, endShutdown
	}
}

// idle waits for the next event, and writes a comment line when it is late.
func (s *stream) idle(ctx context.Context, wake, deleted <-chan struct{}, draining *chan struct{}) endReason {
	comment := s.lastWrite.Add(s.host.options.Streams.Comment)
	next := comment
	if s.dies.Before(next) {
		next = s.dies
	}
	s.timer.Reset(time.Until(next))
	select {
	case <-wake:
	case <-deleted:
	case <-ctx.Done():
		return endClient
	case <-*draining:
		s.drain(draining)
	case <-s.timer.C:
		if !time.Now().Before(comment) {
			return s.writeAll(commentLine)
		}
	}
	return ""
}

// send writes the events that the caller may see, all under one deadline and
// with one flush.
func (s *stream) send(events []*world.Event) endReason {
	// The array keeps no event alive once it is sent.
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
		for _, part := range e.FrameFor(s.caller, s.inline, e.Seq > s.opened) {
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

// nodeExists reports whether the caller is still who it was when the stream
// opened.
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

// commentLine keeps proxies and clients from taking a silent stream for a dead
// one.
var commentLine = []byte(":\n\n")

// writeAll writes something and flushes it, under a deadline.
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
	_ = s.control.SetWriteDeadline(s.lastWrite.Add(s.host.options.Streams.WriteTimeout))
}

func (s *stream) write(b []byte) endReason {
	if len(b) == 0 {
		return ""
	}
	n, err := s.w.Write(b)
	s.written += n
	return whyFailed(err)
}

func (s *stream) flush() endReason { return whyFailed(s.control.Flush()) }

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

// greet sends what every stream starts with, at once: how long to wait before a
// reconnect, a comment, and the cursor that its events come after. Where the
// cursor that was asked for is not honored, a resync follows it.
func (s *stream) greet(reason string) bool {
	// The server's own deadlines are for requests that end.
	_ = s.control.SetReadDeadline(time.Time{})
	b := append(make([]byte, 0, 256), "retry: 2000\n:\n\nid: "...)
	b = strconv.AppendUint(b, s.cursor, 10)
	b = append(b, "\n\n"...)
	if reason != "" {
		b = s.appendResync(b, reason)
	}
	return s.writeAll(b) == ""
}

// replay sends some of what the ring no longer has, from the journal.
func (s *stream) replay(ctx context.Context) endReason {
	events, err := s.host.world.Older(ctx, s.cursor, s.host.world.Events().Head(), s.events[:0])
	switch {
	case ctx.Err() != nil:
		return endClient
	case errors.Is(err, store.ErrTrimmed):
		return s.resync(world.ResyncTooOld)
	case err != nil:
		s.host.log.Warn("a stream ends because the journal cannot be read", "after", s.cursor, "error", err)
		return endStore
	case len(events) == 0:
		// The journal has nothing after the cursor and the ring is past it.
		return s.resync(world.ResyncGap)
	}
	return s.send(events)
}

// resync tells the client to read everything anew, and goes on live.
func (s *stream) resync(reason string) endReason {
	s.cursor = s.host.world.Events().Head()
	return s.writeAll(s.appendResync(nil, reason))
}

// appendResync is the frame of a resync at the cursor. The view is taken after
// the cursor was, so that a snapshot read now has everything up to it.
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
