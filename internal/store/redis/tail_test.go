package redis_test

import (
	"context"
	"errors"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/test/redistest"
	"github.com/playctl/playctl/test/storetest"
)

// TestTail trims entries that only a follower needs: the newest are kept.
func TestTail(t *testing.T) {
	ctx := context.Background()
	o := at(t, redistest.Start(t).URL())
	o.Retention = store.Retention{Events: 1, Revs: 1, Tail: 20}
	j := open(t, o)
	var feed storetest.Feed
	tips := []store.Tip{{}}
	for i := range 50 {
		next := &store.Batch{After: tips[i], Commit: store.CommitID{byte(i + 1)}, Entries: []store.Entry{feed.Next(false, 0)}}
		tips = append(tips, commit(t, j, next))
	}
	if err := storetest.Checkpoint(ctx, j, feed.State()); err != nil {
		t.Fatal(err)
	}
	if missed, err := j.EntriesAfter(ctx, tips[30]); err != nil || len(missed) != 20 {
		t.Errorf("20 entries behind the head: %d entries, %v", len(missed), err)
	}
	if _, err := j.EntriesAfter(ctx, tips[29]); !errors.Is(err, store.ErrTrimmed) {
		t.Errorf("21 entries behind the head: %v, want ErrTrimmed", err)
	}
}

// TestReadNoticesReplacedEntries has the server lose its last entries, and get others,
// while the journal is read.
func TestReadNoticesReplacedEntries(t *testing.T) {
	server := redistest.Start(t)
	o := at(t, server.URL())
	j := open(t, o)
	var feed storetest.Feed
	var tip store.Tip
	commitMore := func(from, to int, feed *storetest.Feed, branch byte) {
		for i := from; i <= to; i++ {
			tip = commit(t, j, &store.Batch{After: tip, Commit: store.CommitID{branch, byte(i)}, Entries: []store.Entry{feed.Next(true, 1)}})
		}
	}
	const kept, read = 12, 16 // read is the length of the first chunk
	commitMore(1, kept, &feed, 1)
	prefix := "play:{" + o.HostID + "}:"
	lose := server.Save(prefix+"head", prefix+"journal")
	beforeLoss, lost := tip, feed
	commitMore(kept+1, 2*read, &lost, 1)
	last := store.Position(0)
	for e, err := range j.Read(t.Context(), 0) {
		if err != nil {
			if last != read || !errors.Is(err, store.ErrDiverged) {
				t.Errorf("after entry %d: %v, want ErrDiverged after entry %d", last, err, read)
			}
			return
		}
		if last = e.Position; last == 1 {
			lose()
			tip = beforeLoss
			commitMore(kept+1, 2*read, &feed, 2)
		}
	}
	t.Errorf("the entries of two branches were read as one journal of %d", last)
}

// TestDemoted turns a master into a replica: it is still the server of the last
// commit, but guarantees nothing.
func TestDemoted(t *testing.T) {
	server := redistest.Start(t)
	j := open(t, at(t, server.URL()))
	var feed storetest.Feed
	tip := commit(t, j, batch(&feed, store.Tip{}, 1))
	// Its master does not exist, so it keeps its data.
	server.Do("replicaof", "127.0.0.1", "1")
	if _, err := j.Commit(context.Background(), &store.Batch{After: tip}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a demoted server: %v, want ErrUnavailable", err)
	}
	server.Promote()
	commit(t, j, &store.Batch{After: tip})
}
