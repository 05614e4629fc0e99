package world

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/internal/store/replay"
	"github.com/playctl/playctl/protocol"
)

// recount compares a world's counted usage of accounts with the content of its
// store.
func recount(t testing.TB, w *World, journal store.Journal) map[string]Amounts {
	t.Helper()
	used, err := w.Usage(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	stored, err := replay.CountUsage(context.Background(), journal, testRootKey)
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]Amounts{}
	for name, a := range used {
		if a = (Amounts{Lines: a[Lines], Journeys: a[Journeys], Bytes: a[Bytes]}); a != (Amounts{}) {
			kept[name] = a
		}
	}
	want := map[string]Amounts{}
	for name, u := range stored {
		want[name] = Amounts{Lines: u.Lines, Journeys: u.Journeys, Bytes: u.Bytes}
	}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Fatalf("usage of the accounts (-store +world):\n%s", diff)
	}
	return used
}

// TestUsageEqualsStore plays random commands in a world with small limits: the
// counted usage equals the stored usage at every moment, and is within the limits.
func TestUsageEqualsStore(t *testing.T) {
	limits := Limits{
		History: 3, Account: Amounts{Lines: 4, Journeys: 2, Bytes: 2500}, World: Amounts{Lines: 6, Journeys: 3, Bytes: 4000},
	}
	rapid.Check(t, func(r *rapid.T) {
		c, journal := newClock(), memory.Open(store.DefaultRetention())
		open := func() *World {
			w, err := Open(context.Background(), Options{
				Journal: journal, RootKey: testRootKey, Now: c.Now, Random: rand.NewChaCha8([32]byte{7}), Limits: limits,
			})
			if err != nil {
				r.Fatal(err)
			}
			return w
		}
		schedule := moves(r)
		cut := rapid.IntRange(0, len(schedule)).Draw(r, "cut")
		w := open()
		within := func() {
			for name, a := range recount(t, w, journal) {
				for _, q := range Quotas() {
					if limit := limits.Account[q]; limit > 0 && a[q] > limit {
						r.Fatalf("%s has %d %s, the limit is %d", name, a[q], q, limit)
					}
				}
			}
			for _, q := range Quotas() {
				if limit := limits.World[q]; limit > 0 && w.Used()[q] > limit {
					r.Fatalf("all accounts have %d %s, the limit is %d", w.Used()[q], q, limit)
				}
			}
		}
		run(t, w, c, schedule[:cut], within)
		closeWorld(t, w)
		w = open()
		run(t, w, c, schedule[cut:], within)
		closeWorld(t, w)
	})
}

// lines returns the texts of the kept lines, the oldest first.
func (f *fixture) lines() string {
	f.t.Helper()
	found, err := f.Interactions(f.t.Context(), protocol.ListRequest{Limit: 1000})
	if err != nil {
		f.t.Fatal(err)
	}
	var texts []string
	for _, one := range found.Records {
		text, _, _ := strings.Cut(strings.SplitAfter(string(one), `"text":"`)[1], `"`)
		texts = append(texts, text)
	}
	return strings.Join(texts, " ")
}

// New lines of an account replace its oldest ones, whichever of its agents wrote
// them, and no other account's.
func TestNewLinesReplaceAccountsOldest(t *testing.T) {
	f := open(t, func(o *Options) { o.Limits = Limits{Account: Amounts{Lines: 4}} })
	one, other := f.main("one"), f.main("other")
	var agents []string
	for _, name := range []string{"a", "b"} {
		agents = append(agents, f.agent(one, name))
		f.as(one, registration(id(name)))
	}
	quiet := f.agent(other, "quiet")
	f.as(other, registration(quiet))
	f.as(quiet, line(quiet, "stays"))
	for n := range 7 {
		f.as(agents[n%2], line(agents[n%2], fmt.Sprint("l", n)))
		if n == 4 {
			f.reopen()
		}
	}
	if got := f.lines(); got != "stays l3 l4 l5 l6" {
		t.Errorf("kept: %s", got)
	}
	recount(t, f.World, f.journal)
}

// If all accounts together exceed the limit, the one with the most loses its oldest
// lines.
func TestLargestAccountLosesOldestLines(t *testing.T) {
	f := open(t, func(o *Options) { o.Limits = Limits{World: Amounts{Bytes: 8000}} })
	var agents []string
	for _, name := range []string{"loud", "quiet"} {
		owner := f.main(name + " account")
		agents = append(agents, f.agent(owner, name))
		f.as(owner, registration(id(name)))
	}
	f.as(agents[1], line(agents[1], "quiet"))
	for n := range 20 {
		f.as(agents[0], line(agents[0], fmt.Sprint("loud", n, strings.Repeat("!", 500))))
	}
	f.as(agents[1], line(agents[1], "again"))
	got := f.lines()
	if !strings.HasPrefix(got, "quiet ") || !strings.HasSuffix(got, " again") || strings.Contains(got, "loud0!") || !strings.Contains(got, "loud19!") {
		t.Errorf("kept: %s", got)
	}
	recount(t, f.World, f.journal)
}

// Lines planned in one batch, before any of them is in the store, also stay within
// the limit.
func TestLimitsHoldWithinBatch(t *testing.T) {
	f := open(t, func(o *Options) { o.Limits = Limits{Account: Amounts{Lines: 2}} })
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(owner, registration(a))
	var writing sync.WaitGroup
	for n := range 64 {
		writing.Go(func() {
			if _, err := f.try(a, line(a, fmt.Sprint("l", n))); err != nil {
				t.Error(err)
			}
		})
	}
	writing.Wait()
	if used := recount(t, f.World, f.journal); used[owner][Lines] != 2 {
		t.Errorf("the account has %d lines, want 2", used[owner][Lines])
	}
}

