package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdkmcp "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

const (
	// longestLine is the greatest length of a line of a client, in bytes.
	longestLine = sdkmcp.DefaultMaxLineLength
	// readBuffer is how many bytes are read at a time.
	readBuffer = 64 << 10
	// afterEnd is how long requests may be answered after the client has sent its last.
	afterEnd = 5 * time.Second
	// withoutBatches is the first version of the protocol without batches.
	withoutBatches = "2025-06-18"
)

// These are methods that are special here.
const (
	methodInitialize = "initialize"
	methodListen     = "subscriptions/listen"
	methodCancelled  = "notifications/cancelled"
	notifications    = "notifications/"
)

// stdio is the transport to a client that sends a message on each line. It stands between
// the client and the SDK, which ends the session at a message that it cannot read, changes
// some ids, does not answer a repeated one, and answers canceled requests. Here such ids
// have others for the SDK, and what is no message is answered by itself.
type stdio struct {
	in  io.Reader
	out io.Writer
}

// Connect implements the SDK's Transport.
func (s *stdio) Connect(context.Context) (sdkmcp.Connection, error) {
	// Windows writes byte order marks, and UTF-16 after some.
	in := transform.NewReader(s.in, unicode.BOMOverride(encoding.Nop.NewDecoder()))
	c := &session{out: s.out, lines: make(chan line), closed: make(chan struct{}), open: map[jsonrpc.ID]*request{}}
	// No system can end a read of every kind of input: if the session is closed before the
	// input ends, the goroutine is left to the end of the process.
	go c.readLines(bufio.NewReaderSize(in, readBuffer))
	return c, nil
}

// session is the connection to a client.
type session struct {
	lines     chan line
	closed    chan struct{}
	closeOnce sync.Once
	// queue has messages for the SDK, and end is the error at the end of the input. Only Read
	// uses them.
	queue []jsonrpc.Message
	end   error

	writing sync.Mutex // makes lines whole
	out     io.Writer

	mu      sync.Mutex // guards the fields below
	last    int        // counts the ids that stand for others
	open    map[jsonrpc.ID]*request
	version string        // of the protocol, after the client and the server agreed
	drained chan struct{} // non-nil after the input ended; closed when no request is open
}

// line is a line of a client, or the end of its input.
type line struct {
	text []byte
	long bool // only its beginning is in text
	err  error
}

// request is a request that the SDK has not answered yet.
type request struct {
	id      json.RawMessage // as the client wrote it
	method  string
	batch   *batch // nil for a request of its own
	settled bool   // answered or canceled
}

// batch collects the answers to the messages of a list.
type batch struct {
	left    int // messages without an answer
	answers [][]byte
}

// reply is an answer.
type reply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *jsonrpc.Error  `json:"error,omitempty"`
}

// SessionID implements the SDK's Connection: there is one session.
func (c *session) SessionID() string { return "" }

// Close implements the SDK's Connection.
func (c *session) Close() error {
	c.closeOnce.Do(func() { close(c.closed) })
	return nil
}

func (c *session) readLines(in *bufio.Reader) {
	for {
		next := nextLine(in)
		select {
		case c.lines <- next:
		case <-c.closed:
			return
		}
		if next.err != nil {
			return
		}
	}
}

// nextLine reads a line. It keeps only the beginning of one that is too long.
func nextLine(in *bufio.Reader) line {
	var l line
	for {
		part, err := in.ReadSlice('\n')
		room := longestLine - len(l.text)
		l.long = l.long || len(part) > room
		l.text = append(l.text, part[:min(len(part), room)]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			l.err = err
			return l
		}
	}
}

// Read implements the SDK's Connection. It ends with io.EOF after the last message.
func (c *session) Read(ctx context.Context) (jsonrpc.Message, error) {
	for len(c.queue) == 0 {
		if c.end != nil {
			c.drain(ctx)
			return nil, c.end
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-c.closed:
			return nil, io.EOF
		case l := <-c.lines:
			c.end = l.err
			if err := c.receive(l); err != nil {
				return nil, err
			}
		}
	}
	next := c.queue[0]
	c.queue = c.queue[1:]
	return next, nil
}

