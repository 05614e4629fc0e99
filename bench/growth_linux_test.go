package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/world"
)

// BenchmarkGrowth prints what a world costs that has grown: a write, a change of the map,
// reads, a start, memory and bytes on the disk.
//
//	go test ./bench -run '^$' -bench Growth -benchtime 1x -timeout 60m
func BenchmarkGrowth(b *testing.B) {
	fmt.Println("| occupants | events | chat line | change | node | snapshot | start | memory | disk |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	for _, size := range [][2]int{{10, 0}, {100, 0}, {1000, 0}, {10_000, 0}, {100, 10_000}, {100, 100_000}, {100, 1_000_000}} {
		b.Run(fmt.Sprintf("occupants=%d/events=%d", size[0], size[1]), func(b *testing.B) {
			for b.Loop() {
				benchGrowth(b, size[0], size[1])
			}
		})
	}
}

// benchGrowth creates a world of a size and measures it; times are medians.
func benchGrowth(b *testing.B, occupants, events int) {
	b.Helper()
	dir := b.TempDir()
	key := creds.GenerateRootKey()
	must(b, creds.WriteRootFile(filepath.Join(dir, "root"), key, false))
	file := filepath.Join(dir, "data", "world.playstore")
	s, stop := serveAt(b, file, key, occupants)
	s.sendLines(events)
	stop()

	var p *process
	var starts []time.Duration
	for range 3 {
		if p != nil {
			p.Stop()
		}
		from := time.Now()
		p = startAt(b, dir, "127.0.0.1:0", unlimited()...)
		p.get(b, "/readyz")
		starts = append(starts, time.Since(from))
	}
	slices.Sort(starts)
	memory := p.memory(b)
	s.addr = p.addr()
	timed := func(asks ...[]byte) time.Duration {
		k := task{Addr: s.addr, Connections: 1, Requests: asks, Count: 300, Length: time.Hour}
		return check(b, k.run()).Took[150]
	}
	line := timed(s.interaction(s.agents[0]))
	change := timed(s.renaming(s.agents[0], "one"), s.renaming(s.agents[0], "another"))
	node := timed(request(s.main, http.MethodPost, "/api/play/sdk/rpc",
		[]byte(`{"op":"getPlayerChainNode","payload":{"stableKey":"agent:`+s.main.id+":"+s.agents[0].id+`"}}`)))
	snapshot := timed(request(s.main, http.MethodGet, "/api/play/snapshot?sid="+s.sid, nil))
	p.Stop()
	info, err := os.Stat(file)
	must(b, err)
	fmt.Printf("| %d | %d | %.2f ms | %.2f ms | %.2f ms | %.2f ms | %.0f ms | %.0f MiB | %.1f MB |\n", occupants, events,
		line.Seconds()*1e3, change.Seconds()*1e3, node.Seconds()*1e3, snapshot.Seconds()*1e3, starts[1].Seconds()*1e3, memory, float64(info.Size())/1e6)
}

// unlimited returns arguments of a host for as many agents as a benchmark has.
func unlimited() []string {
	args := []string{"--max-occupants", "20000"}
	for _, q := range world.Quotas() {
		args = append(args, "--max-total-"+q.Label(), "0")
		if q != world.Accounts {
			args = append(args, "--max-"+q.Label(), "0")
		}
	}
	return args
}

// BenchmarkWholeHistory is the time from opening a store until its world is there, where
// the store keeps every event: the median of three.
//
//	go test ./bench -run '^$' -bench WholeHistory -benchtime 1x -timeout 60m
func BenchmarkWholeHistory(b *testing.B) {
	keeps := store.DefaultRetention()
	keeps.Events, keeps.Bytes = math.MaxInt64, 0
	const agents = 100
	for _, events := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("events=%d", events), func(b *testing.B) {
			file, key := filepath.Join(b.TempDir(), "world.playstore"), creds.GenerateRootKey()
			s, stop := serveKeeping(b, keeps, file, key, agents)
			s.sendLines(events)
			stop()
			var starts []time.Duration
			for range 3 {
				from := time.Now()
				journal, w := openWorld(b, keeps, file, key, agents)
				starts = append(starts, time.Since(from))
				must(b, w.Close(context.Background()))
				must(b, journal.Close())
			}
			slices.Sort(starts)
			info, err := os.Stat(file)
			must(b, err)
			b.ReportMetric(starts[1].Seconds()*1e3, "start-ms")
			b.ReportMetric(float64(info.Size())/1e6, "MB")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// sendLines makes the agents send many lines over 64 connections.
func (s *served) sendLines(lines int) {
	s.tb.Helper()
	k := task{Addr: s.addr, Connections: 64, Count: lines / 64, Length: time.Hour}
	for i := range 64 {
		k.Requests = append(k.Requests, s.interaction(s.agents[i%len(s.agents)]))
	}
	if lines > 0 {
		check(s.tb, k.run())
	}
}

func check(b testing.TB, s sent) sent {
	b.Helper()
	if s.Failure != "" {
		b.Fatal(s.Failure)
	}
	return s
}

// renaming returns the request that changes an agent's name.
func (s *served) renaming(a identity, name string) []byte {
	body, err := json.Marshal(map[string]any{
		"name": strings.Repeat(name, 3), "type": "langchain", "agentId": a.id,
		"agent": map[string]any{"type": "langchain", "toolNames": []string{"chat_tool", "assist_search", "assist_book"}},
	})
	must(s.tb, err)
	return request(a, http.MethodPost, "/api/play/players?sid="+s.sid, body)
}