func TestRecordBeyondLimitIsRefused(t *testing.T) {
	f := open(t, func(o *Options) { o.Limits = Limits{Account: Amounts{Bytes: 1000}} })
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(owner, registration(a))
	f.as(a, line(a, "fits"))
	_, err := f.try(a, line(a, strings.Repeat("x", 1000)))
	wantCode(t, err, protocol.CodeStorageLimit)
	if !strings.Contains(err.Error(), "1000 bytes") {
		t.Errorf("the refusal does not name the limit: %v", err)
	}
	if got := f.lines(); got != "fits" {
		t.Errorf("kept: %s", got)
	}
	f.as(a, line(a, "as well"))
}

func TestHistoryRateOfAccount(t *testing.T) {
	f := open(t, func(o *Options) { o.Limits = Limits{HistoryRate: 120} })
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(owner, registration(a))
	text := strings.Repeat("x", 700)
	wrote := 0
	var refused error
	for ; refused == nil; wrote++ {
		_, refused = f.try(a, line(a, text))
		if wrote == 3 {
			f.reopen()
		}
	}
	wantCode(t, refused, protocol.CodeRateLimited)
	wait := refused.(*protocol.Error).RetryAfter //nolint:errorlint,forcetypeassert // wantCode checks the type
	if wrote < 5 || wrote > 8 || wait <= 0 || wait > 20*time.Second {
		t.Errorf("refused after %d lines, retry after %v", wrote, wait)
	}
	f.clock.Advance(wait + time.Millisecond)
	f.as(a, line(a, text))
	// Another account has a rate of its own.
	other := f.main("other")
	b := f.agent(other, "b")
	f.as(other, registration(b))
	f.as(b, line(b, text))
}

// All writes of a command count toward the rate of the caller's account: rows,
// events and records, not history alone.
func TestRateCountsAllWrites(t *testing.T) {
	long := strings.Repeat("x", 50_000)
	for name, c := range map[string]struct {
		caller  Caller
		command func(owner, agent string, n int) Command
	}{
		"signal": {Caller{NodeID: id("a")}, func(_, a string, _ int) Command { return signal(a, a, protocol.ProximityZone) }},
		"signal of a viewer": {Caller{Viewer: "__viewer:1"}, func(_, a string, _ int) Command {
			return signal(protocol.HumanLabel, a, protocol.ProximityYield)
		}},
		"registration": {Caller{NodeID: id("owner")}, func(_, a string, n int) Command { return withInstructions(a, fmt.Sprint(n, long)) }},
		"MCP server": {Caller{NodeID: id("owner")}, func(_, _ string, n int) Command {
			return RegisterMCP{protocol.MCPRegisterRequest{Name: "server", URL: fmt.Sprint("http://127.0.0.1/", n, long)}}
		}},
		"journey":      {Caller{NodeID: id("a")}, func(_, a string, n int) Command { return journey(a, fmt.Sprint(n, long[:20_000])) }},
		"same journey": {Caller{NodeID: id("a")}, func(_, a string, _ int) Command { return journey(a, long[:20_000]) }},
		"space": {Caller{NodeID: id("owner")}, func(_, _ string, n int) Command {
			return RegisterSpace{protocol.RegisterSpaceRequest{ID: fmt.Sprint("space", n), Name: "Bare", Description: long, DesignKey: "plain", Amenities: []string{"shop"}}}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, func(o *Options) { o.Limits = Limits{HistoryRate: 8000} })
			owner := f.main("owner")
			a := f.agent(owner, "a")
			f.as(owner, withInstructions(a, long))
			f.clock.Advance(time.Minute)
			var refused error
			wrote := 0
			for ; refused == nil && wrote < 20; wrote++ {
				_, refused = f.Do(t.Context(), Request{Caller: c.caller}, c.command(owner, a, wrote))
				if wrote == 2 {
					f.reopen()
				}
			}
			wantCode(t, refused, protocol.CodeRateLimited)
			if wrote < 4 || !strings.Contains(refused.Error(), "--rate-history") {
				t.Errorf("refused after %d: %v", wrote, refused)
			}
			f.clock.Advance(refused.(*protocol.Error).RetryAfter + time.Millisecond) //nolint:errorlint,forcetypeassert // wantCode checks the type
			if _, err := f.Do(t.Context(), Request{Caller: c.caller}, c.command(owner, a, wrote)); err != nil {
				t.Errorf("after the Retry-After time: %v", err)
			}
			other := f.main("other")
			f.as(other, registration(f.agent(other, "of another account")))
			if _, err := f.Do(t.Context(), Request{Caller: Caller{Admin: true}}, ResetSession{}); err != nil {
				t.Errorf("a command of the administrator: %v", err)
			}
		})
	}
}

func signal(from, to, action string) Command {
	return ProximityAction{protocol.ProximityActionRequest{FromPlayerID: from, ToPlayerID: to, Action: action}}
}

func withInstructions(agentID, text string) Register {
	c := registration(agentID)
	c.RealtimeInstructions = text
	return c
}

// A command without writes is never refused for the rate: agents stay on the map.
func TestHeartbeatsAreNotRateLimited(t *testing.T) {
	f := open(t, func(o *Options) { o.Limits = Limits{HistoryRate: 50} })
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(owner, leasedRegistration(a, "c", 45))
	_, err := f.try(a, line(a, strings.Repeat("x", 4000)))
	wantCode(t, err, protocol.CodeRateLimited)
	for range 100 {
		f.as(a, heartbeat(a, "c"))
	}
}
