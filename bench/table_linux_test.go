package bench

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/test/hostprocess"
)

// BenchmarkTable measures a host beside the baseline, each a process of its own,
// in turns: the rate and the processor time for each request or frame, and the share
// of the processors that the load itself took. A request begins when the one before it
// on its connection is answered, but for those at a given pace: they begin when they are
// due, and what they wait for their turn counts.
//
//	go test ./bench -run '^$' -bench Table -benchtime 1x -timeout 30m
//
// The seconds of a round, the rounds, and the rows are in PLAYCTL_BENCH_SECONDS (3),
// PLAYCTL_BENCH_ROUNDS (3) and PLAYCTL_BENCH_ROWS (a regular expression). A program that
// PLAYCTL_BENCH_BESIDE names, such as the playctl before a change, is measured in turns
// with both; beside other work many short rounds (0.3 seconds) tell more than a few.
func BenchmarkTable(b *testing.B) {
	t := newTable(b)
	t.row("chain node, 16 connections", t.requests(16, func(p *peer, _ int) []byte { return p.node }))
	t.row("snapshot of 100 agents, 16 connections", t.requests(16, func(p *peer, _ int) []byte { return p.snapshot }))
	t.row("snapshot of 100 agents in gzip, 16 connections", t.requests(16, func(p *peer, _ int) []byte { return p.gzip }))
	for _, n := range []int{1, 16, 64, 256} {
		t.row(fmt.Sprintf("durable chat line, %d connections", n), t.requests(n, line))
	}
	for _, n := range []int{100, 1000} {
		t.row(fmt.Sprintf("chat line to %d subscribers, 16 writers", n), t.fanOut(http11, n, 0))
	}
	t.row("chat line to 1000 subscribers, 200 lines a second", t.fanOut(http11, 1000, 200))
	t.row("chat line to 1000 subscribers over HTTP/2 without TLS, 16 writers", t.fanOut(http2Cleartext, 1000, 0))
	t.row("chat line to 1000 subscribers, quiet: until the last has it", t.quiet(1000))
	t.row("memory of an idle subscriber, 5000 of them", t.idle(http11, 5000))
	t.row("memory of an idle subscriber over HTTP/2 without TLS, 5000 of them", t.idle(http2Cleartext, 5000))
	t.row("10000 subscribers, 20 lines a second", t.fanOutWithReads(10_000, 20))
	t.row("10000 subscribers, 100 lines a second", t.fanOutWithReads(10_000, 100))
	const fanOut, idle = "chat line to 1000 subscribers over HTTP/2 with TLS, 16 writers", "memory of an idle subscriber over HTTP/2 with TLS, 2000 of them"
	if t.rows.MatchString(fanOut) || t.rows.MatchString(idle) {
		t.useTLS()
		t.row(fanOut, t.fanOut(http2TLS, 1000, 0))
		t.row(idle, t.idle(http2TLS, 2000))
	}
}

// BenchmarkLong lets 64 connections write lines at full speed for 75 seconds, a
// time that includes trims, checkpoints and collections.
func BenchmarkLong(b *testing.B) {
	t := newTable(b)
	t.seconds, t.rounds = 75*time.Second, 1
	t.row("durable chat line for 75 s, 64 connections", t.requests(64, line))
}

type table struct {
	b *testing.B
	pair
	// beside is another playctl, nil for none.
	beside *peer
	// more starts a playctl on a copy of the world.
	more        func(program string, args ...string) *peer
	baselineDir string
	// baselineName is the name of the second program in the rows.
	baselineName string
	seconds      time.Duration
	rounds       int
	rows         *regexp.Regexp
}

// result is one round of one program. Zero values were not measured.
type result struct {
	// rate is per second, cpu for each unit of the rate, share the load's share of
	// all processors.
	rate     float64
	cpu      time.Duration
	share    float64
	p50, p99 time.Duration
	// reads is p99 of the reads in the meantime.
	reads time.Duration
	// writes are the lines per second if the rate counts frames.
	writes float64
	// bytes are the memory of each subscriber.
	bytes float64
}

// line returns the request that records a chat line.
func line(p *peer, i int) []byte { return p.lines[i%len(p.lines)] }

func setting(name string, other float64) float64 {
	if n, err := strconv.ParseFloat(os.Getenv(name), 64); err == nil {
		return n
	}
	return other
}

// row measures both programs in turns and writes a line for each.
func (t *table) row(name string, measure func(*peer) result) {
	if !t.rows.MatchString(name) {
		return
	}
	var ours, baseline, beside []result
	turns := []func(){
		func() { ours = append(ours, measure(t.ours)) },
		func() { baseline = append(baseline, measure(t.baseline)) },
	}
	if t.beside != nil {
		turns = append(turns, func() { beside = append(beside, measure(t.beside)) })
	}
	for range t.rounds {
		for _, turn := range turns {
			turn()
		}
		if t.b.Failed() {
			t.b.FailNow() // who waits for events then stops at once: the figures would be of nothing
		}
		slices.Reverse(turns)
	}
	// A benchmark's log is truncated after ten lines.
	fmt.Printf("%s\n  playctl  %s\n  %-8s %s\n  ratio    %s\n", name, describe(ours), t.baselineName, describe(baseline), ratios(ours, baseline))
	if t.beside != nil {
		fmt.Printf("  beside   %s\n  playctl to beside, round by round: %s\n", describe(beside), pairs(ours, beside))
	}
}

