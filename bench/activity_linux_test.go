package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// BenchmarkActivityLimit lets a hundred agents report as often as clients do, to a
// thousand subscribers: without and with inline nodes, with short rows and with rows of
// 16 KiB, without and with 16 writers of durable lines. It prints how many events a second
// there are, after how many minutes a stream can still resume, and the bytes a second for
// each subscriber.
func BenchmarkActivityLimit(b *testing.B) {
	dir, key := b.TempDir(), creds.GenerateRootKey()
	must(b, creds.WriteRootFile(filepath.Join(dir, "root"), key, false))
	host := startForTable(b, dir)
	s := &served{tb: b, addr: host.addr(), derive: creds.DeriveNodeID}
	s.populate(key, 100)
	t := &table{b: b, seconds: time.Duration(setting("PLAYCTL_BENCH_SECONDS", 10) * float64(time.Second))}
	t.ours = &peer{addr: host.addr(), pid: host.PID()}
	for _, a := range s.agents {
		t.ours.lines = append(t.ours.lines, s.interaction(a))
	}
	for _, rows := range []string{"short rows", "rows of 16 KiB"} {
		for _, inline := range []string{"", "&inline=1"} {
			a := subscribe(b, s.addr, request(s.main, http.MethodGet, "/api/play/events?sid="+s.sid+inline, nil), 1000)
			name := rows + map[bool]string{true: ", inline nodes", false: ""}[inline != ""]
			t.activities(s, a, name+", activities", true, false)
			t.activities(s, a, name+", lines", false, true)
			t.activities(s, a, name+", both", true, true)
			a.closeAll()
		}
		for _, agent := range s.agents {
			s.post(agent, "/api/play/sdk/rpc?sid="+s.sid, map[string]any{"op": protocol.OpRecordJourney, "payload": map[string]any{
				"playerId": agent.id, "journey": map[string]any{
					"startedAt": "2026-01-02T03:04:05Z", "completedAt": "2026-01-02T03:04:05Z",
					"steps": []any{map[string]any{"type": protocol.StepOrigin, "messageId": "m", "content": strings.Repeat("journey ", 1<<10)}},
				},
			}}, nil)
		}
	}
}

// activities measures reports of all agents, 16 writers, or both beside each other.
func (t *table) activities(s *served, a *audience, name string, report, write bool) {
	t.b.Helper()
	seq := func() uint64 {
		var now protocol.SessionReply
		s.get(s.main, "/api/play/session", &now)
		return *now.Seq
	}
	ctx, stop := context.WithTimeout(context.Background(), t.seconds)
	defer stop()
	m, before, read, began := t.meter(t.ours), seq(), a.bytes.Load(), time.Now()
	var changed, refused atomic.Int64
	var agents sync.WaitGroup
	if report {
		for _, agent := range s.agents {
			agents.Go(func() { s.reportActivities(ctx, agent, &changed, &refused) })
		}
	}
	lines := sent{}
	if write {
		lines = t.begin(t.task(t.ours, writers, 0, line))()
	}
	agents.Wait()
	took := time.Since(began).Seconds()
	events := float64(seq()-before) / took
	a.expectAll(int64(seq()) - a.after)
	a.wait()
	all := result{}.with(lines.Took)
	fmt.Printf("%s: %.1f changes/s, %.1f refused/s, %.0f lines/s (p50 %.1f ms, p99 %.1f ms), %.1f events/s, resume for %.1f minutes, %.1f KiB/s for each subscriber, %.0f%% of a processor\n",
		name, float64(changed.Load())/took, float64(refused.Load())/took, float64(len(lines.Took))/took,
		float64(all.p50.Microseconds())/1e3, float64(all.p99.Microseconds())/1e3,
		events, float64(store.DefaultRetention().Events)/events/60, float64(a.bytes.Load()-read)/float64(len(a.conns))/took/1024,
		100*(t.cpu(t.ours.pid)-m.used).Seconds()/took)
}

// reportActivities reports a new activity each second, and after a refusal when it may.
func (s *served) reportActivities(ctx context.Context, a identity, changed, refused *atomic.Int64) {
	for n := 0; ctx.Err() == nil; n++ {
		body, err := json.Marshal(map[string]any{"op": protocol.OpRecordActivity, "payload": map[string]any{
			"playerId": a.id, "state": protocol.ActivityWorking, "text": fmt.Sprint("Editing file ", n), "toolName": "edit",
		}})
		must(s.tb, err)
		r, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodPost, "http://"+s.addr+"/api/play/sdk/rpc?sid="+s.sid, bytes.NewReader(body))
		must(s.tb, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set(protocol.HeaderNodeID, a.id)
		r.Header.Set(protocol.HeaderNodePassw, a.hash)
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			s.tb.Error(err)
			return
		}
		_, _ = io.Copy(io.Discard, reply.Body)
		_ = reply.Body.Close()
		wait := 1
		switch reply.StatusCode {
		case http.StatusOK:
			changed.Add(1)
		case http.StatusTooManyRequests:
			refused.Add(1)
			wait, _ = strconv.Atoi(reply.Header.Get("Retry-After"))
		default:
			s.tb.Errorf("status %d", reply.StatusCode)
			return
		}
		select {
		case <-time.After(time.Duration(wait) * time.Second):
		case <-ctx.Done():
		}
	}
}
