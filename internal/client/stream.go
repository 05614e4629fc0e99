package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/protocol"
)

// Times of a stream.
const (
	// stallAfter is how long a stream may be silent: the time of three comments of a
	// host.
	stallAfter = 3 * protocol.MaxStreamSilenceSeconds * time.Second
	// defaultReconnect is the first wait if the host sets none.
	defaultReconnect = 2 * time.Second
	// leastReconnect keeps a host from making its clients reconnect in a busy loop.
	leastReconnect = 100 * time.Millisecond
	// longestReconnect bounds the waits between failing attempts.
	longestReconnect = 30 * time.Second
)

// errStalled ends a connection on which nothing arrives.
var errStalled = fmt.Errorf("nothing arrived for %v, not even a heartbeat", stallAfter)

// errLater ends a connection on which the host sent only the time to wait: it
// drains, waits for its store, or is full.
var errLater = errors.New("the host cannot serve a stream for now")

// BackwardsError is the error of a connection on which the id of an event, Seq, was not
// above the position before it, After. It matches ErrFrame.
type BackwardsError struct{ Seq, After uint64 }

// Error implements error.
func (e *BackwardsError) Error() string {
	return fmt.Sprintf("%v: an id goes backwards: %d came after %d", ErrFrame, e.Seq, e.After)
}

// Unwrap returns ErrFrame.
func (*BackwardsError) Unwrap() error { return ErrFrame }

// StreamOptions are the options of a stream.
type StreamOptions struct {
	// After is the position to resume after, if HasAfter is set; else the
	// stream begins at the present end.
	After    uint64
	HasAfter bool
	// Inline requests the changed nodes within the events.
	Inline bool
	// Answers are the agents for which the program that reads the stream answers.
	Answers protocol.Answers
}

// Stream reads the host's events until it is closed: it reconnects after every end,
// even a clean one, and continues after the last event.
//
// Its goroutine reads no further than one signal ahead of its reader: the
// rest stays in the network, and the host cuts a reader that is too slow. One
// goroutine at a time calls Next; Close may be called from any.
type Stream struct {
	client  *Client
	ctx     context.Context //nolint:containedctx // a stream lives as long as it, like a request
	cancel  context.CancelCauseFunc
	started sync.Once
	running sync.WaitGroup
	signals chan Signal

	// The rest belongs to the goroutine.
	inline    bool
	answers   protocol.Answers
	cursor    uint64
	hasCursor bool
	// floor is the lower bound (exclusive) of the next id. It differs from cursor only
	// from the moment that the host stated another position than the requested one
	// until the first event: a connection that breaks in between resumes from cursor,
	// so that nothing is skipped.
	floor    uint64
	hasFloor bool
	conn     *connection
	opened   bool // a connection was open before
	failures int
	// reconnect is the first wait after a connection, which the host may set.
	reconnect time.Duration
}

// errStreamClosed is the error of Next after Close.
var errStreamClosed = errors.New("the event stream was closed")

// Events returns a stream that ends with ctx or Close. Nothing is sent before the
// first Next.
func (c *Client) Events(ctx context.Context, opts StreamOptions) *Stream {
	s := &Stream{
		client: c, signals: make(chan Signal),
		inline: opts.Inline, answers: opts.Answers, cursor: opts.After, hasCursor: opts.HasAfter, reconnect: defaultReconnect,
	}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	return s
}

// Close ends the stream and waits until its goroutine has ended; a waiting Next
// returns. It may be called again.
func (s *Stream) Close() {
	s.cancel(errStreamClosed)
	s.started.Do(func() {})
	s.running.Wait()
}

// Next waits for the next signal. Its errors are the cause of the end of ctx,
// after which Next may be called again and misses nothing, and of the end of the
// stream.
func (s *Stream) Next(ctx context.Context) (Signal, error) {
	s.started.Do(func() { s.running.Go(s.run) })
	select {
	case signal := <-s.signals:
		return signal, context.Cause(s.ctx)
	case <-s.ctx.Done():
		return Signal{}, context.Cause(s.ctx)
	case <-ctx.Done():
		return Signal{}, context.Cause(ctx)
	}
}

