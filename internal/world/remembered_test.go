package world

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/replay"
	"github.com/playctl/playctl/protocol"
)

// sentKey is an idempotency key and its caller.
type sentKey struct {
	caller, key byte
	at          time.Time
}

// TestLastKeysOfCallerAreKnown sends random keys of a few callers: one of
// the last keys of its caller is known for a day, unless the world has too many and
// its caller the most; any other key is free again, and the counts are those of the
// store.
func TestLastKeysOfCallerAreKnown(t *testing.T) {
	const own, all = 3, 7
	f := open(t, func(o *Options) { o.Limits.Account[IdempotencyKeys], o.Limits.World[IdempotencyKeys] = own, all })
	a := f.agent(f.main("owner"), "a")
	f.as(a, registration(a))
	rapid.Check(t, func(r *rapid.T) {
		var kept keptKeys
		f.clock.Advance(repeatTerm)
		f.sweep()
		for range rapid.IntRange(1, 40).Draw(r, "steps") {
			f.clock.Advance(time.Duration(rapid.IntRange(0, 6).Draw(r, "hours"))*time.Hour + time.Millisecond)
			switch rapid.IntRange(0, 9).Draw(r, "beside") {
			case 0, 1:
				f.sweep()
				kept.expire(f.clock.Now())
			case 2:
				f.reopen()
			}
			k := sentKey{caller: rapid.Byte().Draw(r, "caller") % 3, key: rapid.Byte().Draw(r, "key") % 6, at: f.clock.Now()}
			known := kept.knows(k)
			if got := f.repeats(k.caller, k.key, a); got != known {
				r.Fatalf("key %d of caller %d: known %v, want %v, of %v", k.key, k.caller, got, known, kept)
			}
			if !known {
				kept.add(k, own, all)
			}
			checkCounts(t, f.journal, idempotencyKeys, own, all)
		}
	})
}

// repeats sends a key of a caller, and reports whether the world knew it.
func (f *fixture) repeats(caller, key byte, agent string) bool {
	f.t.Helper()
	before := f.View().Seq
	reply, err := f.Do(context.Background(), Request{Caller: Caller{NodeID: agent}, Idempotency: &Idempotency{
		Key: [32]byte{caller, key}, Caller: CallerTag{caller},
	}}, line(agent, "hello"))
	if err != nil {
		f.t.Fatalf("key %d of caller %d: %v", key, caller, err)
	}
	known := reply.Stored != nil
	if known == (f.View().Seq > before) {
		f.t.Fatalf("key %d of caller %d: a repeat %v, and the world went from %d to %d", key, caller, known, before, f.View().Seq)
	}
	return known
}

// TestKeysOfCallerAreCountedAcrossHosts sends a caller's keys to two hosts in turn.
func TestKeysOfCallerAreCountedAcrossHosts(t *testing.T) {
	limits := Limits{}
	limits.Account[IdempotencyKeys] = 3
	c := openWithDifferentClocks(t, 2, limits)
	a := c.agent(0, 45)
	for key := range byte(8) {
		c.clock.Advance(time.Millisecond)
		if _, err := c.worlds[key%2].Do(t.Context(), Request{
			Caller: Caller{NodeID: a}, Idempotency: &Idempotency{Key: [32]byte{key}, Caller: CallerTag{1}},
		}, line(a, "hello")); err != nil {
			t.Fatal(err)
		}
		c.agree()
		checkCounts(t, c.hosts[0], idempotencyKeys, 3, 100)
	}
	for key, want := range map[int]bool{0: false, 4: false, 5: true, 7: true} {
		_, known, err := c.worlds[0].Repeated(t.Context(), &Idempotency{Key: [32]byte{byte(key)}})
		if err != nil || known != want {
			t.Errorf("key %d: known %v, %v, want %v", key, known, err, want)
		}
	}
}

// keptKeys is the expected content of the store: the last keys of each caller, and
// fewer of the callers with the most.
type keptKeys []sentKey

func (k *keptKeys) expire(now time.Time) {
	*k = slices.DeleteFunc(*k, func(was sentKey) bool { return now.Sub(was.at) >= repeatTerm })
}

func (k *keptKeys) knows(key sentKey) bool {
	return slices.ContainsFunc(*k, func(was sentKey) bool {
		return was.caller == key.caller && was.key == key.key && key.at.Sub(was.at) < repeatTerm
	})
}

