package host

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// send answers 200 with a value as JSON.
func (c *call) send(value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode a reply %T: %w", value, err)
	}
	c.write(http.StatusOK, b)
	return nil
}

// sendReply answers with the outcome of a command.
func (c *call) sendReply(reply *world.Reply) error {
	c.setRev(reply.Rev)
	if c.rules.withdraws {
		c.awaitHosts()
	}
	b, err := reply.JSON()
	if err != nil {
		return fmt.Errorf("encode the reply of a command: %w", err)
	}
	if reply.Sealed {
		if b, err = c.idempotency.open(b); err != nil {
			return err
		}
	}
	c.write(http.StatusOK, b)
	return nil
}

// awaitHosts waits until the other hosts have applied the entries that this one
// has. Withdrawn credentials stay withdrawn, even if the wait fails.
func (c *call) awaitHosts() {
	late, err := c.host.world.AwaitHosts(c.r.Context())
	if err == nil && len(late) == 0 || c.r.Context().Err() != nil {
		return
	}
	c.host.metrics.unconfirmed.Inc()
	c.host.log.Warn("hosts that did not confirm in time may still accept deleted or replaced credentials: check that they are running and can reach the store",
		"requestId", c.id, "route", c.route.path, "op", c.op, "hosts", late, "error", err)
	c.w.Header().Set(protocol.HeaderUnconfirmed, strconv.Itoa(max(len(late), 1)))
}

// write sends a whole JSON reply. A failure to write means that the client is gone
// and needs no reply.
func (c *call) write(status int, body []byte) {
	c.beginJSON(status, len(body))
	_, _ = c.Write(body)
}

// writeSnapshot sends a snapshot while it is encoded.
func (c *call) writeSnapshot(s world.SnapshotJSON) {
	c.beginJSON(http.StatusOK, s.Len())
	c.gather(s.Len())
	s.Hold = c.holdReply
	if _, err := s.WriteTo(c); errors.Is(err, world.ErrDropped) {
		panic(http.ErrAbortHandler) // Only a broken connection tells the client that the reply is incomplete.
	}
	c.endGather()
}

// replyBuffers are for replies of many parts: net/http would send a packet for
// every few of them.
var replyBuffers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, 32<<10) }}

// writeParts sends a JSON reply of 200 in parts, which are not copied together: a
// client that does not read costs a buffer and parts that others share.
func (c *call) writeParts(parts [][]byte) {
	length := lengthOf(parts)
	c.beginJSON(http.StatusOK, length)
	c.gather(length)
	w := replyBuffers.Get().(*bufio.Writer)
	w.Reset(c)
	for _, part := range parts {
		_, _ = w.Write(part) // Flush has the error
	}
	_ = w.Flush()
	w.Reset(nil)
	replyBuffers.Put(w)
	c.endGather()
}

// appendItems appends the items of an array to parts.
func appendItems(parts [][]byte, items [][]byte) [][]byte {
	for i, item := range items {
		if i > 0 {
			parts = append(parts, comma)
		}
		parts = append(parts, item)
	}
	return parts
}

var comma = []byte(",")

// Write implements io.Writer: it continues the reply, at the pace of a long one.
func (c *call) Write(b []byte) (n int, err error) {
	for more := 1; len(b) > 0 && more > 0 && err == nil; n += more {
		if c.long {
			more, err = c.writePart(b[:min(len(b), replyPace)])
		} else {
			more, err = c.w.Write(b)
		}
		b = b[more:]
		c.written += more
	}
	return n, err //nolint:wrapcheck // the caller's own writer
}

// unknownLength is the length of a reply that is longer than a buffer and encoded
// while it is sent.
const unknownLength = -1

// beginJSON sends the headers of a JSON reply.
func (c *call) beginJSON(status, length int) {
	header := c.w.Header()
	header["Content-Type"] = jsonType
	header["Cache-Control"] = noStore
	if c.long = length == unknownLength || length > replyPace; c.long {
		c.replyBegan = time.Now()
	}
	if length != unknownLength {
		header["Content-Length"] = []string{strconv.Itoa(length)}
	}
	if c.hasRev {
		header["X-Play-Rev"] = []string{strconv.FormatUint(c.rev, 10)}
	}
	c.begin(status)
}

// setRev sets the rev of the reply.
func (c *call) setRev(rev uint64) { c.rev, c.hasRev = rev, true }

// begin sends the headers.
func (c *call) begin(status int) {
	c.status = status
	c.w.WriteHeader(status)
}

// Header values that every reply shares. They must not be modified.
var (
	jsonType = []string{protocol.MediaTypeJSON}
	noStore  = []string{"no-store"}
)

// statusGone is logged for a client that left before its reply. It is never sent;
// servers commonly log this number.
const statusGone = 499

