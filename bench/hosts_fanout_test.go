package bench

import (
	"bytes"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// BenchmarkHostsFanOut is the time from the reply to a chat line, at one host,
// until a subscriber of another has read it, and the time from its request; for
// comparison, those of a subscriber of the same host on the embedded store. The
// time after the reply can be negative: the sender and the subscribers receive it
// at the same time.
func BenchmarkHostsFanOut(b *testing.B) {
	for _, k := range []storeSetup{{"store=embedded", 0}, {"store=redis/hosts=3", 3}} {
		b.Run(k.name, func(b *testing.B) {
			d := deploy(b, k, "everysec")
			first, last := d.hosts[0], d.hosts[len(d.hosts)-1]
			f := d.people.listen(last.addr())
			c := dial(b, first.addr())
			defer func() {
				c.close()
				f.conn.close()
				f.reading.Wait()
			}()
			line := d.people.interaction(d.people.agents[0])
			var sinceAsked, sinceReplied []time.Duration
			for b.Loop() {
				asked := time.Now()
				status, body, err := c.do(line)
				replied := time.Now()
				if err != nil || status != http.StatusOK {
					b.Fatalf("status %d, %v: %s", status, err, body)
				}
				read := <-f.read
				sinceAsked, sinceReplied = append(sinceAsked, read.Sub(asked)), append(sinceReplied, read.Sub(replied))
				<-time.After(2 * time.Millisecond)
			}
			percentiles(b, "request", sinceAsked)
			percentiles(b, "reply", sinceReplied)
			b.ReportMetric(0, "ns/op")
		})
	}
}

func percentiles(b *testing.B, since string, delays []time.Duration) {
	b.Helper()
	slices.Sort(delays)
	for name, part := range map[string]float64{"p50": 0.5, "p99": 0.99} {
		b.ReportMetric(float64(delays[int(part*float64(len(delays)-1))].Microseconds()), name+"-since-"+since+"-µs")
	}
}

// follower is an open stream, with the times at which its events were read.
type follower struct {
	conn    *rawClient
	read    chan time.Time
	reading sync.WaitGroup
}

// listen opens a stream at a host and waits until it has sent its cursor.
func (s *served) listen(addr string) *follower {
	s.tb.Helper()
	f := &follower{conn: dial(s.tb, addr), read: make(chan time.Time, 1)}
	_, err := f.conn.conn.Write(request(s.main, http.MethodGet, "/api/play/events?sid="+s.sid, nil))
	must(s.tb, err)
	for {
		line, err := f.conn.in.ReadSlice('\n')
		must(s.tb, err)
		if bytes.HasPrefix(line, []byte("id: ")) {
			break
		}
	}
	f.reading.Go(func() {
		for {
			line, err := f.conn.in.ReadSlice('\n')
			if err != nil {
				return
			}
			if bytes.HasPrefix(line, []byte("event: ")) {
				f.read <- time.Now()
			}
		}
	})
	return f
}
