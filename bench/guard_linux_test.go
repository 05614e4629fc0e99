//go:build full

package bench

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/test/hostprocess"
	"github.com/playctl/playctl/test/worldtest"
)

var update = flag.Bool("update", false, "write the present costs into "+costsFile)

// costsFile has the permitted cost of each of the paths below.
const costsFile = "testdata/costs.json"

const (
	// worse is the factor by which a cost may grow.
	worse = 1.10
	// idleWrites are the write calls outside requests, whose number depends on the
	// load.
	idleWrites = 0.2
)

// requestCost is the cost of a request for a host, independent of the other load of the
// machine.
type requestCost struct {
	// Bytes are the bytes that the host allocates for it, Writes its write calls,
	// and Syncs its commits, each of which is one sync (TestOneSyncPerCommit in
	// internal/store/bolt).
	Bytes  float64 `json:"bytes"`
	Writes float64 `json:"writes"`
	Syncs  float64 `json:"syncs"`
}

// TestCosts compares the costs of requests with the committed ones, which
// -update rewrites.
func TestCosts(t *testing.T) {
	// In memory a round takes less than a second even on a machine with a busy disk.
	dir, err := os.MkdirTemp("/dev/shm", "playctl-costs") //nolint:usetesting // t.TempDir is on the disk.
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(dir)) })
	must(t, creds.WriteRootFile(filepath.Join(dir, "root"), creds.GenerateRootKey(), false))
	// With one processor no work moves to another one, whose buffer pools are empty.
	p := startWith(t, dir, []string{"GOMAXPROCS=1"}, "127.0.0.1:0", "--rate-activity", "-1")
	key, err := os.ReadFile(filepath.Join(dir, "root"))
	must(t, err)
	s := &served{tb: t, addr: p.addr(), derive: creds.DeriveNodeID}
	s.populate(strings.TrimSpace(string(key)), 4)
	events := request(s.main, http.MethodGet, "/api/play/events?sid="+s.sid, nil)
	node := []byte(`{"op":"getPlayerChainNode","payload":{"stableKey":"agent:` + s.main.id + ":" + s.agents[0].id + `"}}`)
	var allowed map[string]requestCost
	if !*update {
		text, err := os.ReadFile(costsFile)
		must(t, err)
		must(t, json.Unmarshal(text, &allowed))
	}
	found := map[string]requestCost{}
	snapshot := request(s.main, http.MethodGet, "/api/play/snapshot?sid="+s.sid, nil)
	for _, path := range []struct {
		name        string
		subscribers int
		requests    [][]byte
	}{
		{"session", 0, [][]byte{request(s.main, http.MethodGet, "/api/play/session", nil)}},
		{"chain node", 0, [][]byte{request(s.main, http.MethodPost, "/api/play/sdk/rpc", node)}},
		{"snapshot", 0, [][]byte{snapshot}},
		{"chat line", 0, [][]byte{s.interaction(s.agents[0])}},
		{"chat line to 50 subscribers", 50, [][]byte{s.interaction(s.agents[1])}},
		{"activity", 0, [][]byte{s.activity(s.agents[2], "working", "one"), s.activity(s.agents[2], "working", "two")}},
		{"activity to 50 subscribers", 50, [][]byte{s.activity(s.agents[3], "working", "one"), s.activity(s.agents[3], "working", "two")}},
		{"activity as it was", 0, [][]byte{s.activity(s.agents[3], "working", "two")}},
	} {
		found[path.name] = s.requestCost(p, path.requests, events, path.subscribers, allowed[path.name])
	}
	for i := range 60 {
		s.post(s.main, "/api/play/mcp/register?sid="+s.sid, map[string]any{
			"name": fmt.Sprint("tools ", i), "url": "https://example.org/" + strings.Repeat("a", 300),
		}, nil)
	}
	found["long snapshot"] = s.requestCost(p, [][]byte{snapshot}, events, 0, allowed["long snapshot"])
	if *update {
		text, err := json.MarshalIndent(found, "", "  ")
		must(t, err)
		must(t, os.WriteFile(costsFile, append(text, '\n'), 0o600))
		return
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		now, before := found[name], allowed[name]
		t.Logf("%s: %+v", name, now)
		if os.Getenv(hostprocess.EnvRace) != "" {
			continue // The detector allocates as well.
		}
		for _, more := range now.exceeding(before) {
			t.Errorf("%s costs %s: reduce it, or explain it in the commit and run the test with -update", name, more)
		}
	}
}

