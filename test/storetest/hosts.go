package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
)

// followed is what a follower received.
type followed struct {
	entries []store.Entry
	err     error
}

// follow walks in a goroutine until it reaches a position; its result is sent on
// the channel.
func follow(ctx context.Context, j store.Journal, from store.Tip, to store.Position) <-chan followed {
	done := make(chan followed, 1)
	go func() {
		var f followed
		defer func() { done <- f }()
		for entries, err := range j.Follow(ctx, from) {
			if err != nil {
				f.err = err
				return
			}
			f.entries = append(f.entries, entries...)
			if n := len(f.entries); n > 0 && f.entries[n-1].Position >= to {
				return
			}
		}
	}()
	return done
}

func testFollow(t *testing.T, b Backend) {
	handles := b.handles(t, wide, 3)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	const rounds = 20
	var feed Feed
	tip := commits(t, handles[0], NewBatch(store.Tip{}, feed.some(2)...))
	walks := []<-chan followed{
		follow(ctx, handles[0], store.Tip{}, 2+rounds*3),
		follow(ctx, handles[1], tip, 2+rounds*3),
		follow(ctx, handles[2], store.Tip{}, 2+rounds*3),
	}
	for round := range rounds {
		tip = commits(t, handles[round%3], NewBatch(tip, feed.some(3)...))
	}
	for i, walk := range walks {
		f := <-walk
		if f.err != nil {
			t.Fatalf("follower %d: %v", i, f.err)
		}
		from := tip.Position + 1 - store.Position(len(f.entries))
		for k, e := range f.entries {
			if e.Position != from+store.Position(k) {
				t.Fatalf("follower %d got entry %d as number %d of %d", i, e.Position, k, len(f.entries))
			}
		}
		if want := map[int]store.Position{0: 1, 1: 3, 2: 1}[i]; from != want {
			t.Errorf("follower %d began with entry %d, want %d", i, from, want)
		}
	}
	// One that waits ends with its context.
	waiting, stop := context.WithCancel(ctx)
	walk := follow(waiting, handles[0], tip, tip.Position+1)
	stop()
	if f := <-walk; f.err != nil && !errors.Is(f.err, context.Canceled) {
		t.Errorf("a follower whose context ended: %v", f.err)
	}
}

// testRace has three hosts commit as fast as they can: each plans again after the
// entries that it missed. Every acknowledged commit is in the journal once, in one
// order.
func testRace(t *testing.T, b Backend) {
	handles := b.handles(t, wide, 3)
	const each = 40
	acknowledged := make([][]store.CommitID, len(handles))
	failed := make([]error, len(handles))
	var hosts sync.WaitGroup
	for i, j := range handles {
		hosts.Go(func() { acknowledged[i], failed[i] = raceOne(j, each) })
	}
	hosts.Wait()
	if err := errors.Join(failed...); err != nil {
		t.Fatal(err)
	}
	var journal []store.CommitID
	tip := store.Tip{}
	for {
		entries, err := handles[0].EntriesAfter(context.Background(), tip)
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) == 0 {
			break
		}
		for _, e := range entries {
			if e.Position != tip.Position+1 || e.Prev != tip.Commit {
				t.Fatalf("entry %d follows position %d", e.Position, tip.Position)
			}
			tip = store.Tip{Position: e.Position, Commit: e.Commit}
			journal = append(journal, e.Commit)
		}
	}
	if len(journal) != each*len(handles) {
		t.Fatalf("the journal has %d entries, %d were acknowledged", len(journal), each*len(handles))
	}
	for _, id := range slices.Concat(acknowledged...) {
		if !slices.Contains(journal, id) {
			t.Fatalf("the acknowledged commit %x is not in the journal", id)
		}
	}
}

func raceOne(j store.Journal, n int) ([]store.CommitID, error) {
	var done []store.CommitID
	var tip store.Tip
	for len(done) < n {
		// Each entry is an event of its own, so seq and position are the same.
		entry := store.Entry{Position: tip.Position + 1, Seq: uint64(tip.Position) + 1, Events: []store.Event{{Kind: "k", Data: []byte("{}")}}}
		batch := NewBatch(tip, entry)
		next, err := j.Commit(context.Background(), batch)
		if overtaken, ok := errors.AsType[*store.OvertakenError](err); ok {
			if len(overtaken.Entries) == 0 {
				return nil, fmt.Errorf("overtaken by nothing at %d", tip.Position)
			}
			last := overtaken.Entries[len(overtaken.Entries)-1]
			tip = store.Tip{Position: last.Position, Commit: last.Commit}
			continue
		}
		if err != nil {
			return nil, err
		}
		tip, done = next, append(done, batch.Commit)
	}
	return done, nil
}

