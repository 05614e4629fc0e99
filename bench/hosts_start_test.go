package bench

import (
	"fmt"
	"sync"
	"testing"
)

// BenchmarkHostsStart is the time from starting another host until it is ready: in
// a new world on Redis, and in one with a history.
func BenchmarkHostsStart(b *testing.B) {
	for _, lines := range []int{0, 100_000} {
		b.Run(fmt.Sprintf("store=redis/events=%d", lines), func(b *testing.B) {
			d := deploy(b, storeSetup{"store=redis", 1}, "everysec")
			d.sendLines(b, lines)
			for b.Loop() {
				p := d.join()
				p.get(b, "/readyz")
				b.StopTimer()
				p.Stop()
				b.StartTimer()
			}
		})
	}
}

// sendLines makes the agents send many lines at the first host.
func (d *deployment) sendLines(b *testing.B, lines int) {
	b.Helper()
	var writers sync.WaitGroup
	for i := range 64 {
		writers.Go(func() {
			left := (lines + i) / 64
			line := d.people.interaction(d.people.agents[i%4])
			drive(b, d.hosts[0].addr(), line, func() bool { left--; return left >= 0 })
		})
	}
	writers.Wait()
}

// BenchmarkHostsMemory is the memory of Redis for 1,000 events: chat lines of 200
// characters, of which none is trimmed yet, with their records beside the journal.
// The history of an agent is 1,000 lines; further lines replace older ones.
func BenchmarkHostsMemory(b *testing.B) {
	d := deploy(b, storeSetup{"store=redis", 1}, "everysec")
	const lines = 4_000
	before, said := d.info("used_memory_dataset"), 0.0
	for b.Loop() {
		d.sendLines(b, lines)
		said += lines
		b.ReportMetric(float64(d.info("used_memory_dataset")-before)/said*1000/1024, "KiB/1000-events")
		b.ReportMetric(0, "ns/op")
	}
}
