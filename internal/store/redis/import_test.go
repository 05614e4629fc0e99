package redis_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/test/redistest"
	"github.com/playctl/playctl/test/storetest"
	"github.com/playctl/playctl/test/worldtest"
)

func TestImportContract(t *testing.T) {
	server := redistest.Start(t)
	storetest.RunImport(t, storetest.ImportBackend{
		New: func(t *testing.T, retention store.Retention) (func() (store.Import, error), func() (store.Journal, error)) {
			o := at(t, server.URL())
			o.Retention = retention
			begin := func() (store.Import, error) { return redis.BeginImport(context.Background(), o) }
			return begin, func() (store.Journal, error) { return redis.Open(context.Background(), withoutRootKey(o)) }
		},
	})
}

// TestImportInterrupted leaves an import as a killed process does: no host creates
// a world there, and a minute later another import replaces it.
func TestImportInterrupted(t *testing.T) {
	ctx := context.Background()
	server := redistest.Start(t)
	o := at(t, server.URL())
	begin := func() *redis.Import {
		t.Helper()
		i, err := redis.BeginImport(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = i.Close() })
		return i
	}
	var feed storetest.Feed
	dead := begin()
	if err := storetest.Append(ctx, dead, 0, feed.Next(true, 1)); err != nil {
		t.Fatal(err)
	}
	if _, err := redis.Open(ctx, o); !errors.Is(err, store.ErrImporting) {
		t.Fatalf("a host where an import is: %v, want ErrImporting", err)
	}
	server.Do("hincrby", "play:{"+o.HostID+"}:import", "at", -60_000)
	next := begin()
	if head, err := next.Head(ctx); err != nil || head != 0 {
		t.Fatalf("the head of the next import: %d, %v; want 0", head, err)
	}
	// The interrupted import continues, and so does one that had no commit yet.
	tip := store.Tip{Position: 1, Commit: store.CommitID{1}}
	for _, tip := range []store.Tip{tip, {}} {
		if _, err := dead.Commit(ctx, storetest.NewBatch(tip, feed.Next(true, 1))); err == nil {
			t.Errorf("a replaced import continued after %+v", tip)
		}
	}
	if err := dead.Finish(ctx); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a replaced import was finished: %v", err)
	}
	_ = dead.Close()
	if err := next.Close(); err != nil {
		t.Fatal(err)
	}
	if keys, _ := server.Do("keys", "play:{"+o.HostID+"}:*").([]any); len(keys) > 0 {
		t.Errorf("abandoned imports left %v", keys)
	}
}

// TestImportOverRestart restarts the server: an import continues if the server syncs every
// write, and otherwise ends, because parts of it may be lost.
func TestImportOverRestart(t *testing.T) {
	ctx := context.Background()
	for policy, lossless := range map[string]bool{"always": true, "everysec": false} {
		server := redistest.Start(t, redistest.AOF(policy)...)
		o := at(t, server.URL())
		i, err := redis.BeginImport(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = i.Close() }()
		var feed storetest.Feed
		if err := storetest.Append(ctx, i, 0, feed.Next(true, 1)); err != nil {
			t.Fatal(err)
		}
		server.Logged()
		server.Restart()
		next := feed.Next(true, 1)
		worldtest.Eventually(t, "the import reports the restart, or continues", func() bool {
			err = storetest.Append(ctx, i, 1, next)
			return err == nil || strings.Contains(err.Error(), "during the import")
		})
		finished := i.Finish(ctx)
		if (err == nil) != lossless || (finished == nil) != lossless {
			t.Errorf("%s: after the restart the import continues with %v and ends with %v", policy, err, finished)
		}
		if lossless {
			if head, err := open(t, o).Head(ctx); err != nil || head != 2 {
				t.Errorf("%s: the head is %d, %v; want 2", policy, head, err)
			}
		}
	}
}
