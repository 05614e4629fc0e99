package bench

import (
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// BenchmarkFanOut is one chat line from the request that records it until every
// subscriber has read it, over loopback. Its subscribers allocate nothing, so that
// the rest is the host's: allocs/event and B/event are for the command and all
// subscribers together.
func BenchmarkFanOut(b *testing.B) {
	for _, n := range []int{0, 1, 100, 1000} {
		b.Run(fmt.Sprintf("subscribers=%d", n), func(b *testing.B) { benchFanOut(b, n) })
	}
}

func benchFanOut(b *testing.B, n int) {
	s := serve(b, 4)
	c := dial(b, s.addr)
	defer c.close()
	line := s.interaction(s.agents[0])
	streams := s.streamGroup(n)
	defer streams.closeAll()
	once := func() {
		streams.expect()
		status, body, err := c.do(line)
		if err != nil || status != http.StatusOK {
			b.Fatalf("status %d, %v: %s", status, err, body)
		}
		streams.wait()
	}
	// During the first events, buffers still grow.
	for range 10 {
		once()
	}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	events := 0
	for b.Loop() {
		once()
		events++
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(events), "allocs/event")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(events), "B/event")
}

// streamGroup is many open streams, each read by a goroutine as fast as it can.
type streamGroup struct {
	conns   []*rawClient
	readers sync.WaitGroup
	// missing is the number of subscribers that do not have the current event yet;
	// got is signaled by the last one.
	missing atomic.Int64
	got     chan struct{}
}

// streamGroup opens n streams, each of which has sent its cursor.
func (s *served) streamGroup(n int) *streamGroup {
	s.tb.Helper()
	c := &streamGroup{got: make(chan struct{}, 1)}
	ask := request(s.main, http.MethodGet, "/api/play/events?sid="+s.sid, nil)
	var opened sync.WaitGroup
	for range n {
		conn := dial(s.tb, s.addr)
		_, err := conn.conn.Write(ask)
		must(s.tb, err)
		c.conns = append(c.conns, conn)
		opened.Add(1)
		c.readers.Go(func() {
			if !c.read(conn, &opened) {
				s.tb.Error("a stream ended before its start")
				opened.Done()
			}
		})
	}
	opened.Wait()
	return c
}

// read counts the events of a stream until it ends, and keeps none of its bytes.
// The first block of a stream is not an event but its cursor; began reports whether
// it arrived.
func (c *streamGroup) read(conn *rawClient, opened *sync.WaitGroup) (began bool) {
	const cursor, event = "\nid: ", "\nevent: "
	buf := make([]byte, 4<<10)
	want, matched := cursor, 0
	for {
		n, err := conn.conn.Read(buf)
		if err != nil {
			return want == event
		}
		for _, x := range buf[:n] {
			switch {
			case x == want[matched]:
				matched++
			case x == '\n':
				matched = 1
			default:
				matched = 0
			}
			if matched < len(want) {
				continue
			}
			if matched = 0; want == cursor {
				want = event
				opened.Done()
			} else if c.missing.Add(-1) == 0 {
				c.got <- struct{}{}
			}
		}
	}
}

// expect announces the next event, and wait waits until all have it.
func (c *streamGroup) expect() { c.missing.Store(int64(len(c.conns))) }

func (c *streamGroup) wait() {
	if len(c.conns) > 0 {
		<-c.got
	}
}

// closeAll closes the streams and waits for their readers.
func (c *streamGroup) closeAll() {
	for _, conn := range c.conns {
		conn.close()
	}
	c.readers.Wait()
}
