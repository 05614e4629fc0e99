package storetest

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
)

// sharedGrace lets deadlines pass while nobody asks, as when all hosts are away:
// the first to ask finds that each has its full term again.
func sharedGrace(t *testing.T, b SharedBackend) {
	const term = 60 * time.Millisecond
	ctx := context.Background()
	j := b.handles(t, wide, 1)[0]
	due := func() []string {
		t.Helper()
		keys, err := j.Due(ctx, store.Intercom, 10)
		if err != nil {
			t.Fatalf("Due: %v", err)
		}
		return keys
	}
	var feed Feed
	e := feed.Next(false, 1)
	e.Records = []store.Record{{Table: store.Intercom, Key: []byte("k"), Value: []byte("v"), Term: term}}
	commits(t, j, newBatch(store.Tip{}, e))
	passed := j.Now().Add(2 * term)
	eventually(t, "a deadline that has passed", func() bool { return j.Now().After(passed) })
	asked := j.Now()
	if keys := due(); len(keys) > 0 {
		t.Fatalf("the first to ask was told of %v, which nobody could renew", keys)
	}
	eventually(t, "what is due after its term", func() bool { return slices.Equal(due(), []string{"k"}) })
	if early := term - j.Now().Sub(asked); early > 20*time.Millisecond {
		t.Errorf("it was due %v before its full term", early)
	}
}

// sharedArrive lets a host begin to serve after a deadline has passed: beside a host
// that listens it is due, and where all were away it has its full term again.
func sharedArrive(t *testing.T, b SharedBackend) {
	const term = time.Second
	handles := b.handles(t, wide, 2)
	here, comes := handles[0], handles[1]
	due := func() []string {
		t.Helper()
		keys, err := comes.Due(t.Context(), store.Leases, 10)
		if err != nil {
			t.Fatalf("Due: %v", err)
		}
		return keys
	}
	arrive := func() time.Time {
		t.Helper()
		at := comes.Now()
		if err := comes.Arrive(t.Context()); err != nil {
			t.Fatalf("Arrive: %v", err)
		}
		return at
	}
	due() // What nobody ever asked for is not due.
	leave := listens(t, here, comes)
	var feed Feed
	e := feed.Next(false, 1)
	e.Records = []store.Record{{Table: store.Leases, Key: []byte("k"), Value: []byte("v"), Term: term}}
	commits(t, here, newBatch(store.Tip{}, e))
	eventually(t, "what is due after its term", func() bool { return slices.Equal(due(), []string{"k"}) })
	arrive()
	if keys := due(); !slices.Equal(keys, []string{"k"}) {
		t.Errorf("beside a host that listens a new one is told of %v, want k", keys)
	}
	leave()
	var at time.Time
	eventually(t, "a full term after all were away", func() bool {
		at = arrive()
		return len(due()) == 0
	})
	eventually(t, "what is due after its term", func() bool { return slices.Equal(due(), []string{"k"}) })
	if early := term - comes.Now().Sub(at); early > 20*time.Millisecond {
		t.Errorf("it was due %v before its full term", early)
	}
}

// listens lets a host listen, which another one has seen when it returns, until
// leave is called.
func listens(t *testing.T, here, other store.Shared) (leave func()) {
	t.Helper()
	listening, stop := context.WithCancel(t.Context())
	heard, left := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(left)
		var once sync.Once
		for _, err := range here.Listen(listening) {
			if err == nil {
				once.Do(func() { close(heard) })
			}
		}
	}()
	eventually(t, "a host that listens", func() bool {
		if err := other.Send(t.Context(), []byte("m")); err != nil {
			t.Fatalf("Send: %v", err)
		}
		select {
		case <-heard:
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

// sharedRenewals renews what the same batch erases, clears or writes, what has no
// deadline and what is not there.
func sharedRenewals(t *testing.T, b SharedBackend) {
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
	tip := commits(t, j, newBatch(store.Tip{}, first))
	second := feed.Next(false, 1)
	second.Records = []store.Record{
		{Table: store.Leases, Key: []byte("erased")}, lease("written", time.Hour), {Table: store.Intercom},
	}
	batch := newBatch(tip, second)
	for _, key := range []string{"erased", "kept", "without", "written", "nobody's"} {
		batch.Renewals = append(batch.Renewals, renewal(store.Leases, key))
	}
	batch.Renewals = append(batch.Renewals, renewal(store.Intercom, "cleared"))
	tip = commits(t, j, batch)
	// What is renewed last is due last.
	third := newBatch(tip)
	third.Renewals = []store.Renewal{{Deadline: store.Deadline{Table: store.Leases, Key: "kept"}, Term: 50 * time.Millisecond}}
	commits(t, j, third)
	var keys []string
	eventually(t, "kept among what is due", func() bool {
		var err error
		if keys, err = j.Due(ctx, store.Leases, 10); err != nil {
			t.Fatalf("Due: %v", err)
		}
		return slices.Contains(keys, "kept")
	})
	slices.Sort(keys)
	if want := []string{"kept", "without", "written"}; !slices.Equal(keys, want) {
		t.Errorf("due are %v, want %v", keys, want)
	}
	if keys, err := j.Due(ctx, store.Intercom, 10); err != nil || len(keys) > 0 {
		t.Errorf("due in a table that was cleared: %v, %v", keys, err)
	}
}
