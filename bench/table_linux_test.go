package bench

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/playctl/playctl/test/hostprocess"
)

// BenchmarkTable measures a host beside the limit (limit), each a process of its own,
// in turns: the rate and the processor time for each request or frame, and the share
// of the processors that the load itself took. A request begins when the one before it
// on its connection is answered, but for those at a given pace: they begin when they are
// due, and what they wait for their turn counts.
//
//	go test ./bench -run '^$' -bench Table -benchtime 1x -timeout 30m
//
// The seconds of a round, the rounds, and the rows are in PLAYCTL_BENCH_SECONDS (3),
// PLAYCTL_BENCH_ROUNDS (3) and PLAYCTL_BENCH_ROWS (a regular expression).
func BenchmarkTable(b *testing.B) {
	t := newTable(b)
	t.row("chain node, 16 connections", t.requests(16, func(p *peer, _ int) []byte { return p.node }))
	t.row("snapshot of 100 agents, 16 connections", t.requests(16, func(p *peer, _ int) []byte { return p.snapshot }))
	for _, n := range []int{1, 16, 64, 256} {
		t.row(fmt.Sprintf("durable chat line, %d connections", n), t.requests(n, func(p *peer, i int) []byte { return p.lines[i%len(p.lines)] }))
	}
	for _, n := range []int{100, 1000} {
		t.row(fmt.Sprintf("chat line to %d subscribers, 16 writers", n), t.fanOut(n, 16, 0))
	}
	t.row("chat line to 1000 subscribers, 200 lines a second", t.fanOut(1000, 16, 200))
	t.row("chat line to 1000 subscribers, quiet: until the last has it", t.quiet(1000))
	t.row("memory of an idle subscriber, 5000 of them", t.idle(5000))
}

type table struct {
	b       *testing.B
	ours    *peer
	limit   *peer
	seconds time.Duration
	rounds  int
	rows    *regexp.Regexp
}

// result is one round of one program. What is zero was not measured.
type result struct {
	// rate is in a second, cpu for each of what the rate counts, share what of all
	// processors the load took.
	rate     float64
	cpu      time.Duration
	share    float64
	p50, p99 time.Duration
	// writes are the lines in a second where the rate counts frames.
	writes float64
	// bytes are the memory of each subscriber.
	bytes float64
}

func setting(name string, other int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return other
}

// row measures both programs in turns and writes a line for each.
func (t *table) row(name string, measure func(*peer) result) {
	if !t.rows.MatchString(name) {
		return
	}
	var ours, limit []result
	for range t.rounds {
		ours = append(ours, measure(t.ours))
		limit = append(limit, measure(t.limit))
	}
	ratio := func(of func(result) float64) float64 { return median(ours, of) / median(limit, of) }
	var ratios []string
	for _, f := range figures {
		if median(ours, f.of) > 0 {
			ratios = append(ratios, fmt.Sprintf("%s %.2f", f.name, ratio(f.of)))
		}
	}
	// What a benchmark logs is cut off after ten lines.
	fmt.Printf("%s\n  ours   %s\n  limit  %s\n  ratio  %s\n", name, describe(ours), describe(limit), strings.Join(ratios, ", "))
}

// figures are what a result has.
var figures = []struct {
	name string
	of   func(result) float64
	show func(float64) string
}{
	{"rate", func(r result) float64 { return r.rate }, func(v float64) string { return fmt.Sprintf("%.0f/s", v) }},
	{"lines", func(r result) float64 { return r.writes }, func(v float64) string { return fmt.Sprintf("%.0f/s", v) }},
	{"cpu", func(r result) float64 { return r.cpu.Seconds() }, func(v float64) string { return fmt.Sprintf("%.2f µs", v*1e6) }},
	{"p50", func(r result) float64 { return r.p50.Seconds() }, func(v float64) string { return fmt.Sprintf("%.2f ms", v*1e3) }},
	{"p99", func(r result) float64 { return r.p99.Seconds() }, func(v float64) string { return fmt.Sprintf("%.2f ms", v*1e3) }},
	{"memory", func(r result) float64 { return r.bytes }, func(v float64) string { return fmt.Sprintf("%.1f kB", v/1e3) }},
	{"load", func(r result) float64 { return r.share }, func(v float64) string { return fmt.Sprintf("%.0f%%", v*100) }},
}

