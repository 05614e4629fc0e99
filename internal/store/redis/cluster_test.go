//go:build full

package redis_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/test/redistest"
	"github.com/playctl/playctl/test/storetest"
	"github.com/playctl/playctl/test/worldtest"
)

func TestCluster(t *testing.T) {
	t.Parallel() // A Cluster takes two seconds to begin.
	server := redistest.Start(t, "--cluster-enabled", "yes")
	server.Do("cluster", "addslotsrange", 0, 16383)
	server.UntilCluster()
	j := open(t, at(t, "redis+cluster://"+server.Addr))
	var feed storetest.Feed
	tip := commit(t, j, batch(&feed, store.Tip{}, 1))
	for entries, err := range j.Follow(t.Context(), store.Tip{}) {
		if err != nil || entries[0].Commit != tip.Commit {
			t.Fatalf("Follow: %v, %v", entries, err)
		}
		break
	}
	if err := storetest.Checkpoint(t.Context(), j, feed.State()); err != nil {
		t.Fatal(err)
	}
}

// TestClusterMovesSlot moves the world's slot between nodes, key by key, while a
// host commits: a commit is complete or refused, whichever keys have moved, and one
// whose outcome is unknown is either found or not.
func TestClusterMovesSlot(t *testing.T) {
	nodes := redistest.Cluster(t, 3)
	o := at(t, "redis+cluster://"+nodes[0].Addr+","+nodes[1].Addr)
	j := open(t, o)
	w := &writing{journal: j, records: map[string]bool{}}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- w.run(ctx) }()
	until := func(what string, reached func() bool) {
		t.Helper()
		worldtest.Eventually(t, what, func() bool {
			select {
			case err := <-ended:
				t.Fatalf("waiting for %s: the writer ended: %v", what, err)
			default:
			}
			return reached()
		})
	}
	step := func() {
		// An attempt begins and ends between two keys.
		before := w.attempts.Load()
		until("an attempt to commit", func() bool { return w.attempts.Load() > before+1 })
	}
	done := func(n int64) {
		t.Helper()
		before := w.acknowledged.Load()
		until("commits after the move", func() bool { return w.acknowledged.Load() > before+n })
	}
	done(20)
	for _, to := range nodes {
		w.limited.Store(true)
		step() // A call without a time limit would wait for the end of the move.
		redistest.Move(nodes, "play:{"+o.HostID+"}:head", to, step)
		w.limited.Store(false)
		done(5)
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	w.check(t)
	if w.moved.Load() < 2 {
		t.Errorf("the host detected %d moves to another server, want at least 2", w.moved.Load())
	}
}

// writing commits one entry after another, each with a record of its own and one
// that all commits write.
type writing struct {
	journal                *redis.Journal
	attempts, acknowledged atomic.Int64
	moved                  atomic.Int64
	// limited limits attempts to attemptTerm.
	limited atomic.Bool
	records map[string]bool
	tip     store.Tip
}

func (w *writing) run(ctx context.Context) error {
	for n := 1; ctx.Err() == nil; n++ {
		key := fmt.Sprint("key ", n)
		e := store.Entry{Position: w.tip.Position + 1, Seq: uint64(w.tip.Position) + 1, Events: []store.Event{{Kind: "k", Data: []byte("{}")}}}
		e.Records = []store.Record{
			{Table: store.Journeys, Key: []byte(key), Value: []byte("v")},
			{Table: store.Leases, Key: []byte("all"), Value: []byte(key), Term: time.Hour},
		}
		id := store.CommitID{1, byte(n), byte(n >> 8), byte(n >> 16)}
		b := &store.Batch{After: w.tip, Commit: id, Entries: []store.Entry{e}}
		tip, err := w.commit(ctx, b)
		if errors.Is(err, store.ErrRestarted) {
			// Another server has the world: whether it lost commits is unknown.
			w.moved.Add(1)
			b.Resumed = storetest.RunOf(err)
			tip, err = w.commit(ctx, b)
		}
		if unanswered(err) || errors.Is(err, store.ErrConflict) {
			tip, err = w.find(ctx, id)
		}
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("commit %d: %w", n, err)
		}
		if err == nil && tip != w.tip {
			w.tip, w.records[key] = tip, true
			w.acknowledged.Add(1)
		}
	}
	return nil
}

// attemptTerm limits each call while the slot moves, when no call succeeds. At
// other times a call has all the time that a busy machine needs.
const attemptTerm = 40 * time.Millisecond

// bounded returns the context of one attempt.
func (w *writing) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if w.limited.Load() {
		return context.WithTimeout(ctx, attemptTerm)
	}
	return context.WithCancel(ctx)
}

func (w *writing) commit(ctx context.Context, b *store.Batch) (store.Tip, error) {
	defer w.attempts.Add(1)
	ctx, cancel := w.bounded(ctx)
	defer cancel()
	return w.journal.Commit(ctx, b)
}