// refuse answers with an error, unless the reply has started.
func (c *call) refuse(err error) {
	if c.status != 0 {
		c.host.log.Error("a request failed after its reply had started", "requestId", c.id, "error", err)
		panic(http.ErrAbortHandler)
	}
	if c.r.Context().Err() != nil && errors.Is(err, context.Canceled) {
		c.status = statusGone
		return
	}
	if c.hasRev {
		// The request may be refused because of a newer view than it began with.
		c.setRev(c.host.world.View().Rev)
	}
	e := c.host.refusal(err)
	status := protocol.Status(e.Code)
	// The log has a line about each damaged record already.
	if isFailure(e.Code) && !store.IsDamaged(err) {
		c.logFailure(e.Code, err)
	}
	if c.rules.stream && (status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable) {
		c.host.metrics.streamDeferred(e.Code)
		c.status = http.StatusOK
		least := e.RetryAfter
		if e.Code == protocol.CodeOverloaded {
			least = 0 // the delay is random already
		}
		c.written = sendLater(c.w, least)
		return
	}
	if e.RetryAfter > 0 {
		seconds := int(math.Ceil(e.RetryAfter.Seconds()))
		c.w.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
	body := encode(e.Body(c.id))
	mayStillSend := c.mayStillSend()
	c.write(status, body)
	if mayStillSend {
		c.dropBody()
	}
}

// logFailure logs a failed request for the operator, unless a line about the same code
// was just written.
func (c *call) logFailure(code protocol.Code, err error) {
	more, line := c.host.failures.next(code, time.Now())
	if !line {
		return
	}
	attrs := []slog.Attr{
		slog.String("requestId", c.id), slog.String("route", c.route.path), slog.String("op", c.op),
		slog.String("code", string(code)), slog.Any("error", underlying(err)),
	}
	if more > 0 {
		attrs = append(attrs, slog.Int("more", more))
	}
	c.host.log.LogAttrs(c.r.Context(), slog.LevelError, "a request failed", attrs...)
}

// encode returns plain values as JSON, which cannot fail.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// overloaded refuses and counts a request that exceeds a limit of the host's capacity.
// Its time to retry is random, so that clients do not return all at the same time.
func (h *Host) overloaded(limit, message string, args ...any) error {
	h.metrics.refusedFor(limit)
	e := protocol.Errorf(protocol.CodeOverloaded, message+": retry after the time in Retry-After", args...)
	e.RetryAfter = time.Second + retry.Jitter(4*time.Second)
	return e
}

// isFailure reports whether the operator must learn of an error. The other errors of
// 500 and above follow from the host's configuration or from a client, which could
// fill the log with them.
func isFailure(code protocol.Code) bool {
	return code == protocol.CodeInternal || code == protocol.CodeStoreUnavailable || code == protocol.CodeRecordDamaged
}

// isPassing reports whether the same request may succeed shortly afterwards.
func isPassing(code protocol.Code) bool {
	return protocol.Status(code) == http.StatusServiceUnavailable && code != protocol.CodeRepositoryOff
}

// underlying returns the error for the log: the cause of an error where it has one.
func underlying(err error) error {
	if e, ok := errors.AsType[*protocol.Error](err); ok && e.Cause != nil {
		return e.Cause
	}
	return err
}

// refusal turns any error into one that the contract knows. Any other error is a
// defect, of which a client learns only the request's id.
func (h *Host) refusal(err error) *protocol.Error {
	if e, ok := errors.AsType[*protocol.Error](err); ok {
		if e.RetryAfter == 0 && isPassing(e.Code) {
			later := *e
			later.RetryAfter = time.Second
			return &later
		}
		return e
	}
	switch {
	case errors.Is(err, creds.ErrBusy):
		e := protocol.WrapError(protocol.CodeRateLimited, err, "too many nodes are being created at once: try again in a few seconds")
		e.RetryAfter = 2 * time.Second
		return e
	case h.draining() && errors.Is(err, context.Canceled):
		return protocol.WrapError(protocol.CodeShuttingDown, err, "the host is shutting down")
	}
	return protocol.WrapError(protocol.CodeInternal, err, "internal error: the host's log has the details under this request id")
}

// finish ends a request when its handler returns, unless the call was detached: it
// turns a panic into an error reply.
func (h *Host) finish(c *call, panicked any) {
	if c.detached {
		return
	}
	defer h.conclude(c)
	if panicked != nil {
		h.recovered(c, panicked)
	}
}

// conclude counts a request that was answered, and logs it.
func (h *Host) conclude(c *call) {
	for _, leave := range slices.Backward(c.leaves) {
		leave()
	}
	c.host.calls.leave(c.entered)
	h.bodies.held.Add(-c.bodyHeld)
	took := time.Since(c.began)
	h.metrics.request(c.route.path, c.op, c.status, took)
	if h.options.AccessLog && h.log.Enabled(context.Background(), slog.LevelInfo) {
		h.logAccess(c, took)
	}
}

// recovered answers a request whose handler panicked. Where the reply had started,
// only breaking the connection tells the client that it is incomplete.
func (h *Host) recovered(c *call, p any) {
	if p == http.ErrAbortHandler { //nolint:errorlint // net/http compares this panic value by identity as well.
		panic(p)
	}
	h.log.Error("a request made the host panic",
		slog.String("requestId", c.id), slog.String("route", c.route.path), slog.String("op", c.op),
		slog.String("panic", fmt.Sprint(p)), slog.String("stack", string(debug.Stack())))
	if c.status != 0 {
		panic(http.ErrAbortHandler)
	}
	c.refuse(&protocol.Error{Code: protocol.CodeInternal, Message: "internal error: the host's log has the details under this request id"})
}

// logAccess writes the request's line. It has no query, which may hold a sid, and
// no headers, which may hold secrets.
func (h *Host) logAccess(c *call, took time.Duration) {
	attrs := []slog.Attr{
		slog.String("requestId", c.id),
		slog.String("method", c.r.Method),
		slog.String("path", c.r.URL.Path),
		slog.Int("status", c.status),
		slog.Int("bytes", c.written),
		slog.Duration("took", took),
		slog.String("peer", c.peer.String()),
	}
	if c.op != "" {
		attrs = append(attrs, slog.String("op", c.op))
	}
	switch {
	case c.caller.Admin:
		attrs = append(attrs, slog.String("caller", "administrator"))
	case c.caller.Viewer != "":
		attrs = append(attrs, slog.String("caller", c.caller.Viewer))
	case c.caller.NodeID != "":
		attrs = append(attrs, slog.String("caller", c.caller.NodeID))
	}
	h.log.LogAttrs(c.r.Context(), slog.LevelInfo, "request", attrs...)
}
