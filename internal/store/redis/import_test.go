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
	if err := errors.Join(dead.Entries(ctx, []store.Entry{feed.Next(true, 1)}), dead.Complete(ctx, &store.Content{Base: feed.State()})); err != nil {
		t.Fatal(err)
	}
	if _, err := redis.Open(ctx, o); !errors.Is(err, store.ErrImporting) {
		t.Fatalf("a host where an import is: %v, want ErrImporting", err)
	}
	server.Do("hincrby", "play:{"+o.HostID+"}:import", "at", -60_000)
	next := begin()
	if head, err := next.Source().Head(ctx); err != nil || head != 0 {
		t.Fatalf("the head of the next import: %d, %v; want 0", head, err)
	}
	// The interrupted import continues.
	if err := dead.Records(ctx, []store.Record{{Table: store.Meta, Key: []byte("k"), Value: []byte("v")}}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a replaced import continued: %v", err)
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

// TestImportOverRestart restarts the server, which may have lost parts of the
// import.
func TestImportOverRestart(t *testing.T) {
	ctx := context.Background()
	server := redistest.Start(t, redistest.AOF("always")...)
	i, err := redis.BeginImport(ctx, at(t, server.URL()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = i.Close() }()
	var feed storetest.Feed
	if err := i.Entries(ctx, []store.Entry{feed.Next(true, 1)}); err != nil {
		t.Fatal(err)
	}
	server.Restart()
	worldtest.Eventually(t, "the import reports the restart", func() bool {
		err = i.Entries(ctx, []store.Entry{feed.Next(true, 1)})
		return err == nil || strings.Contains(err.Error(), "during the import")
	})
	if err == nil {
		t.Fatal("an import continued after a restart")
	}
	if err := i.Finish(ctx); err == nil {
		t.Fatal("an import was finished after a restart")
	}
}
