package redis_test

import (
	"context"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/internal/store/redis/redistest"
	"github.com/playctl/playctl/internal/store/storetest"
)

// eventually asks until the answer is yes, for 10 s at most.
func eventually(t *testing.T, what string, ask func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ask() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("there is not: %s", what)
		}
	}
}

func due(t *testing.T, j *redis.Journal) int {
	t.Helper()
	keys, err := j.Due(context.Background(), store.Intercom, 10)
	if err != nil {
		t.Fatal(err)
	}
	return len(keys)
}

// TestGrace lets a deadline pass while nobody asks, as when all hosts are away:
// it gets its full term again.
func TestGrace(t *testing.T) {
	const term = 60 * time.Millisecond
	j := open(t, at(t, redistest.Start(t).URL()))
	var feed storetest.Feed
	b := batch(&feed, store.Tip{}, 1)
	b.Entries[0].Records = []store.Record{{Table: store.Intercom, Key: []byte("k"), Value: []byte("v"), Term: term}}
	commit(t, j, b)
	passed := j.Now().Add(2 * term)
	eventually(t, "a deadline that has passed", func() bool { return j.Now().After(passed) })
	asked := j.Now()
	if n := due(t, j); n > 0 {
		t.Fatal("the first to ask was told of a deadline that nobody could renew")
	}
	eventually(t, "what is due after its term", func() bool { return due(t, j) == 1 })
	if early := term - j.Now().Sub(asked); early > 20*time.Millisecond {
		t.Errorf("it was due %v before its full term", early)
	}
}