func testFences(t *testing.T, b Backend) {
	ctx := context.Background()
	handles := b.handles(t, wide, 2)
	take := func(j store.Journal, holder string, term time.Duration) (store.Fence, bool) {
		t.Helper()
		fence, held, err := j.Acquire(ctx, "bridge", holder, term)
		if err != nil {
			t.Fatalf("Acquire: %v", err)
		}
		return fence, held
	}
	first, held := take(handles[0], "a", time.Hour)
	if !held || first.Name != "bridge" {
		t.Fatalf("Acquire of a free lock: %v, %v", first, held)
	}
	if again, held := take(handles[0], "a", time.Millisecond); !held || again != first {
		t.Fatalf("prolonging: %v, %v; want %v", again, held, first)
	}
	var second store.Fence
	eventually(t, "the term of the lock has passed", func() bool {
		fence, held := take(handles[1], "b", time.Hour)
		second = fence
		return held
	})
	if second.Token <= first.Token {
		t.Fatalf("the second holder has the token %d, the first %d", second.Token, first.Token)
	}
	if _, held := take(handles[0], "a", time.Hour); held {
		t.Fatal("a lock has two holders")
	}
	var feed Feed
	fenced := func(fence store.Fence, tip store.Tip) *store.Batch {
		at := feed
		batch := NewBatch(tip, at.Next(false, 1))
		batch.Fence = &fence
		return batch
	}
	if _, err := handles[0].Commit(ctx, fenced(first, store.Tip{})); !errors.Is(err, store.ErrFenced) {
		t.Fatalf("Commit under a lost lock: %v, want ErrFenced", err)
	}
	tip := commits(t, handles[1], fenced(second, store.Tip{}))
	feed.Next(false, 1)
	if err := handles[0].Release(ctx, first); err != nil {
		t.Fatal(err)
	}
	if _, held := take(handles[0], "a", time.Hour); held {
		t.Fatal("releasing a lost lock freed another's")
	}
	if err := handles[1].Release(ctx, second); err != nil {
		t.Fatal(err)
	}
	if _, err := handles[1].Commit(ctx, fenced(second, tip)); !errors.Is(err, store.ErrFenced) {
		t.Fatalf("Commit under a released lock: %v, want ErrFenced", err)
	}
	third, held := take(handles[0], "a", time.Hour)
	if !held || third.Token <= second.Token {
		t.Fatalf("Acquire of a released lock: %v, %v", third, held)
	}
}

// testPresent has two hosts: one leaves regularly, the other stops registering.
func testPresent(t *testing.T, b Backend) {
	handles := b.handles(t, wide, 2)
	present := func(j store.Journal, id string, term time.Duration) []string {
		t.Helper()
		names, err := j.Heartbeat(t.Context(), id, "the name of "+id, term)
		if err != nil {
			t.Fatalf("Present: %v", err)
		}
		for id, name := range names {
			if name != "the name of "+id {
				t.Errorf("the name of %q is %q", id, name)
			}
		}
		return slices.Sorted(maps.Keys(names))
	}
	for _, step := range []struct {
		host int
		id   string
		term time.Duration
		want []string
	}{
		{0, "a", time.Hour, []string{"a"}},
		{1, "b", time.Hour, []string{"a", "b"}},
		{0, "a", 0, []string{"b"}},
		{1, "c", time.Millisecond, []string{"b", "c"}},
	} {
		if got := present(handles[step.host], step.id, step.term); !slices.Equal(got, step.want) {
			t.Fatalf("after %s with a term of %v there are %v, want %v", step.id, step.term, got, step.want)
		}
	}
	eventually(t, "the term has ended", func() bool { return slices.Equal(present(handles[0], "b", time.Hour), []string{"b"}) })
}

