package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/playctl/playctl/internal/store"
)

// followed is what a follower says of itself.
type followed struct {
	entries []store.Entry
	err     error
}

// follow walks in a goroutine until it has seen a position; its result comes on
// the channel.
func follow(ctx context.Context, j store.Shared, from store.Tip, to store.Position) <-chan followed {
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

func sharedFollow(t *testing.T, b SharedBackend) {
	handles := b.handles(t, wide, 3)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	const rounds = 20
	var feed Feed
	tip := commits(t, handles[0], newBatch(store.Tip{}, feed.some(2)...))
	walks := []<-chan followed{
		follow(ctx, handles[0], store.Tip{}, 2+rounds*3),
		follow(ctx, handles[1], tip, 2+rounds*3),
		follow(ctx, handles[2], store.Tip{}, 2+rounds*3),
	}
	for round := range rounds {
		tip = commits(t, handles[round%3], newBatch(tip, feed.some(3)...))
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

// sharedRace has three hosts commit as fast as they can: each plans anew on what
// it missed. Every acknowledged commit is in the journal once, in one order.
func sharedRace(t *testing.T, b SharedBackend) {
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
		entries, err := handles[0].Missed(context.Background(), tip)
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

func raceOne(j store.Shared, n int) ([]store.CommitID, error) {
	var done []store.CommitID
	var tip store.Tip
	for len(done) < n {
		// Each entry is an event of its own, so seq and position are the same.
		entry := store.Entry{Position: tip.Position + 1, Seq: uint64(tip.Position) + 1, Events: []store.Event{{Kind: "k", Data: []byte("{}")}}}
		batch := newBatch(tip, entry)
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