// All yields the signals until the stream ends, and closes it.
func (s *Stream) All() iter.Seq[Signal] {
	return func(yield func(Signal) bool) {
		defer s.Close()
		for {
			signal, err := s.Next(s.ctx)
			if err != nil || !yield(signal) {
				return
			}
		}
	}
}

// run opens one connection after the other.
func (s *Stream) run() {
	for {
		s.emit(Signal{Type: SignalConnecting, Resumes: s.hasCursor, Cursor: s.cursor})
		err := s.connect()
		for err == nil {
			err = s.read()
		}
		wait := s.lost(err)
		if !pause.For(s.ctx, wait) {
			return
		}
	}
}

// emit passes a signal to the reader.
func (s *Stream) emit(signal Signal) {
	select {
	case s.signals <- signal:
	case <-s.ctx.Done():
	}
}

// connect opens a connection.
func (s *Stream) connect() error {
	conn, err := s.open()
	if err != nil {
		return err
	}
	s.conn = conn
	if err := conn.frames.begin(); err != nil {
		if errors.Is(err, io.EOF) {
			err = errLater
		}
		return conn.reason(err)
	}
	s.floor, s.hasFloor = s.cursor, s.hasCursor
	signal := Signal{Type: SignalOpen, Resumes: s.hasCursor, SID: conn.sid, Cursor: s.cursor}
	if s.opened && !s.hasCursor {
		signal.Err = fmt.Errorf("%w: the host does not number its events, so events between two connections may be missing", ErrGap)
	}
	s.opened = true
	s.emit(signal)
	return nil
}

// read reads the next frame of the connection.
func (s *Stream) read() error {
	f, err := s.conn.frames.next()
	if err != nil {
		return s.conn.reason(err)
	}
	s.failures = 0
	seq, numbered := parseSeq(f.id)
	numbered = numbered && f.hasID
	if !f.hasData {
		s.positioned(seq, numbered)
		return nil
	}
	signal := Signal{Type: SignalEvent, Event: Event{Seq: seq, HasSeq: numbered, Kind: protocol.EventKind(f.kind), Data: f.data}}
	switch {
	case signal.Event.Kind == protocol.EventSessionReset:
		s.client.session.forget(s.conn.sid)
		s.cursor, s.hasCursor = seq, numbered
	case signal.Event.Kind == protocol.EventSessionResync:
		// A lost log may begin again: here any position is valid.
		s.cursor, s.hasCursor = seq, numbered
		signal.Err = fmt.Errorf("%w: the host continues at %d", ErrGap, seq)
	case numbered:
		if s.hasFloor && seq <= s.floor {
			s.hasCursor = false
			return &BackwardsError{Seq: seq, After: s.floor}
		}
		s.cursor, s.hasCursor = seq, true
	}
	s.floor, s.hasFloor = s.cursor, s.hasCursor
	s.emit(signal)
	return nil
}

// positioned handles the position after which the host continues.
func (s *Stream) positioned(seq uint64, numbered bool) {
	if !numbered {
		return
	}
	s.floor, s.hasFloor = seq, true
	if !s.hasCursor {
		s.cursor, s.hasCursor = seq, true
	}
	s.emit(Signal{Type: SignalCursor, Cursor: seq})
}

// lost ends the connection and returns the wait before the next attempt.
func (s *Stream) lost(err error) time.Duration {
	if s.conn != nil {
		if asked := s.conn.frames.retry; asked > 0 {
			s.reconnect = min(max(asked, leastReconnect), longestReconnect)
		}
		s.conn.close()
		s.conn = nil
	}
	s.failures++
	wait := retry.Backoff{First: s.reconnect, Max: longestReconnect}.After(s.failures)
	if errors.Is(err, errLater) {
		wait = max(wait, s.reconnect+retry.Jitter(s.reconnect/2))
	}
	if refused, ok := errors.AsType[*protocol.Error](err); ok {
		wait = max(wait, min(refused.RetryAfter, longestReconnect))
	}
	signal := Signal{Type: SignalLost, Wait: wait}
	if !errors.Is(err, io.EOF) && !errors.Is(err, errLater) {
		signal.Err = fmt.Errorf("%w: %w", ErrLost, err)
	}
	s.emit(signal)
	return wait
}

