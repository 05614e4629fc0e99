package host

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/openapitest"
)

// pipeListener is a network of net.Pipes: it blocks as soon as its reader stops,
// and it works within a bubble of testing/synctest.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return pipeAddr{} }

func (l *pipeListener) dial() (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.done:
		return nil, errors.Join(net.ErrClosed, client.Close(), server.Close())
	}
}

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }

// network is a host that serves on pipes, and the client of it.
type network struct {
	*fixture
	ln     *pipeListener
	client *http.Client
	base   string
	end    context.CancelFunc
	served chan error
}

func (f *fixture) serve() *network {
	f.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	n := &network{fixture: f, ln: newPipeListener(), base: "http://host", end: cancel, served: make(chan error, 1)}
	f.host.mu.Lock()
	f.host.useListener(n.ln)
	f.host.mu.Unlock()
	transport := &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) { return n.ln.dial() },
	}
	n.client = &http.Client{Transport: transport}
	go func() { n.served <- f.host.Serve(ctx) }()
	f.t.Cleanup(func() {
		transport.CloseIdleConnections()
		cancel()
		if err := <-n.served; err != nil {
			f.t.Errorf("Serve: %v", err)
		}
	})
	return n
}

// frame is one block of a stream.
type frame struct {
	id, event, data string
	// comment is true for a block that is only a comment.
	comment bool
	retry   string
}

func (fr frame) seq(t testing.TB) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(fr.id, 10, 64)
	if err != nil {
		t.Fatalf("the frame %+v has no id: %v", fr, err)
	}
	return n
}

// field reads a field of the frame's data.
func (fr frame) field(t testing.TB, name string) any {
	t.Helper()
	var data map[string]any
	if err := json.Unmarshal([]byte(fr.data), &data); err != nil {
		t.Fatalf("the data of %+v: %v", fr, err)
	}
	return data[name]
}

// subscription is an open stream.
type subscription struct {
	t     testing.TB
	reply *http.Response
	lines *bufio.Reader
	// cursor is the id of the first frame, which has only an id.
	cursor uint64
}

// subscribe opens a stream and reads its preamble.
func (n *network) subscribe(who func(*http.Request), query string, options ...func(*http.Request)) *subscription {
	n.t.Helper()
	s := n.open(who, query, options...)
	if first := s.next(); first.retry != "2000" {
		n.t.Fatalf("a stream starts with %+v, want retry: 2000", first)
	}
	if c := s.next(); !c.comment {
		n.t.Fatalf("the next frame is %+v, want a comment", c)
	}
	cursor := s.next()
	if cursor.event != "" || cursor.data != "" {
		n.t.Fatalf("the next frame is %+v, want a frame that is only an id", cursor)
	}
	s.cursor = cursor.seq(n.t)
	return s
}

func (n *network) open(who func(*http.Request), query string, options ...func(*http.Request)) *subscription {
	n.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, n.base+n.play("/events")+query, http.NoBody)
	if err != nil {
		n.t.Fatal(err)
	}
	for _, o := range append(options, who) {
		o(r)
	}
	reply, err := n.client.Do(r)
	if err != nil {
		n.t.Fatalf("open a stream: %v", err)
	}
	if reply.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(reply.Body)
		n.t.Fatalf("open a stream: %d %s", reply.StatusCode, text)
	}
	return &subscription{t: n.t, reply: reply, lines: bufio.NewReader(reply.Body)}
}

// next reads the next block.
func (s *subscription) next() frame {
	s.t.Helper()
	fr, err := readFrame(s.lines)
	if err != nil {
		s.t.Fatalf("read the stream: %v", err)
	}
	if fr.event != "" {
		openapitest.CheckEvent(s.t, fr.event, []byte(fr.data))
	}
	return fr
}

// event reads the next block that is not a comment.
func (s *subscription) event() frame {
	s.t.Helper()
	for {
		if fr := s.next(); !fr.comment {
			return fr
		}
	}
}

// resync reads a resync and returns its reason.
func (s *subscription) resync() (reason string, at uint64) {
	s.t.Helper()
	fr := s.event()
	if fr.event != string(protocol.EventSessionResync) {
		s.t.Fatalf("the stream continues with %+v, want a resync", fr)
	}
	for _, name := range []string{"rev", "merkleRootHex", "merkleLeafCount"} {
		if fr.field(s.t, name) == nil {
			s.t.Errorf("the resync %s lacks %s", fr.data, name)
		}
	}
	reason, _ = fr.field(s.t, "reason").(string)
	return reason, fr.seq(s.t)
}

// ended fails the test unless the stream ends here, cleanly.
func (s *subscription) ended() {
	s.t.Helper()
	s.endedAfter("")
}

// endedAfter is ended where events of a kind may come before the end: the stream of a
// deleted node may or may not get the signal of the deletion.
func (s *subscription) endedAfter(kind protocol.EventKind) {
	s.t.Helper()
	for {
		fr, err := readFrame(s.lines)
		if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return
		}
		if err != nil {
			s.t.Fatalf("the stream was cut: %v", err)
		}
		if !fr.comment && (kind == "" || fr.event != string(kind)) {
			s.t.Fatalf("the stream continues with %+v, want its end", fr)
		}
	}
}

func (s *subscription) close() {
	s.t.Helper()
	if err := s.reply.Body.Close(); err != nil {
		s.t.Errorf("close the stream: %v", err)
	}
}

func readFrame(lines *bufio.Reader) (frame, error) {
	var fr frame
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return fr, err
		}
		line = strings.TrimSuffix(line, "\n")
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			return fr, nil
		case name == "":
			fr.comment = true
		case name == "retry":
			fr.retry = value
			return fr, nil
		case name == "id":
			fr.id = value
		case name == "event":
			fr.event = value
		case name == "data":
			fr.data = value
		}
	}
}