// ratios returns the ratios of the medians of two programs.
func ratios(ours, other []result) string {
	return eachFigure(ours, func(of func(result) float64) float64 { return median(ours, of) / median(other, of) })
}

// pairs returns the medians of the ratios of the rounds, which the other load of
// the machine affects less: both programs of a round have about the same load.
func pairs(ours, other []result) string {
	return eachFigure(ours, func(of func(result) float64) float64 {
		var values []float64
		for i := range ours {
			values = append(values, of(ours[i])/of(other[i]))
		}
		return middle(values)
	})
}

// eachFigure returns a text for each measured figure.
func eachFigure(measured []result, about func(of func(result) float64) float64) string {
	var text []string
	for _, f := range figures {
		if median(measured, f.of) > 0 {
			text = append(text, fmt.Sprintf("%s %.2f", f.name, about(f.of)))
		}
	}
	return strings.Join(text, ", ")
}

// figures are the figures of a result.
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
	{"p99 of reads", func(r result) float64 { return r.reads.Seconds() }, func(v float64) string { return fmt.Sprintf("%.2f ms", v*1e3) }},
	{"memory", func(r result) float64 { return r.bytes }, func(v float64) string { return fmt.Sprintf("%.1f kB", v/1e3) }},
	{"load", func(r result) float64 { return r.share }, func(v float64) string { return fmt.Sprintf("%.0f%%", v*100) }},
}

func median(all []result, of func(result) float64) float64 {
	var values []float64
	for _, r := range all {
		values = append(values, of(r))
	}
	return middle(values)
}

func middle(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// describe returns the median of each figure with its spread.
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

// meter measures the resources used by a program and the load during a time.
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

// result returns the result for n units since the meter began.
func (m *meter) result(n int64) result {
	took := time.Since(m.began)
	return result{
		rate: float64(n) / took.Seconds(), cpu: (m.t.cpu(m.peer.pid) - m.used) / time.Duration(max(n, 1)),
		share: (m.t.cpu(os.Getpid()) - m.own).Seconds() / took.Seconds() / float64(runtime.NumCPU()),
	}
}

// task returns the task of n connections.
func (t *table) task(p *peer, n, pace int, text func(*peer, int) []byte) task {
	k := task{Addr: p.addr, Secure: p.secure, Connections: n, Pace: pace, Length: t.seconds}
	for i := range n {
		k.Requests = append(k.Requests, text(p, i))
	}
	return k
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
		k := t.task(p, n, 0, text)
		s := k.run()
		if s.Failure != "" {
			t.b.Error(s.Failure)
		}
		return m.result(int64(len(s.Took))).with(s.Took)
	}
}

// writers is how many connections write while many subscribe.
const writers = 16

// fanOut runs writers while many subscribe, and counts frames until the last
// subscriber has the last one.
func (t *table) fanOut(v version, subscribers, pace int) func(*peer) result {
	return t.measureFanOut(v, subscribers, pace, 0)
}

// fanOutWithReads is fanOut with reads of others, 50 a second, at a program without streams that
// nobody reads any more: the baseline keeps those until it writes to them.
func (t *table) fanOutWithReads(subscribers, pace int) func(*peer) result {
	return func(p *peer) result {
		p.restart()
		return t.measureFanOut(http11, subscribers, pace, 50)(p)
	}
}

func (t *table) measureFanOut(v version, subscribers, pace, reads int) func(*peer) result {
	return func(p *peer) result {
		a := subscribeOver(t.b, v, p.addr, p.events, subscribers)
		defer a.closeAll()
		m := t.meter(p)
		wait := t.begin(t.task(p, writers, pace, line))
		read := func() sent { return sent{} }
		if reads > 0 {
			read = t.begin(t.task(p, writers, reads, func(p *peer, _ int) []byte { return p.node }))
		}
		s, others := wait(), read()
		writes := float64(len(s.Took)) / t.seconds.Seconds()
		a.expectAll(int64(len(s.Took)))
		a.wait()
		m.own -= s.cpu + others.cpu
		r := m.result(int64(len(s.Took) * subscribers)).with(s.Took)
		r.writes, r.reads = writes, result{}.with(others.Took).p99
		return r
	}
}

// quiet measures the time from one line until the last subscriber has it.
func (t *table) quiet(subscribers int) func(*peer) result {
	return func(p *peer) result {
		a := subscribe(t.b, p.addr, p.events, subscribers)
		defer a.closeAll()
		c := dial(t.b, p.addr)
		defer c.close()
		m := t.meter(p)
		var took []time.Duration
		for range max(1, int(20*t.seconds.Seconds())) {
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

// idle measures the memory that a subscriber adds to that of a program.
func (t *table) idle(v version, subscribers int) func(*peer) result {
	return func(p *peer) result {
		p.restart()
		<-time.After(time.Second)
		before := t.private(p.pid)
		a := subscribeOver(t.b, v, p.addr, p.events, subscribers)
		defer a.closeAll()
		<-time.After(t.seconds)
		return result{bytes: float64(t.private(p.pid)-before) / float64(subscribers)}
	}
}

// private returns the memory of a process without mapped files.
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
