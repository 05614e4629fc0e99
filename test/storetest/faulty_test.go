package storetest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/test/storetest"
)

// Without a demand, a Faulty passes the contract like what it wraps.
func TestFaultyContract(t *testing.T) {
	storetest.Run(t, storetest.Backend{
		New: func(_ *testing.T, retention store.Retention) storetest.Opener {
			return func() store.Journal { return storetest.NewFaulty(memory.Open(retention)) }
		},
	})
}

func TestFaultyAppend(t *testing.T) {
	var feed storetest.Feed
	var other store.Entry
	intrude := storetest.Intrude(func(store.Position) []store.Entry { return []store.Entry{other} })
	for name, test := range map[string]struct {
		fault   storetest.Fault
		want    error
		written int
	}{
		"before":   {storetest.FailBefore, store.ErrUnavailable, 0},
		"after":    {storetest.FailAfter, store.ErrUnavailable, 1},
		"intruder": {intrude, store.ErrConflict, 1},
		"pass":     {storetest.Pass, nil, 1},
	} {
		feed = storetest.Feed{}
		j := storetest.NewFaulty(memory.Open(store.DefaultRetention()))
		mine := feed.Next(true, 1)
		other = mine
		other.At = 1
		j.Plan(test.fault)
		if err := storetest.Append(context.Background(), j, 0, mine); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
		if head, err := j.Head(context.Background()); err != nil || int(head) != test.written {
			t.Errorf("%s: the head is %d, %v; want %d", name, head, err, test.written)
		}
		for e, err := range j.Read(context.Background(), 0) {
			if err != nil {
				t.Fatal(err)
			}
			if theirs := e.At == 1; theirs != (name == "intruder") {
				t.Errorf("%s: the wrong writer's entry is stored", name)
			}
		}
		second := feed.Next(false, 1)
		if err := storetest.Append(context.Background(), j, store.Position(test.written), second); test.written == 1 && err != nil {
			t.Errorf("%s: the next commit: %v", name, err)
		}
		if j.Commits() != 2 {
			t.Errorf("%s: %d commits are counted, want 2", name, j.Commits())
		}
	}
}

func TestFaultyHold(t *testing.T) {
	var feed storetest.Feed
	j := storetest.NewFaulty(memory.Open(store.DefaultRetention()))
	started, release, done := make(chan struct{}), make(chan struct{}), make(chan error)
	j.Plan(storetest.Hold(started, release))
	go func() {
		err := storetest.Append(context.Background(), j, 0, feed.Next(true, 1))
		done <- err
	}()
	<-started
	if head, err := j.Head(context.Background()); err != nil || head != 0 {
		t.Errorf("while the commit is held the head is %d, %v; want 0", head, err)
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestFaultyBreak(t *testing.T) {
	ctx := context.Background()
	var feed storetest.Feed
	j := storetest.NewFaulty(memory.Open(store.DefaultRetention()))
	if err := storetest.Append(ctx, j, 0, feed.Next(true, 1), feed.Next(true, 1)); err != nil {
		t.Fatal(err)
	}
	var walk []error
	for _, err := range j.Read(ctx, 0) {
		walk = append(walk, err)
		j.BreakReads()
	}
	if len(walk) != 2 || walk[0] != nil || !errors.Is(walk[1], store.ErrUnavailable) {
		t.Errorf("a walk whose journal broke after the first entry yielded %v", walk)
	}
	if _, err := j.Head(ctx); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Head of a broken journal: %v", err)
	}
	j.Repair()
	j.BreakWrites()
	if err := storetest.Append(ctx, j, 2, feed.Next(true, 1)); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("commit to a broken journal: %v", err)
	}
	if _, err := j.Checkpoint(ctx, feed.State()); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Checkpoint of a broken journal: %v", err)
	}
	j.Repair()
	if head, err := j.Head(ctx); err != nil || head != 2 {
		t.Errorf("after the repair the head is %d, %v; want 2", head, err)
	}
}
