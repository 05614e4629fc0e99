package storetest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/internal/store"
)

// patience bounds every wait of the contract: a longer one is a failure.
const patience = time.Minute

// eventually repeats a check until it is true.
func eventually(t *testing.T, what string, ask func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ask() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("after %v not reached: %s", patience, what)
		}
	}
}

func testDeadlines(t *testing.T, b Backend) {
	handles := b.handles(t, wide, 2)
	var feed Feed
	e := feed.Next(false, 1)
	e.Records = []store.Record{leaseOf("soon", 30*time.Millisecond), leaseOf("late", time.Hour), leaseOf("never", 0), leaseOf("gone", 30*time.Millisecond)}
	tip := commits(t, handles[0], NewBatch(store.Tip{}, e))
	e = feed.Next(false, 1)
	e.Records = []store.Record{{Table: store.Leases, Key: []byte("gone")}}
	tip = commits(t, handles[1], NewBatch(tip, e))
	eventually(t, "one lease is due", func() bool {
		keys := dueLeases(t, handles[1])
		if len(keys) > 0 && !slices.Equal(keys, []string{"soon"}) {
			t.Fatalf("the due keys are %v, want soon alone", keys)
		}
		return len(keys) == 1
	})
	renewalOf(t, handles, tip, feed)
	if apart := handles[0].Clock(time.Now)().Sub(handles[1].Clock(time.Now)()).Abs(); apart > time.Second {
		t.Errorf("two handles of one store report times %v apart", apart)
	}
}

func leaseOf(key string, term time.Duration) store.Record {
	return store.Record{Table: store.Leases, Key: []byte(key), Value: []byte("v"), Term: term}
}

func dueLeases(t *testing.T, j store.Journal) []string {
	t.Helper()
	keys, err := j.Expired(context.Background(), store.Leases, 10)
	if err != nil {
		t.Fatalf("Expired: %v", err)
	}
	return keys
}

// renewalOf checks that a lease that is renewed when it is due is not removed until
// it is due again.
func renewalOf(t *testing.T, handles []store.Journal, tip store.Tip, feed Feed) {
	t.Helper()
	soon := store.Deadline{Table: store.Leases, Key: "soon"}
	renewal := NewBatch(tip)
	renewal.Renewals = []store.Renewal{{Deadline: soon, Term: time.Hour}, {Deadline: store.Deadline{Table: store.Leases, Key: "nobody"}, Term: time.Millisecond}}
	commits(t, handles[0], renewal)
	removal := func() *store.Batch {
		at := feed
		e := at.Next(false, 1)
		e.Records = []store.Record{{Table: store.Leases, Key: []byte("soon")}}
		batch := NewBatch(tip, e)
		batch.Expired = []store.Deadline{soon}
		return batch
	}
	_, err := handles[1].Commit(context.Background(), removal())
	refused, ok := errors.AsType[*store.NotDueError](err)
	if !ok || !cmp.Equal(refused.Deadlines, []store.Deadline{soon}) {
		t.Fatalf("a removal of what was renewed: %v, want *NotDueError of it", err)
	}
	misses(t, handles[0], tip, nil)
	if keys := dueLeases(t, handles[0]); len(keys) > 0 {
		t.Fatalf("the due keys are %v after the renewal, want none", keys)
	}
	renewal = NewBatch(tip)
	renewal.Renewals = []store.Renewal{{Deadline: soon, Term: time.Millisecond}}
	commits(t, handles[0], renewal)
	eventually(t, "the lease is due again", func() bool { return slices.Equal(dueLeases(t, handles[1]), []string{"soon"}) })
	commits(t, handles[1], removal())
	if keys := dueLeases(t, handles[0]); len(keys) > 0 {
		t.Fatalf("the due keys are %v after the removal, want none", keys)
	}
}