func (k *keptKeys) add(key sentKey, own, all int) {
	*k = append(*k, key)
	for k.of(key.caller) > own {
		k.drop(key.caller)
	}
	for len(*k) > all {
		largest := key.caller
		for caller := byte(255); caller > 0; caller-- {
			if k.of(caller-1) > k.of(largest) {
				largest = caller - 1
			}
		}
		k.drop(largest)
	}
}

// of returns the number of keys of a caller.
func (k *keptKeys) of(caller byte) int {
	n := 0
	for _, was := range *k {
		if was.caller == caller {
			n++
		}
	}
	return n
}

// drop drops a caller's oldest key.
func (k *keptKeys) drop(caller byte) {
	i := slices.IndexFunc(*k, func(was sentKey) bool { return was.caller == caller })
	*k = slices.Delete(*k, i, i+1)
}

// checkCounts compares the numbers of ids with those in the store, and with the limits.
func checkCounts(t testing.TB, journal store.Journal, of *remembered, own, all int) {
	t.Helper()
	counted, recorded, err := of.Count(context.Background(), journal)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(counted, recorded); diff != "" {
		t.Fatalf("number of ids (-store +recorded):\n%s", diff)
	}
	ranks := map[string]int{}
	for pair, err := range journal.Scan(context.Background(), of.Callers, store.Range{Prefix: of.Ranks()}) {
		rank, caller, ok := of.ParseRankKey(pair.Key)
		if err != nil || !ok {
			t.Fatalf("the rank %x: %v", pair.Key, err)
		}
		ranks[string(of.CallerTally(caller))] += int(rank)
	}
	for key, n := range counted {
		if rank := replay.RankOf(n); len(key) > 1 && ranks[key] != int(rank) {
			t.Fatalf("%x has the rank %d with %d ids, want %d", key, ranks[key], n, rank)
		}
		if limit := map[bool]int{true: all, false: own}[len(key) == 1]; n > limit {
			t.Fatalf("%x has %d ids, the limit is %d", key, n, limit)
		}
	}
}

// The caller with the most keys loses its oldest, regardless of which caller sends
// one more, and no caller with fewer does.
func TestLargestCallerLosesItsOldestKeys(t *testing.T) {
	f := open(t, func(o *Options) { o.Limits.World[IdempotencyKeys] = 200 })
	a := f.agent(f.main("owner"), "a")
	f.as(a, registration(a))
	send := func(caller, key byte) {
		f.clock.Advance(time.Millisecond)
		f.repeats(caller, key, a)
	}
	for key := range byte(20) {
		send(1, key)
	}
	for key := range byte(250) {
		send(2, key)
		if key == 220 {
			f.reopen()
		}
	}
	for caller := byte(3); caller < 100; caller++ {
		send(caller, 0)
	}
	checkCounts(t, f.journal, idempotencyKeys, 200, 200+200/16)
	for caller := byte(3); caller < 100; caller++ {
		if !f.repeats(caller, 0, a) {
			t.Fatalf("the only key of caller %d is not known", caller)
		}
	}
	for key := range byte(20) {
		if !f.repeats(1, key, a) {
			t.Fatalf("key %d of the caller with 20 is not known", key)
		}
	}
	if f.repeats(2, 0, a) || !f.repeats(2, 249, a) {
		t.Error("of the caller with the most, the oldest should be free and the newest known")
	}
}