func testMessages(t *testing.T, b Backend) {
	handles := b.handles(t, wide, 2)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	received := make(chan error, 1)
	go func() {
		for message, err := range handles[1].Listen(ctx) {
			if err == nil && string(message) != "hello" {
				err = errors.New("received " + string(message))
			}
			received <- err
			return
		}
	}()
	// It is unknown when the listener is ready: earlier messages are lost.
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if err := handles[0].Send(ctx, []byte("hello")); err != nil {
			t.Fatalf("Send: %v", err)
		}
		select {
		case err := <-received:
			if err != nil {
				t.Fatalf("Listen: %v", err)
			}
			return
		case <-tick.C:
		}
	}
}

// testCheckpoints has two hosts write them: the older one comes too late. One of lost
// entries is refused: its rows are not those that the journal's entries lead to.
func testCheckpoints(t *testing.T, b Backend) {
	ctx := context.Background()
	handles := b.handles(t, wide, 2)
	var feed Feed
	tip := commits(t, handles[0], NewBatch(store.Tip{}, feed.some(3)...))
	older := feed.State()
	older.Commit = tip.Commit
	tip = commits(t, handles[1], NewBatch(tip, feed.some(3)...))
	newer := feed.State()
	newer.Commit = tip.Commit
	if _, err := handles[1].Checkpoint(ctx, newer); err != nil {
		t.Fatal(err)
	}
	if _, err := handles[0].Checkpoint(ctx, older); !errors.Is(err, store.ErrConflict) {
		t.Fatalf("Checkpoint older than another host's: %v, want ErrConflict", err)
	}
	tip = commits(t, handles[1], NewBatch(tip, feed.some(3)...))
	lost := feed.State()
	lost.Commit = newer.Commit
	longer := lost
	longer.Position++
	for what, state := range map[string]store.State{"of an entry of another commit": lost, "past the head": longer} {
		if _, err := handles[0].Checkpoint(ctx, state); !errors.Is(err, store.ErrDiverged) {
			t.Errorf("Checkpoint %s: %v, want ErrDiverged", what, err)
		}
	}
	got, err := handles[0].Load(ctx)
	if diff := difference(newer, got); err != nil || diff != "" {
		t.Fatalf("Load: %v (-want +got):\n%s", err, diff)
	}
	misses(t, handles[0], tip, nil)
}

// testOneHost has a store that only one host can open.
func testOneHost(t *testing.T, b Backend) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	j := b.open(t, wide)
	if !j.SoleHost() {
		t.Error("a store of one host is not alone")
	}
	if err := j.Send(ctx, []byte("m")); !errors.Is(err, store.ErrAlone) {
		t.Errorf("Send: %v, want ErrAlone", err)
	}
	for _, holder := range []string{"a", "b"} {
		fence, held, err := j.Acquire(ctx, "lock", holder, time.Hour)
		if err != nil || !held || fence.Name != "lock" {
			t.Errorf("Acquire: %v, %v, %v", fence, held, err)
		}
		if err := j.Release(ctx, fence); err != nil {
			t.Errorf("Release: %v", err)
		}
	}
	// HostStarted gets every deadline; each gets its full term.
	at := time.Unix(1_700_000_000, 0)
	j.Clock(func() time.Time { return at })
	var feed Feed
	e := feed.Next(false, 1)
	e.Records = []store.Record{leaseOf("a", time.Second), leaseOf("b", time.Minute), leaseOf("c", time.Second)}
	must(t, j, e)
	renewal := func(key string) store.Renewal {
		return store.Renewal{Deadline: store.Deadline{Table: store.Leases, Key: key}, Term: time.Minute}
	}
	if err := j.HostStarted(ctx, []store.Renewal{renewal("b"), renewal("a")}); err != nil {
		t.Fatal(err)
	}
	for after, want := range map[time.Duration][]string{time.Minute - 1: nil, time.Minute: {"a", "b"}} {
		at = time.Unix(1_700_000_000, 0).Add(after)
		if keys := dueLeases(t, j); !slices.Equal(keys, want) {
			t.Errorf("due after %v are %v, want %v", after, keys, want)
		}
	}
	// Followers wait, and listeners as well.
	walk, messages := follow(ctx, j, store.Tip{Position: 1}, 2), make(chan error, 1)
	go func() {
		for _, err := range j.Listen(ctx) {
			messages <- err
		}
	}()
	cancel()
	if f := <-walk; len(f.entries) > 0 || !errors.Is(f.err, context.Canceled) {
		t.Errorf("a follower got %d entries, %v", len(f.entries), f.err)
	}
	if err := <-messages; !errors.Is(err, context.Canceled) {
		t.Errorf("a listener got %v", err)
	}
}
