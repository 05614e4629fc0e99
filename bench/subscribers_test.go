package bench

import (
	"bytes"
	"fmt"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

// counter parses a stream of chunks and counts complete events. A missing,
// incomplete or misordered event is an error.
type counter struct {
	// left is the rest of the current chunk, including its line break; size is the
	// part of its length line read so far.
	left int
	size []byte
	head bool

	// line is the beginning of the current line.
	line         [24]byte
	n            int
	seq          int64
	named, event bool
	// at is the last event, first the cursor at the start of the stream.
	at     int64
	opened bool
}

// parse parses more of the stream.
func (c *counter) parse(b []byte) error {
	for len(b) > 0 {
		if !c.head {
			end := bytes.Index(b, []byte("\r\n\r\n"))
			if end < 0 {
				return fmt.Errorf("the headers came in parts: %q", b)
			}
			c.head, b = true, b[end+4:]
			continue
		}
		if c.left == 0 {
			i := bytes.IndexByte(b, '\n')
			if i < 0 {
				c.size, b = append(c.size, b...), nil
				continue
			}
			c.size = append(c.size, b[:i]...)
			b = b[i+1:]
			n, err := strconv.ParseUint(string(bytes.TrimSpace(c.size)), 16, 31)
			if err != nil || n == 0 {
				return fmt.Errorf("the chunk of length %q", c.size)
			}
			c.left, c.size = int(n)+2, c.size[:0]
			continue
		}
		part := b[:min(len(b), c.left)]
		b, c.left = b[len(part):], c.left-len(part)
		// The line break after a chunk is not part of the stream.
		text := part
		if c.left < 2 {
			text = part[:max(0, len(part)-(2-c.left))]
		}
		if err := c.lines(text); err != nil {
			return err
		}
	}
	return nil
}

func (c *counter) lines(text []byte) error {
	for len(text) > 0 {
		i := bytes.IndexByte(text, '\n')
		end := i
		if i < 0 {
			end = len(text)
		}
		c.n += copy(c.line[c.n:], text[:end])
		if i < 0 {
			return nil
		}
		text = text[i+1:]
		line := c.line[:c.n]
		c.n = 0
		switch {
		case bytes.HasPrefix(line, []byte("id: ")):
			seq, err := strconv.ParseInt(string(line[4:]), 10, 64)
			if err != nil {
				return err
			}
			c.seq, c.named = seq, true
		case bytes.HasPrefix(line, []byte("event: ")):
			c.event = true
		case len(line) == 0 && c.event:
			if c.seq != c.at+1 {
				return fmt.Errorf("event %d came after event %d", c.seq, c.at)
			}
			c.at, c.event = c.seq, false
		case len(line) == 0 && c.named && !c.opened:
			c.at, c.opened = c.seq, true
		}
	}
	return nil
}

// audience is many subscribers of one server, each a connection that is read as
// fast as possible.
type audience struct {
	tb    testing.TB
	conns []net.Conn
	done  sync.WaitGroup
	ended atomic.Bool
	// bytes are what all of them have read.
	bytes atomic.Int64

	mu   sync.Mutex
	more *sync.Cond
	// behind is the number of subscribers that do not have the event goal yet.
	goal   int64
	behind int
	at     []int64
	// after is the cursor at which all began.
	after int64
}

// subscribe opens n streams and waits until each has opened.
func subscribe(tb testing.TB, addr string, ask []byte, n int) *audience {
	tb.Helper()
	return subscribeOver(tb, http11, addr, ask, n)
}

// subscribeOver is like subscribe, over a version of HTTP.
func subscribeOver(tb testing.TB, v version, addr string, ask []byte, n int) *audience {
	tb.Helper()
	a := &audience{tb: tb, at: make([]int64, n), behind: n}
	a.more = sync.NewCond(&a.mu)
	var opened sync.WaitGroup
	for i := range n {
		conn, in, err := v.connect(addr, ask)
		must(tb, err)
		a.conns = append(a.conns, conn)
		opened.Add(1)
		a.done.Go(func() { a.read(i, conn, in, opened.Done) })
	}
	opened.Wait()
	if n > 0 {
		a.after = a.at[0]
	}
	return a
}

func (a *audience) read(i int, conn net.Conn, in eventCounter, opened func()) {
	c := in.counted()
	buf := make([]byte, min(32<<10, 64<<20/len(a.at)))
	for {
		n, err := conn.Read(buf)
		a.bytes.Add(int64(n))
		if err == nil {
			err = in.parse(buf[:n])
		}
		if err != nil {
			if !a.ended.Load() {
				a.tb.Errorf("subscriber %d after event %d: %v", i, c.at, err)
			}
			if opened != nil {
				opened()
			}
			return
		}
		a.mu.Lock()
		if a.at[i] < a.goal && c.at >= a.goal {
			if a.behind--; a.behind == 0 {
				a.more.Broadcast()
			}
		}
		a.at[i] = c.at
		a.mu.Unlock()
		if opened != nil && c.opened {
			opened()
			opened = nil
		}
	}
}

// expect sets the event that wait waits for: more events than the first subscriber
// has, by a number.
func (a *audience) expect(more int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.goal, a.behind = a.at[0]+more, 0
	for _, at := range a.at {
		if at < a.goal {
			a.behind++
		}
	}
}

// expectAll is like expect, for a number of events since the streams began.
func (a *audience) expectAll(events int64) {
	a.mu.Lock()
	a.goal = a.after + events
	a.behind = 0
	for _, at := range a.at {
		if at < a.goal {
			a.behind++
		}
	}
	a.mu.Unlock()
}

// wait returns when every subscriber has the expected event.
func (a *audience) wait() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.behind > 0 && !a.tb.Failed() {
		a.more.Wait()
	}
}

func (a *audience) closeAll() {
	a.ended.Store(true)
	for _, conn := range a.conns {
		_ = conn.Close()
	}
	a.done.Wait()
}
