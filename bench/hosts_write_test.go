package bench

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkHostsWrite is a chat line from a client's request to its reply, with
// real processes on one machine: it measures their total cost, not the speed of
// many machines. Clients send to all hosts in turn. The store that syncs every
// write corresponds to the embedded one.
func BenchmarkHostsWrite(b *testing.B) {
	for _, fsync := range []string{"always", "everysec"} {
		for _, k := range stores() {
			if k.hosts == 0 && fsync != "always" {
				continue
			}
			for _, clients := range []int{1, 16} {
				b.Run(fmt.Sprintf("fsync=%s/%s/clients=%d", fsync, k.name, clients), func(b *testing.B) {
					benchHostsWrite(b, deploy(b, k, fsync), clients)
				})
			}
		}
	}
}

func benchHostsWrite(b *testing.B, d *deployment, clients int) {
	lines := make([][]byte, len(d.people.agents))
	for i, a := range d.people.agents {
		lines[i] = d.people.interaction(a)
	}
	var left atomic.Int64
	run := func(n int) {
		left.Store(int64(n))
		var writing sync.WaitGroup
		for i := range clients {
			writing.Go(func() {
				drive(b, d.hosts[i%len(d.hosts)].addr(), lines[i%len(lines)], func() bool { return left.Add(-1) >= 0 })
			})
		}
		writing.Wait()
	}
	// During the first requests, caches and buffers still grow.
	run(200)
	before := d.cost()
	b.ResetTimer()
	run(b.N)
	b.StopTimer()
	after := d.cost()
	each := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(b.N) }
	b.ReportMetric(each(after.hosts-before.hosts), "hosts-CPU-µs/op")
	if d.redis != nil {
		b.ReportMetric(each(after.redis-before.redis), "redis-CPU-µs/op")
		b.ReportMetric(float64(after.trips-before.trips)/float64(b.N), "trips/op")
	}
}
