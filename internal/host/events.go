package host

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// maxDispatch is how many events are taken from the log at once. It bounds how much
// a stream writes under one deadline.
const maxDispatch = 64

// sendEvents answers with the event stream.
func sendEvents(c *call) error {
	h := c.host
	leave, err := c.enterStream()
	if err != nil {
		return err
	}
	c.leaves = append(c.leaves, leave)
	s := newStream(c)
	asked, given := c.cursor()
	reason, err := s.begin(c, asked, given)
	if err != nil {
		return err
	}
	// A reset between the check of the sid and this point would go unnoticed: its
	// event is before the cursor. A view is published before its events, so this check
	// is late enough.
	if err := checkSession(c); err != nil {
		return err
	}
	if c.pass == nil && !c.caller.Admin && c.r.Method != http.MethodHead {
		c.leaves = append(c.leaves, h.world.AddListener(c.caller.NodeID, c.answers()))
	}
	conn, raw := canHijack(c.r)
	// The server would wait for a body before it replies, unless the connection ends
	// with the reply.
	hasBody := c.r.ContentLength != 0 && c.r.ProtoMajor == 1
	if (conn != nil || hasBody) && c.r.Method != http.MethodHead {
		c.w.Header()["Connection"] = closes
	}
	c.sendStreamHeader()
	if c.r.Method == http.MethodHead {
		return nil
	}
	h.metrics.streamOpened()
	if conn != nil && s.hijack(c, conn, raw, reason) {
		return nil
	}
	s.answer(c, reason)
	return nil
}

// newStream returns the stream of a call, before its cursor is known.
func newStream(c *call) *stream {
	s := &stream{host: c.host, caller: c.caller, node: c.node, inline: c.query().Get(protocol.QueryInline) == "1"}
	if c.pass != nil {
		s.pass, s.node, s.ends = c.pass, c.passOwner, time.Now().Add(c.pass.expires.Sub(c.host.world.Now()))
	}
	return s
}

// answer sends the stream as the handler's reply.
func (s *stream) answer(c *call, reason string) {
	control := c.control()
	s.out, s.events = &replyOutput{ResponseController: control, w: c.w, timed: c.r.ProtoMajor > 1}, make([]*world.Event, 0, maxDispatch)
	// The server's own deadlines are for requests that end.
	_ = control.SetReadDeadline(time.Time{})
	if c.r.ContentLength != 0 {
		// At the end the server reads what the request announced.
		defer func() { _ = control.SetReadDeadline(time.Now().Add(shortWait)) }()
	}
	end := endClient
	if s.sendPreamble(reason) {
		s.start()
		end = s.run(c.r.Context())
	}
	if end != endClient && end != endSlow {
		// The last write's deadline has passed, and the end of the reply is one more write.
		s.setDeadline()
	}
	c.written = s.written
	s.host.metrics.streamEnded(end)
}

// answers returns the agents for which the reader of the stream answers.
func (c *call) answers() protocol.Answers {
	if !c.query().Has(protocol.QueryAnswers) {
		return protocol.Answers{}
	}
	return protocol.ParseAnswers(c.query().Get(protocol.QueryAnswers))
}

// cursor returns the id of the last event that the caller saw. given is false if
// it names none, and asked is nil if the value is not an id.
func (c *call) cursor() (asked *uint64, given bool) {
	text := c.r.Header.Get(protocol.HeaderLastEventID)
	if text == "" {
		text = c.query().Get(protocol.QueryLastEventID)
	}
	if text == "" {
		return nil, false
	}
	seq, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return nil, true
	}
	return &seq, true
}

// reasonNotANumber is the reason of a resync for a cursor that is not a number;
// the engine defines the other reasons.
const reasonNotANumber = "not_a_number"