// A key with a long reply counts as several: the bytes of one caller's keys in the
// store are bounded, and so are those of all callers.
func TestKeyBytesAreBounded(t *testing.T) {
	const own, all, kept = 100, 250, 4 << 10
	f := open(t, func(o *Options) { o.Limits.Account[IdempotencyKeys], o.Limits.World[IdempotencyKeys] = own, all })
	a := f.agent(f.main("owner"), "a")
	long := registration(a)
	for i := range protocol.MaxToolNames - 1 {
		name := fmt.Sprint("tool ", i, " ")
		long.Agent.ToolNames = append(long.Agent.ToolNames[:i+1], name+strings.Repeat("\U0001F30D", protocol.MaxToolNameChars-len(name)))
	}
	send := func(caller, key byte, c Command) {
		t.Helper()
		f.clock.Advance(time.Millisecond)
		if _, err := f.Do(t.Context(), Request{
			Caller: Caller{NodeID: a}, SID: f.View().SID, Idempotency: &Idempotency{Key: [32]byte{caller, key}, Caller: CallerTag{caller}},
		}, c); err != nil {
			t.Fatal(err)
		}
	}
	stored := func() (n, longest int) {
		for pair, err := range f.journal.Scan(t.Context(), store.Idempotency, store.Range{}) {
			if err != nil {
				t.Fatal(err)
			}
			n, longest = n+len(pair.Value), max(longest, len(pair.Value))
		}
		return n, longest
	}
	for key := range byte(12) {
		send(1, key, long)
		n, longest := stored()
		if most := (own+own/16)*kept + longest; n > most {
			t.Fatalf("%d keys of a caller use %d bytes, want at most %d", key+1, n, most)
		}
		checkCounts(t, f.journal, idempotencyKeys, own+own/16, all)
	}
	if _, longest := stored(); longest < 10*kept {
		t.Fatalf("the longest reply has %d bytes: the test is void", longest)
	}
	if f.repeats(1, 0, a) {
		t.Error("the first key of the caller is still known")
	}
	for caller := byte(2); caller < 8; caller++ {
		for key := range byte(4) {
			send(caller, key, long)
		}
		if key := caller - 1; caller == 4 {
			f.reopen()
			send(key, 9, line(a, "short"))
		}
		checkCounts(t, f.journal, idempotencyKeys, own+own/16, all+all/16)
	}
	if n, longest := stored(); n > (all+all/16)*kept+longest {
		t.Errorf("the keys of all callers use %d bytes", n)
	}
	f.clock.Advance(repeatTerm)
	f.sweep()
	if counted, recorded, err := idempotencyKeys.Count(t.Context(), f.journal); err != nil || len(counted)+len(recorded) > 0 {
		t.Errorf("a day later the counts are %v, recorded %v, %v", counted, recorded, err)
	}
}

func TestKeysOfBatchAreBoundedByNextCommand(t *testing.T) {
	f := open(t, func(o *Options) { o.Limits.Account[IdempotencyKeys], o.Limits.World[IdempotencyKeys] = 3, 5 })
	a := f.agent(f.main("owner"), "a")
	f.as(a, registration(a))
	send := func(caller, key byte) error {
		_, err := f.Do(context.Background(), Request{
			Caller: Caller{NodeID: a}, Idempotency: &Idempotency{Key: [32]byte{caller, key}, Caller: CallerTag{caller}},
		}, line(a, "hello"))
		return err
	}
	for round := range byte(4) {
		runConcurrently(t, make([]string, 32), func(string) error { return send(rand.N[byte](3), 100+rand.N[byte](100)) })
		for caller := range byte(3) {
			if err := send(caller, round); err != nil {
				t.Fatal(err)
			}
		}
	}
	f.reopen()
	if err := send(0, 50); err != nil {
		t.Fatal(err)
	}
	checkCounts(t, f.journal, idempotencyKeys, 3, 5)
	f.sweep()
	if used := f.Used()[IdempotencyKeys]; used != 5 {
		t.Errorf("Used reports %d keys, want 5", used)
	}
}

// TestClosedRequestsAreBounded closes requests of two callers; their oldest ids are
// free again.
func TestClosedRequestsAreBounded(t *testing.T) {
	f := open(t, func(o *Options) { o.Limits.Account[ClosedRequests], o.Limits.World[ClosedRequests] = 2, 3 })
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(a, registration(a))
	for i, caller := range []string{owner, owner, a, owner, a} {
		requestID := fmt.Sprint("request ", i)
		f.clock.Advance(time.Millisecond)
		f.as(caller, ask(requestID, owner, a))
		f.as(a, answer(requestID, owner, a, protocol.IntercomCompleted))
		f.reopen()
		checkCounts(t, f.journal, closedRequests, 2, 3)
	}
	before := f.View().Seq
	f.as(a, ask("request 4", owner, a))
	f.as(owner, ask("request 3", owner, a))
	if f.View().Seq != before {
		t.Error("an answered request was sent again")
	}
	f.as(owner, ask("request 0", owner, a))
	if f.View().Seq != before+2 {
		t.Error("a request with a dropped id was not sent")
	}
	if _, err := f.Do(t.Context(), Request{Caller: Caller{Admin: true}}, ResetSession{}); err != nil {
		t.Fatal(err)
	}
	checkCounts(t, f.journal, closedRequests, 0, 0)
}
