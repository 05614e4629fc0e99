//go:build full

package redis_test

import (
	"context"
	"errors"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/test/redistest"
	"github.com/playctl/playctl/test/storetest"
	"github.com/playctl/playctl/test/worldtest"
)

func TestSentinel(t *testing.T) {
	master := redistest.Start(t)
	sentinel := redistest.Sentinel(t, "town", master)
	j := open(t, at(t, "redis+sentinel://"+sentinel+"/town"))
	var feed storetest.Feed
	commit(t, j, batch(&feed, store.Tip{}, 1))
}

// TestSentinelFailover kills a master whose replica lacks the last commit. The
// Sentinel promotes the replica; hosts continue without a restart, and each detects
// the loss.
func TestSentinelFailover(t *testing.T) {
	ctx := context.Background()
	master := redistest.Start(t)
	proxy := master.Before(t)
	replica := proxy.Replica(t)
	sentinel := redistest.Sentinel(t, "town", master)
	o := at(t, "redis+sentinel://"+sentinel+"/town")
	j, behind := open(t, o), open(t, o)
	var feed storetest.Feed
	first := commit(t, j, batch(&feed, store.Tip{}, 1))
	o.Address.Master, o.Address.Hosts = "", []string{replica.Addr}
	worldtest.Eventually(t, "the world on the replica", func() bool {
		found, err := redis.Open(ctx, withoutRootKey(o))
		return err == nil && found.Close() == nil
	})
	copied := open(t, withoutRootKey(o))
	worldtest.Eventually(t, "the first commit on the replica", func() bool {
		head, err := copied.Head(ctx)
		return err == nil && head == first.Position
	})
	proxy.Refuse(true)
	replica.Until("master_link_status:down")
	lost := commit(t, j, batch(&feed, first, 2))
	master.Kill()
	if _, err := j.Commit(ctx, batch(&feed, lost, 3)); !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("a commit without a master: %v, want ErrUnavailable", err)
	}

	var err error
	worldtest.Eventually(t, "a reply of the new master", func() bool {
		_, err = j.EntriesAfter(ctx, lost)
		return !errors.Is(err, store.ErrUnavailable)
	})
	if !errors.Is(err, store.ErrDiverged) {
		t.Errorf("a host that has the lost commit: %v, want ErrDiverged", err)
	}
	if _, err := behind.EntriesAfter(ctx, first); !errors.Is(err, store.ErrRestarted) {
		t.Errorf("a host without the lost commit: %v, want ErrRestarted", err)
	}
	next := batch(&storetest.Feed{}, first, 4)
	next.Entries[0].Position, next.Entries[0].Rev, next.Entries[0].Seq = 2, 1<<20, 1<<20
	_, err = behind.Commit(ctx, next)
	if next.Resumed = storetest.RunOf(err); next.Resumed == "" {
		t.Errorf("a commit before the host knows of the restart: %v, want ErrRestarted", err)
	}
	tip := commit(t, behind, next)
	if missed, err := j.EntriesAfter(ctx, first); err != nil || len(missed) != 1 || missed[0].Commit != tip.Commit {
		t.Errorf("the other host after it: %v, %v", missed, err)
	}
	if _, err := j.EntriesAfter(ctx, lost); !errors.Is(err, store.ErrDiverged) {
		t.Errorf("the lost tip: %v, want ErrDiverged", err)
	}
}