// testRenewals renews records that the same batch deletes, clears or writes,
// records without a deadline, and missing records.
func testRenewals(t *testing.T, b Backend) {
	ctx := context.Background()
	j := b.handles(t, wide, 1)[0]
	lease := func(key string, term time.Duration) store.Record {
		return store.Record{Table: store.Leases, Key: []byte(key), Value: []byte("v"), Term: term}
	}
	renewal := func(table store.Table, key string) store.Renewal {
		return store.Renewal{Deadline: store.Deadline{Table: table, Key: key}, Term: time.Millisecond}
	}
	var feed Feed
	first := feed.Next(false, 1)
	first.Records = []store.Record{
		lease("erased", time.Hour), lease("kept", time.Hour), lease("without", 0), lease("written", time.Hour),
		{Table: store.Intercom, Key: []byte("cleared"), Value: []byte("v"), Term: time.Hour},
	}
	tip := commits(t, j, NewBatch(store.Tip{}, first))
	second := feed.Next(false, 1)
	second.Records = []store.Record{
		{Table: store.Leases, Key: []byte("erased")}, lease("written", time.Hour), {Table: store.Intercom},
	}
	batch := NewBatch(tip, second)
	for _, key := range []string{"erased", "kept", "without", "written", "nobody's"} {
		batch.Renewals = append(batch.Renewals, renewal(store.Leases, key))
	}
	batch.Renewals = append(batch.Renewals, renewal(store.Intercom, "cleared"))
	tip = commits(t, j, batch)
	// What is renewed last is due last.
	third := NewBatch(tip)
	third.Renewals = []store.Renewal{{Deadline: store.Deadline{Table: store.Leases, Key: "kept"}, Term: 50 * time.Millisecond}}
	commits(t, j, third)
	var keys []string
	eventually(t, "the kept lease is due", func() bool {
		var err error
		if keys, err = j.Expired(ctx, store.Leases, 10); err != nil {
			t.Fatalf("Expired: %v", err)
		}
		return slices.Contains(keys, "kept")
	})
	slices.Sort(keys)
	if want := []string{"kept", "without", "written"}; !slices.Equal(keys, want) {
		t.Errorf("the due keys are %v, want %v", keys, want)
	}
	if keys, err := j.Expired(ctx, store.Intercom, 10); err != nil || len(keys) > 0 {
		t.Errorf("due in a cleared table: %v, %v", keys, err)
	}
}

// testGrace lets deadlines pass without requests, as when all hosts are down: the
// first request finds that each has its full term again.
func testGrace(t *testing.T, b Backend) {
	const term = 60 * time.Millisecond
	ctx := context.Background()
	j := b.handles(t, wide, 1)[0]
	now := j.Clock(time.Now)
	due := func() []string {
		t.Helper()
		keys, err := j.Expired(ctx, store.Intercom, 10)
		if err != nil {
			t.Fatalf("Expired: %v", err)
		}
		return keys
	}
	var feed Feed
	e := feed.Next(false, 1)
	e.Records = []store.Record{{Table: store.Intercom, Key: []byte("k"), Value: []byte("v"), Term: term}}
	commits(t, j, NewBatch(store.Tip{}, e))
	passed := now().Add(2 * term)
	eventually(t, "the deadline has passed", func() bool { return now().After(passed) })
	asked := now()
	if keys := due(); len(keys) > 0 {
		t.Fatalf("the first caller got %v, which no host could renew", keys)
	}
	eventually(t, "the lease is due after its term", func() bool { return slices.Equal(due(), []string{"k"}) })
	if early := term - now().Sub(asked); early > 20*time.Millisecond {
		t.Errorf("it was due %v before its full term", early)
	}
}

// testHostStarted starts a host after a deadline has passed: if another host listens,
// the deadline is due, and if all were down, it has its full term again.
func testHostStarted(t *testing.T, b Backend) {
	const term = time.Second
	handles := b.handles(t, wide, 2)
	here, comes := handles[0], handles[1]
	now := comes.Clock(time.Now)
	due := func() []string {
		t.Helper()
		keys, err := comes.Expired(t.Context(), store.Leases, 10)
		if err != nil {
			t.Fatalf("Expired: %v", err)
		}
		return keys
	}
	arrive := func() time.Time {
		t.Helper()
		at := now()
		if err := comes.HostStarted(t.Context(), nil); err != nil {
			t.Fatalf("HostStarted: %v", err)
		}
		return at
	}
	due() // What nobody ever asked for is not due.
	leave := listens(t, here, comes)
	var feed Feed
	e := feed.Next(false, 1)
	e.Records = []store.Record{{Table: store.Leases, Key: []byte("k"), Value: []byte("v"), Term: term}}
	commits(t, here, NewBatch(store.Tip{}, e))
	eventually(t, "the lease is due after its term", func() bool { return slices.Equal(due(), []string{"k"}) })
	arrive()
	if keys := due(); !slices.Equal(keys, []string{"k"}) {
		t.Errorf("with a listening host a new one gets %v, want k", keys)
	}
	leave()
	var at time.Time
	eventually(t, "a full term without hosts has passed", func() bool {
		at = arrive()
		return len(due()) == 0
	})
	eventually(t, "the lease is due after its term", func() bool { return slices.Equal(due(), []string{"k"}) })
	if early := term - now().Sub(at); early > 20*time.Millisecond {
		t.Errorf("it was due %v before its full term", early)
	}
}

// listens lets a host listen, which another one has seen when it returns, until
// leave is called.
func listens(t *testing.T, here, other store.Journal) (leave func()) {
	t.Helper()
	listening, stop := context.WithCancel(t.Context())
	received, left := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(left)
		var once sync.Once
		for _, err := range here.Listen(listening) {
			if err == nil {
				once.Do(func() { close(received) })
			}
		}
	}()
	eventually(t, "a host listens", func() bool {
		if err := other.Send(t.Context(), []byte("m")); err != nil {
			t.Fatalf("Send: %v", err)
		}
		select {
		case <-received:
			return true
		default:
			return false
		}
	})
	return func() {
		stop()
		<-left
	}
}