// TestGarbageCollections makes a host allocate forty MiB and counts its collections: with
// a small heap Go would run one for every few MiB.
func TestGarbageCollections(t *testing.T) {
	dir, key := t.TempDir(), creds.GenerateRootKey()
	must(t, creds.WriteRootFile(filepath.Join(dir, "root"), key, false))
	p := start(t, dir)
	s := &served{tb: t, addr: p.addr(), derive: creds.DeriveNodeID}
	s.populate(key, 0)
	p.Stop() // with the memory of the derivation
	p = start(t, dir)
	s.addr = p.addr()
	ask := request(s.main, http.MethodGet, "/api/play/session", nil)
	c := dial(t, s.addr)
	defer c.close()
	count := func() (collections, bytes, next float64) {
		text := string(p.scrape(t))
		return s.number(text, "go_gc_duration_seconds_count"), s.number(text, "go_memstats_alloc_bytes_total"), s.number(text, "go_memstats_next_gc_bytes")
	}
	var collections, bytes float64
	// A host lets its heap grow once it is ready: with a collection, which may not be its
	// first one.
	worldtest.Eventually(t, "a heap that may grow to 16 MiB", func() bool {
		var next float64
		collections, bytes, next = count()
		return next >= 16<<20
	})
	for allocated := 0.0; allocated < 40<<20; {
		for range 1000 {
			if status, _, err := c.do(ask); err != nil || status != http.StatusOK {
				t.Fatalf("status %d, %v", status, err)
			}
		}
		_, now, _ := count()
		allocated = now - bytes
	}
	after, now, _ := count()
	// Go begins a collection at 0.7 of the way to its target at the earliest
	// (minTriggerRatioNum in runtime/mgcpacer.go), which it does on a busy machine.
	if n := after - collections; n > (now-bytes)/(0.7*(8<<20)) {
		t.Errorf("%.0f collections for %.0f MiB", n, (now-bytes)/(1<<20))
	}
}

// requestCost repeats requests in turns on one connection. Every subscriber has the event
// before the next request, so that no two events are sent together. The lowest
// tenth of the rounds counts, minus that of rounds without a request, but never a
// single round: the runtime counts allocations when a span of memory is full (the
// mcache of a processor), so a round is off by up to 100 kB. On a busy machine most
// rounds include a checkpoint, the work of each second or pools emptied by a
// collection. Disturbances only add costs, so it is sufficient that the first
// rounds are within the permitted costs.
func (s *served) requestCost(p *process, requests [][]byte, events []byte, subscribers int, allowed requestCost) requestCost {
	s.tb.Helper()
	const warm, few, rounds, times = 500, 5, 21, 200
	a := subscribe(s.tb, s.addr, events, subscribers)
	defer a.closeAll()
	c := dial(s.tb, s.addr)
	defer c.close()
	repeat := func(n int) {
		for i := range n {
			if subscribers > 0 {
				a.expect(1)
			}
			status, body, err := c.do(requests[i%len(requests)])
			if err != nil || status != http.StatusOK {
				s.tb.Fatalf("status %d, %v: %s", status, err, body)
			}
			if subscribers > 0 {
				a.wait()
			}
		}
	}
	repeat(warm)
	var asked, idle []requestCost
	each := func() requestCost {
		cost := lowestTenth(asked).minus(lowestTenth(idle))
		return requestCost{math.Round(cost.Bytes / times), math.Round(cost.Writes/times*100) / 100, cost.Syncs / times}
	}
	for len(asked) < rounds && (len(asked) < few || len(each().exceeding(allowed)) > 0) {
		first := s.counters(p)
		second := s.counters(p)
		repeat(times)
		third := s.counters(p)
		idle, asked = append(idle, second.minus(first)), append(asked, third.minus(second))
	}
	return each()
}

// exceeding returns the costs that exceed the permitted ones.
func (e requestCost) exceeding(allowed requestCost) []string {
	var more []string
	for _, cost := range []struct {
		what        string
		now, before float64
	}{
		{"bytes", e.Bytes, allowed.Bytes},
		// The Go scheduler makes some write calls of its own.
		{"write calls", e.Writes - idleWrites, allowed.Writes},
		{"syncs", e.Syncs, allowed.Syncs},
	} {
		if cost.now > cost.before*worse {
			more = append(more, fmt.Sprintf("%.2f %s, and not %.2f", cost.now, cost.what, cost.before))
		}
	}
	return more
}

func (e requestCost) minus(other requestCost) requestCost {
	return requestCost{e.Bytes - other.Bytes, e.Writes - other.Writes, e.Syncs - other.Syncs}
}

// lowestTenth returns the lowest tenth of each of the costs, the second lowest of a few.
func lowestTenth(of []requestCost) requestCost {
	of = slices.Clone(of)
	by := func(cost func(requestCost) float64) float64 {
		slices.SortFunc(of, func(a, b requestCost) int { return cmp.Compare(cost(a), cost(b)) })
		return cost(of[max(1, len(of)/10)])
	}
	return requestCost{
		by(func(e requestCost) float64 { return e.Bytes }),
		by(func(e requestCost) float64 { return e.Writes }),
		by(func(e requestCost) float64 { return e.Syncs }),
	}
}

// counters returns the host's counters so far.
func (s *served) counters(p *process) requestCost {
	s.tb.Helper()
	text := string(p.scrape(s.tb))
	io, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", p.PID()))
	must(s.tb, err)
	return requestCost{
		Bytes: s.number(text, "go_memstats_alloc_bytes_total"), Writes: s.number(string(io), "syscw:"),
		Syncs: s.number(text, "playctl_world_commits_total"),
	}
}

// number returns the number after a name in a text.
func (s *served) number(text, name string) float64 {
	s.tb.Helper()
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
			must(s.tb, err)
			return n
		}
	}
	s.tb.Fatalf("there is no %s", name)
	return 0
}
