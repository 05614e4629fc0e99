package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/internal/store"
)

// eventually asks until the answer is yes.
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
			t.Fatalf("after %v there is not: %s", patience, what)
		}
	}
}

func sharedDeadlines(t *testing.T, b SharedBackend) {
	handles := b.handles(t, wide, 2)
	var feed Feed
	e := feed.Next(false, 1)
	e.Records = []store.Record{leaseOf("soon", 30*time.Millisecond), leaseOf("late", time.Hour), leaseOf("never", 0), leaseOf("gone", 30*time.Millisecond)}
	tip := commits(t, handles[0], newBatch(store.Tip{}, e))
	e = feed.Next(false, 1)
	e.Records = []store.Record{{Table: store.Leases, Key: []byte("gone")}}
	tip = commits(t, handles[1], newBatch(tip, e))
	eventually(t, "one lease that is due", func() bool {
		keys := dueLeases(t, handles[1])
		if len(keys) > 0 && !slices.Equal(keys, []string{"soon"}) {
			t.Fatalf("due are %v, want soon alone", keys)
		}
		return len(keys) == 1
	})
	sharedRenewal(t, handles, tip, feed)
	if apart := handles[0].Now().Sub(handles[1].Now()).Abs(); apart > time.Second {
		t.Errorf("two handles of one store say times %v apart", apart)
	}
}

func leaseOf(key string, term time.Duration) store.Record {
	return store.Record{Table: store.Leases, Key: []byte(key), Value: []byte("v"), Term: term}
}

func dueLeases(t *testing.T, j store.Shared) []string {
	t.Helper()
	keys, err := j.Due(context.Background(), store.Leases, 10)
	if err != nil {
		t.Fatalf("Due: %v", err)
	}
	return keys
}

// sharedRenewal checks that nobody removes a lease that is due and renewed then,
// until it is due again.
func sharedRenewal(t *testing.T, handles []store.Shared, tip store.Tip, feed Feed) {
	t.Helper()
	soon := store.Deadline{Table: store.Leases, Key: "soon"}
	renewal := newBatch(tip)
	renewal.Renewals = []store.Renewal{{Deadline: soon, Term: time.Hour}, {Deadline: store.Deadline{Table: store.Leases, Key: "nobody"}, Term: time.Millisecond}}
	commits(t, handles[0], renewal)
	removal := func() *store.Batch {
		at := feed
		e := at.Next(false, 1)
		e.Records = []store.Record{{Table: store.Leases, Key: []byte("soon")}}
		batch := newBatch(tip, e)
		batch.Lapsed = []store.Deadline{soon}
		return batch
	}
	_, err := handles[1].Commit(context.Background(), removal())
	refused, ok := errors.AsType[*store.NotDueError](err)
	if !ok || !cmp.Equal(refused.Deadlines, []store.Deadline{soon}) {
		t.Fatalf("a removal of what was renewed: %v, want *NotDueError of it", err)
	}
	misses(t, handles[0], tip, nil)
	if keys := dueLeases(t, handles[0]); len(keys) > 0 {
		t.Fatalf("due are %v after the renewal, want none", keys)
	}
	renewal = newBatch(tip)
	renewal.Renewals = []store.Renewal{{Deadline: soon, Term: time.Millisecond}}
	commits(t, handles[0], renewal)
	eventually(t, "the lease that is due again", func() bool { return slices.Equal(dueLeases(t, handles[1]), []string{"soon"}) })
	commits(t, handles[1], removal())
	if keys := dueLeases(t, handles[0]); len(keys) > 0 {
		t.Fatalf("due are %v after the removal, want none", keys)
	}
}

func sharedFences(t *testing.T, b SharedBackend) {
	ctx := context.Background()
	handles := b.handles(t, wide, 2)
	take := func(j store.Shared, holder string, term time.Duration) (store.Fence, bool) {
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
	eventually(t, "a lock whose term has passed", func() bool {
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
		batch := newBatch(tip, at.Next(false, 1))
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

func sharedMessages(t *testing.T, b SharedBackend) {
	handles := b.handles(t, wide, 2)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	heard := make(chan error, 1)
	go func() {
		for message, err := range handles[1].Listen(ctx) {
			if err == nil && string(message) != "hello" {
				err = errors.New("heard " + string(message))
			}
			heard <- err
			return
		}
	}()
	// Nobody says when the listener is there: what was sent before is lost.
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if err := handles[0].Send(ctx, []byte("hello")); err != nil {
			t.Fatalf("Send: %v", err)
		}
		select {
		case err := <-heard:
			if err != nil {
				t.Fatalf("Listen: %v", err)
			}
			return
		case <-tick.C:
		}
	}
}

// sharedCheckpoints has two hosts write them: the older one comes too late.
func sharedCheckpoints(t *testing.T, b SharedBackend) {
	ctx := context.Background()
	handles := b.handles(t, wide, 2)
	var feed Feed
	tip := commits(t, handles[0], newBatch(store.Tip{}, feed.some(3)...))
	older := feed.State()
	older.Commit = tip.Commit
	tip = commits(t, handles[1], newBatch(tip, feed.some(3)...))
	newer := feed.State()
	newer.Commit = tip.Commit
	if err := handles[1].Checkpoint(ctx, newer); err != nil {
		t.Fatal(err)
	}
	if err := handles[0].Checkpoint(ctx, older); !errors.Is(err, store.ErrConflict) {
		t.Fatalf("Checkpoint older than another host's: %v, want ErrConflict", err)
	}
	got, err := handles[0].Load(ctx)
	if diff := difference(newer, got); err != nil || diff != "" {
		t.Fatalf("Load: %v (-want +got):\n%s", err, diff)
	}
	misses(t, handles[0], store.Tip{Position: got.Position, Commit: got.Commit}, nil)
}

// sharedTrimmed trims while a host stands far behind.
func sharedTrimmed(t *testing.T, b SharedBackend) {
	ctx := context.Background()
	handles := b.handles(t, store.Retention{Events: 10, Revs: 3}, 2)
	var feed Feed
	var tip store.Tip
	for range 40 {
		batch := newBatch(tip, feed.some(100)...)
		tip = commits(t, handles[0], batch)
	}
	state := feed.State()
	state.Commit = tip.Commit
	if err := handles[0].Checkpoint(ctx, state); err != nil {
		t.Fatal(err)
	}
	if _, err := handles[1].Missed(ctx, store.Tip{}); !errors.Is(err, store.ErrTrimmed) {
		t.Fatalf("Missed of what is gone: %v, want ErrTrimmed", err)
	}
	for _, err := range handles[1].Follow(ctx, store.Tip{}) {
		if !errors.Is(err, store.ErrTrimmed) {
			t.Fatalf("Follow of what is gone: %v, want ErrTrimmed", err)
		}
		break
	}
	// The window for resuming streams is whole, and who follows is not disturbed.
	for seq := state.Seq - 10; seq <= state.Seq; seq++ {
		if _, err := handles[1].Seek(ctx, seq); err != nil {
			t.Errorf("Seek(%d) within the window: %v", seq, err)
		}
	}
	misses(t, handles[1], tip, nil)
}