// begin decides where the stream starts. It returns the reason of a resync, empty
// where the cursor is honored or none was given.
func (s *stream) begin(c *call, asked *uint64, given bool) (reason string, err error) {
	s.opened = s.host.world.Events().Head()
	if !s.host.world.SoleHost() {
		s.openedAt = s.host.world.Now().UnixMilli()
	}
	switch {
	case !given:
		s.cursor = s.opened
		return "", nil
	case asked == nil:
		reason = reasonNotANumber
	default:
		if reason, err = s.host.world.ResumeCheck(c.r.Context(), *asked); err != nil {
			return "", err
		}
		if reason == "" {
			s.cursor = *asked
			return "", nil
		}
	}
	s.cursor = s.host.world.Events().Head()
	return reason, nil
}

// closes is the Connection header of a reply after which the connection is closed.
var closes = []string{"close"}

func (c *call) sendStreamHeader() {
	setStreamHeader(c.w.Header())
	c.w.Header()["X-Play-Rev"] = []string{strconv.FormatUint(c.rev, 10)}
	c.begin(http.StatusOK)
}

func setStreamHeader(header http.Header) {
	header.Set("Content-Type", protocol.MediaTypeSSE)
	header["Cache-Control"] = noStore
	// Tells nginx, and proxies that follow its convention, not to buffer frames.
	header.Set("X-Accel-Buffering", "no")
}

// A client requests a stream that cannot be served now again after a random time
// between these.
const (
	soonest = time.Second
	latest  = 5 * time.Second
)

// sendLater answers a request for a stream that cannot be served now with a stream
// that ends at once and states when to reconnect. An EventSource never reconnects
// after a status other than 200. It returns the length of the body.
func sendLater(w http.ResponseWriter, least time.Duration) int {
	setStreamHeader(w.Header())
	w.WriteHeader(http.StatusOK)
	wait := max(least, soonest) + retry.Jitter(latest-soonest)
	// A client that went away needs no answer.
	n, _ := fmt.Fprintf(w, "retry: %d\n\n", wait.Milliseconds())
	return n
}

// lifetime returns a random lifetime for a stream, so that streams that opened
// together do not reconnect together.
func (o *StreamOptions) lifetime() time.Duration {
	return o.MinLife + retry.Jitter(o.MaxLife-o.MinLife)
}

// streams are the open event streams, which can be ended and waited for.
type streams struct {
	// draining is closed when the host shuts down.
	draining chan struct{}
	open     sync.WaitGroup

	// replaying counts the streams that are behind the log's end.
	replaying atomic.Int64

	mu    sync.Mutex
	ended bool
	n     int

	ofAddress tally[netip.Addr]
	ofCaller  tally[string]
}

func newStreams() *streams {
	return &streams{draining: make(chan struct{})}
}

// enterStream counts a new stream, unless the host shuts down or the limit is
// reached.
func (c *call) enterStream() (leave func(), err error) {
	s, limits := c.host.streams, &c.host.options.Connections
	addr, caller := c.limitedAddress(), c.callerKey()
	if !s.ofCaller.enter(caller, limits.StreamsPerCaller) {
		return nil, c.host.overloaded("streams_per_caller", "you have reached your stream limit")
	}
	if !s.ofAddress.enter(addr, limits.StreamsPerAddress) {
		s.ofCaller.leave(caller)
		return nil, c.host.overloaded("streams_per_address", "this address has reached its stream limit")
	}
	release := func() {
		s.ofCaller.leave(caller)
		s.ofAddress.leave(addr)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended:
		release()
		return nil, protocol.Errorf(protocol.CodeShuttingDown, "the host is shutting down: open the stream again in a moment")
	case s.n >= limits.Streams:
		release()
		return nil, c.host.overloaded("streams", "the host has reached its stream limit")
	}
	s.n++
	s.open.Add(1)
	return func() {
		release()
		s.leave()
	}, nil
}

func (s *streams) leave() {
	s.mu.Lock()
	s.n--
	s.mu.Unlock()
	s.open.Done()
}

func (s *streams) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

// drain refuses new streams and ends the open ones.
func (s *streams) drain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.ended = true
		close(s.draining)
	}
}

// wait returns when every stream has ended, or with an error when the context ends
// first.
func (s *streams) wait(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		s.open.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for %d event streams to end: %w", s.count(), context.Cause(ctx))
	}
}