func median(all []result, of func(result) float64) float64 {
	var values []float64
	for _, r := range all {
		values = append(values, of(r))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// describe is the median of each figure with its spread.
func describe(all []result) string {
	var text []string
	for _, f := range figures {
		if median(all, f.of) == 0 {
			continue
		}
		least, most := f.of(all[0]), f.of(all[0])
		for _, r := range all {
			least, most = min(least, f.of(r)), max(most, f.of(r))
		}
		text = append(text, fmt.Sprintf("%s %s (%s to %s)", f.name, f.show(median(all, f.of)), f.show(least), f.show(most)))
	}
	return strings.Join(text, ", ")
}

// meter measures what a program and the load use meanwhile.
type meter struct {
	t         *table
	peer      *peer
	began     time.Time
	used, own time.Duration
}

func (t *table) meter(p *peer) *meter {
	m := &meter{t: t, peer: p, began: time.Now()}
	m.used, m.own = t.cpu(p.pid), t.cpu(os.Getpid())
	return m
}

func (t *table) cpu(pid int) time.Duration {
	used, err := hostprocess.CPU(pid)
	must(t.b, err)
	return used
}

// result is that of n things since the meter began.
func (m *meter) result(n int64) result {
	took := time.Since(m.began)
	return result{
		rate: float64(n) / took.Seconds(), cpu: (m.t.cpu(m.peer.pid) - m.used) / time.Duration(max(n, 1)),
		share: (m.t.cpu(os.Getpid()) - m.own).Seconds() / took.Seconds() / 2,
	}
}

// load sends requests on n connections for the seconds of a round, every
// connection's next when the one before was answered, or as they are due at a
// pace in a second. It returns how long each took.
func (t *table) load(p *peer, n, pace int, text func(*peer, int) []byte) []time.Duration {
	var mu sync.Mutex
	var all []time.Duration
	var clients sync.WaitGroup
	began := time.Now()
	for i := range n {
		clients.Go(func() {
			c := dial(t.b, p.addr)
			defer c.close()
			var took []time.Duration
			ask := text(p, i)
			for k := 0; ; k++ {
				from := time.Now()
				if pace > 0 {
					from = began.Add(time.Duration(k*n+i) * time.Second / time.Duration(pace))
					<-time.After(time.Until(from))
				}
				if from.Sub(began) > t.seconds {
					break
				}
				if status, body, err := c.do(ask); err != nil || status != http.StatusOK {
					t.b.Errorf("status %d, %v: %s", status, err, body)
					break
				}
				took = append(took, time.Since(from))
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took...)
		})
	}
	clients.Wait()
	slices.Sort(all)
	return all
}

func (r result) with(took []time.Duration) result {
	if len(took) > 0 {
		r.p50, r.p99 = took[len(took)/2], took[len(took)*99/100]
	}
	return r
}

func (t *table) requests(n int, text func(*peer, int) []byte) func(*peer) result {
	return func(p *peer) result {
		m := t.meter(p)
		took := t.load(p, n, 0, text)
		return m.result(int64(len(took))).with(took)
	}
}

// fanOut lets writers write while many subscribe, and counts frames until the last
// subscriber has the last one.
func (t *table) fanOut(subscribers, writers, pace int) func(*peer) result {
	return func(p *peer) result {
		a := subscribe(t.b, p.addr, p.events, subscribers)
		defer a.leave()
		m := t.meter(p)
		took := t.load(p, writers, pace, func(p *peer, i int) []byte { return p.lines[i%len(p.lines)] })
		writes := float64(len(took)) / time.Since(m.began).Seconds()
		a.expectAll(int64(len(took)))
		a.wait()
		r := m.result(int64(len(took) * subscribers)).with(took)
		r.writes = writes
		return r
	}
}

// quiet is how long it takes from one line until the last subscriber has it.
func (t *table) quiet(subscribers int) func(*peer) result {
	return func(p *peer) result {
		a := subscribe(t.b, p.addr, p.events, subscribers)
		defer a.leave()
		c := dial(t.b, p.addr)
		defer c.close()
		m := t.meter(p)
		var took []time.Duration
		for range 20 * int(t.seconds.Seconds()) {
			<-time.After(20 * time.Millisecond)
			a.expect(1)
			from := time.Now()
			_, _, err := c.do(p.lines[0])
			must(t.b, err)
			a.wait()
			took = append(took, time.Since(from))
		}
		slices.Sort(took)
		r := m.result(int64(len(took) * subscribers)).with(took)
		r.rate = 0
		return r
	}
}

// idle is what a subscriber adds to the memory that a program has for itself.
func (t *table) idle(subscribers int) func(*peer) result {
	return func(p *peer) result {
		p.restart()
		<-time.After(time.Second)
		before := t.private(p.pid)
		a := subscribe(t.b, p.addr, p.events, subscribers)
		defer a.leave()
		<-time.After(t.seconds)
		return result{bytes: float64(t.private(p.pid)-before) / float64(subscribers)}
	}
}

// private is the memory of a process that is no file's.
func (t *table) private(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(t.b, err)
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); f[0] == "RssAnon:" {
			kib, err := strconv.ParseInt(f[1], 10, 64)
			must(t.b, err)
			return kib << 10
		}
	}
	t.b.Fatal("no RssAnon")
	return 0
}