// connection is one request whose answer is a stream.
type connection struct {
	sid    string
	body   io.ReadCloser
	frames *frameReader
	ctx    context.Context //nolint:containedctx // its cause is why the request ended
	cancel context.CancelCauseFunc
	stall  *time.Timer
}

// open sends the request for the stream, for the current session.
func (s *Stream) open() (*connection, error) {
	for range maxSessions {
		sid, err := s.client.SID(s.ctx)
		if err != nil {
			return nil, err
		}
		conn, err := s.openFor(sid)
		if !s.client.isOver(err) {
			return conn, err
		}
		s.client.session.forget(sid)
	}
	return nil, errors.New("the host returned a session and then refused it")
}

func (s *Stream) openFor(sid string) (*connection, error) {
	ctx, cancel := context.WithCancelCause(s.ctx)
	conn := &connection{sid: sid, ctx: ctx, cancel: cancel}
	conn.stall = time.AfterFunc(stallAfter, func() { cancel(errStalled) })
	resp, err := s.client.openEvents(ctx, sid, s) //nolint:bodyclose // the connection closes it
	if err != nil {
		err = conn.reason(err)
		conn.close()
		return nil, err
	}
	conn.body = resp.Body
	conn.frames = newFrameReader(&timedReader{conn.body, conn.stall, stallAfter})
	return conn, nil
}

// openEvents requests the stream and returns the answer if its headers are those of
// a stream.
func (c *Client) openEvents(ctx context.Context, sid string, s *Stream) (*http.Response, error) {
	query := url.Values{}
	if s.inline {
		query.Set(protocol.QueryInline, "1")
	}
	if s.answers.Declared && c.service == protocol.ServicePlay {
		query.Set(protocol.QueryAnswers, s.answers.Query())
	}
	p := &prepared{call: &call{method: http.MethodGet, path: c.service.Events(), query: query}}
	req, err := c.request(ctx, p, sid)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", protocol.MediaTypeSSE)
	req.Header.Set("Cache-Control", "no-store")
	// Compression would delay events.
	req.Header.Set("Accept-Encoding", "identity")
	if s.hasCursor {
		req.Header.Set(protocol.HeaderLastEventID, strconv.FormatUint(s.cursor, 10))
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.unreachable(err, true)
	}
	if err := c.checkStream(resp, p); err != nil {
		_ = resp.Body.Close()
		return nil, err
	}
	return resp, nil
}

// checkStream returns an error for an answer that is not a stream.
func (c *Client) checkStream(resp *http.Response, p *prepared) error {
	if resp.StatusCode != http.StatusOK {
		_, err := c.read(resp, p)
		if err == nil {
			err = &ReplyError{Route: p.route(), Err: fmt.Errorf("its status is %d, not 200", resp.StatusCode)}
		}
		return err
	}
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil || kind != protocol.MediaTypeSSE {
		return &ReplyError{Route: p.route(), Err: errors.New("it is not an event stream: is this the address of a playctl host?")}
	}
	return nil
}

func (c *connection) close() {
	c.stall.Stop()
	c.cancel(errStreamClosed)
	if c.body != nil {
		_ = c.body.Close()
	}
}

// reason returns why a request ended: errStalled if the connection stalled, else
// err.
func (c *connection) reason(err error) error { return causeOr(c.ctx, errStalled, err) }

// causeOr returns a cause if a context was canceled for it, else the error.
func causeOr(ctx context.Context, cause, err error) error {
	if errors.Is(context.Cause(ctx), cause) {
		return cause
	}
	return err
}

// timedReader bounds how long a read waits. The time between reads does not count:
// while a program is busy with an event, further ones wait in the network's
// buffers.
type timedReader struct {
	io.Reader

	timer *time.Timer // ends what is read from
	limit time.Duration
}

func (r *timedReader) Read(p []byte) (int, error) {
	r.timer.Reset(r.limit)
	n, err := r.Reader.Read(p)
	r.timer.Stop()
	return n, err //nolint:wrapcheck // io.EOF must stay what it is
}