func (w *writing) missed(ctx context.Context) ([]store.Entry, error) {
	defer w.attempts.Add(1)
	ctx, cancel := w.bounded(ctx)
	defer cancel()
	return w.journal.EntriesAfter(ctx, w.tip)
}

// unanswered reports whether an error leaves the outcome unknown: the store is
// unavailable, or the time of the attempt was over before the call to the store.
func unanswered(err error) bool {
	return errors.Is(err, store.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded)
}

// find repeats the look-up until the store reports whether a commit is stored.
func (w *writing) find(ctx context.Context, id store.CommitID) (store.Tip, error) {
	for {
		missed, err := w.missed(ctx)
		switch {
		case ctx.Err() != nil:
			return store.Tip{}, fmt.Errorf("the test ended: %w", ctx.Err())
		case unanswered(err):
			continue
		case errors.Is(err, store.ErrRestarted):
			// This error is returned at the journal's end.
			return w.tip, nil
		case err != nil:
			return store.Tip{}, err
		case len(missed) == 0:
			return w.tip, nil
		case len(missed) > 1 || missed[0].Commit != id:
			return store.Tip{}, fmt.Errorf("after position %d there are %d foreign entries", w.tip.Position, len(missed))
		}
		return store.Tip{Position: missed[0].Position, Commit: id}, nil
	}
}

// check compares journal and tables with the acknowledged commits.
func (w *writing) check(t *testing.T) {
	t.Helper()
	ctx := context.Background()
	entries := 0
	for e, err := range w.journal.Read(ctx, 0) {
		if err != nil {
			t.Fatal(err)
		}
		entries++
		if e.Position != store.Position(entries) {
			t.Fatalf("entry %d is at position %d", entries, e.Position)
		}
	}
	found, unknown := 0, 0
	for pair, err := range w.journal.Scan(ctx, store.Journeys, store.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		found++
		if !w.records[string(pair.Key)] {
			unknown++
		}
	}
	// The last commit may have been in progress when the test ended.
	if n := len(w.records); entries != n+unknown || found != entries || unknown > 1 {
		t.Errorf("%d entries, %d records, %d of them never acknowledged; acknowledged were %d", entries, found, unknown, n)
	}
}

// TestLostReplyOfCluster loses one reply: the commit must not be sent again,
// because the second attempt would conflict with the first.
func TestLostReplyOfCluster(t *testing.T) {
	t.Parallel() // A Cluster takes two seconds to begin.
	server := redistest.Start(t, "--cluster-enabled", "yes")
	server.Do("cluster", "addslotsrange", 0, 16383)
	server.UntilCluster()
	proxy := server.Before(t)
	_, port, err := net.SplitHostPort(proxy.Addr)
	if err != nil {
		t.Fatal(err)
	}
	server.Do("config", "set", "cluster-announce-port", port)
	j := open(t, at(t, "redis+cluster://"+proxy.Addr))
	var feed storetest.Feed
	tip := commit(t, j, batch(&feed, store.Tip{}, 1))
	proxy.LoseNext()
	_, err = j.Commit(context.Background(), batch(&feed, tip, 2))
	if !errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrConflict) {
		t.Fatalf("a commit whose reply was lost: %v, want ErrUnavailable alone", err)
	}
	missed, err := j.EntriesAfter(context.Background(), tip)
	if err != nil || len(missed) != 1 || missed[0].Commit != (store.CommitID{2}) {
		t.Fatalf("after the connection recovered: %v, %v; want the commit once", missed, err)
	}
}

// TestPublishOnCluster uses channels that are not in the slot of the world's keys.
func TestPublishOnCluster(t *testing.T) {
	t.Parallel() // A Cluster takes two seconds to begin.
	server := redistest.Start(t, "--cluster-enabled", "yes")
	server.Do("cluster", "addslotsrange", 0, 16383)
	server.UntilCluster()
	publish(t, at(t, "redis+cluster://"+server.Addr), server.Addr)
}

// TestRulesOfCluster does the same with a node of a Cluster.
func TestRulesOfCluster(t *testing.T) {
	t.Parallel() // A Cluster takes two seconds to begin.
	server := redistest.Start(t, append([]string{"--cluster-enabled", "yes"}, user(redis.Rules("world*", true))...)...)
	server.Do("cluster", "addslotsrange", 0, 16383)
	server.UntilCluster()
	storetest.Run(t, storetest.Backend{Hosts: true, New: func(t *testing.T, retention store.Retention) storetest.Opener {
		o := restricted(t, "redis+cluster://"+server.Addr, retention)
		return func() store.Journal {
			j, err := redis.Open(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			return j
		}
	}})
	checkRulesAreNeeded(t, fmt.Sprint(server.Do("info", "commandstats")), []string{"+cluster|slots", "+command"})
}