// drain waits until the open requests are answered: the SDK cancels them at the end of
// the input.
func (c *session) drain(ctx context.Context) {
	drained := make(chan struct{})
	c.mu.Lock()
	c.drained = drained
	c.closeIfDrained()
	c.mu.Unlock()
	patience := time.NewTimer(afterEnd)
	defer patience.Stop()
	select {
	case <-drained:
	case <-patience.C:
	case <-c.closed:
	case <-ctx.Done():
	}
}

// closeIfDrained ends drain if no request waits for an answer. Subscriptions end with the
// session.
func (c *session) closeIfDrained() {
	for _, r := range c.open {
		if r.method != methodListen {
			return
		}
	}
	if c.drained != nil {
		close(c.drained)
		c.drained = nil
	}
}

// Write implements the SDK's Connection.
func (c *session) Write(_ context.Context, m jsonrpc.Message) error {
	response, ok := m.(*jsonrpc.Response)
	if !ok {
		text, err := jsonrpc.EncodeMessage(m)
		if err != nil {
			return fmt.Errorf("write a message: %w", err)
		}
		return c.writeLine(text)
	}
	var err error
	c.mu.Lock()
	if r := c.open[response.ID]; r != nil && !r.settled {
		r.settled = true
		c.mu.Unlock()
		err = c.respond(r, response)
		c.mu.Lock()
	}
	defer c.mu.Unlock()
	delete(c.open, response.ID)
	c.closeIfDrained()
	return err
}

// respond answers a request.
func (c *session) respond(r *request, response *jsonrpc.Response) error {
	answer := &reply{Version: "2.0", ID: r.id, Result: response.Result}
	if response.Error != nil {
		// The SDK has errors without a code for requests that it refuses.
		answer = failure(r.id, jsonrpc.CodeInvalidRequest, "%v", response.Error)
		if known, ok := errors.AsType[*jsonrpc.Error](response.Error); ok {
			answer.Error.Code, answer.Error.Data = known.Code, known.Data
		}
	}
	var agreed struct {
		Version string `json:"protocolVersion"`
	}
	if r.method == methodInitialize && json.Unmarshal(response.Result, &agreed) == nil {
		c.mu.Lock()
		c.version = agreed.Version
		c.mu.Unlock()
	}
	return c.answer(r.batch, answer)
}

// failure returns an answer to a message that is refused.
func failure(id json.RawMessage, code int64, format string, args ...any) *reply {
	return &reply{Version: "2.0", ID: id, Error: &jsonrpc.Error{Code: code, Message: fmt.Sprintf(format, args...)}}
}

// answer writes an answer, or in a batch all of them after the last. It is nil for a
// message that has none.
func (c *session) answer(b *batch, answer *reply) error {
	if answer == nil && b == nil {
		return nil
	}
	var text bytes.Buffer
	if answer != nil {
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false) // ids stay as they are
		if err := encoder.Encode(answer); err != nil {
			return fmt.Errorf("write an answer: %w", err)
		}
	}
	if b == nil {
		return c.writeLine(text.Bytes())
	}
	c.mu.Lock()
	b.left--
	if answer != nil {
		b.answers = append(b.answers, bytes.TrimSpace(text.Bytes()))
	}
	last := b.left == 0 && len(b.answers) > 0
	c.mu.Unlock()
	if !last {
		return nil
	}
	return c.writeLine(append(append([]byte{'['}, bytes.Join(b.answers, []byte{','})...), ']'))
}

// writeLine writes a whole line.
func (c *session) writeLine(text []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if _, err := c.out.Write(append(bytes.TrimSpace(text), '\n')); err != nil {
		return fmt.Errorf("write to the client: %w", err)
	}
	return nil
}
