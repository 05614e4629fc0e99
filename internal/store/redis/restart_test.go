//go:build full

package redis_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/test/redistest"
	"github.com/playctl/playctl/test/storetest"
	"github.com/playctl/playctl/test/worldtest"
)

// TestIdleConnections restarts a server while a host has several idle connections:
// the calls after it detect that, and use new ones.
func TestIdleConnections(t *testing.T) {
	ctx := context.Background()
	server := redistest.Start(t, redistest.AOF("always")...)
	j := open(t, at(t, server.URL()))
	var feed storetest.Feed
	tip := commit(t, j, batch(&feed, store.Tip{}, 1))
	const calls = 8
	all := func(what string) {
		t.Helper()
		var work sync.WaitGroup
		errs := make([]error, calls)
		for i := range calls {
			work.Go(func() {
				_, head := j.Head(ctx)
				_, err := j.GetAll(ctx, []store.Lookup{{Table: store.Meta, Key: []byte("k")}})
				errs[i] = errors.Join(head, err)
			})
		}
		work.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	// New connections are opened while all others are in use.
	server.Do("client", "pause", 100, "all")
	all("before the restart")
	server.Restart()
	commit(t, j, batch(&feed, tip, 2))
	all("after the restart")
}

// TestConnectionCutDuringRead cuts the connection during a read, as a stopping server does:
// the read is repeated, a commit is not.
func TestConnectionCutDuringRead(t *testing.T) {
	ctx := context.Background()
	server := redistest.Start(t)
	proxy := server.Before(t)
	j := open(t, at(t, "redis://"+proxy.Addr))
	var feed storetest.Feed
	tip := commit(t, j, batch(&feed, store.Tip{}, 1))
	for name, read := range map[string]func() error{
		"Head":         func() error { _, err := j.Head(ctx); return err },
		"Get":          func() error { _, err := j.Get(ctx, store.Meta, []byte("k")); return err },
		"EntriesAfter": func() error { _, err := j.EntriesAfter(ctx, tip); return err },
		"Seek":         func() error { _, err := j.Seek(ctx, 0); return err },
		"Load":         func() error { _, err := j.Load(ctx); return err },
		"Expired":      func() error { _, err := j.Expired(ctx, store.Leases, 1); return err },
	} {
		proxy.LoseNext()
		if err := read(); err != nil {
			t.Errorf("%s over a cut connection: %v", name, err)
		}
	}
	proxy.LoseNext()
	if _, err := j.Commit(ctx, batch(&feed, tip, 2)); !errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrConflict) {
		t.Errorf("Commit over a cut connection: %v, want ErrUnavailable alone", err)
	}
}

// TestPromotedAndRestarted uses a replica that syncs every write, lost the last
// commits, is promoted and restarts before a host connects: it looks like a server
// that always was the master, and is detected if it has followed a commit or a call
// of Expired.
func TestPromotedAndRestarted(t *testing.T) {
	for name, follow := range map[string]func(*redis.Journal, *storetest.Feed, store.Tip) store.Tip{
		"a commit": func(j *redis.Journal, feed *storetest.Feed, first store.Tip) store.Tip {
			return commit(t, j, batch(feed, first, 2))
		},
		"a call of Expired": func(j *redis.Journal, _ *storetest.Feed, first store.Tip) store.Tip {
			if _, err := j.Expired(context.Background(), store.Leases, 1); err != nil {
				t.Fatal(err)
			}
			return first
		},
	} {
		t.Run(name, func(t *testing.T) { promotedAndRestarted(t, follow) })
	}
}

func promotedAndRestarted(t *testing.T, follow func(*redis.Journal, *storetest.Feed, store.Tip) store.Tip) {
	ctx := context.Background()
	master := redistest.Start(t, redistest.AOF("always")...)
	o := at(t, master.URL())
	j := open(t, o)
	var feed storetest.Feed
	first := commit(t, j, batch(&feed, store.Tip{}, 1))
	replica := master.Replica(t, redistest.AOF("always")...)
	second := follow(j, &feed, first)
	// A replica rewrites its log after it copied its master's data; until then a
	// crash leaves the log empty.
	head := "play:{" + o.HostID + "}:head"
	worldtest.Eventually(t, "the replica's log has the change", func() bool {
		log := fmt.Sprint(replica.Do("info", "persistence"))
		return replica.Do("hget", head, "local") == master.Do("hget", head, "local") &&
			replica.Do("hget", head, "position") == fmt.Sprint(second.Position) &&
			strings.Contains(log, "aof_rewrite_in_progress:0") && strings.Contains(log, "aof_rewrite_scheduled:0")
	})
	replica.Promote()
	commit(t, j, batch(&feed, second, 3))
	replica.Restart()
	o.Address.Hosts = []string{replica.Addr}
	moved := open(t, o)
	if _, err := moved.EntriesAfter(ctx, second); !errors.Is(err, store.ErrRestarted) {
		t.Errorf("EntriesAfter at the tip of a replica that lost the tail: %v, want ErrRestarted", err)
	}
	next := batch(&storetest.Feed{}, second, 4)
	next.Entries[0].Position, next.Entries[0].Rev, next.Entries[0].Seq = second.Position+1, 1<<20, 1<<20
	_, err := moved.Commit(ctx, next)
	if next.Resumed = storetest.RunOf(err); next.Resumed == "" {
		t.Errorf("Commit at the tip of a replica that lost the tail: %v, want ErrRestarted", err)
	}
	tip := commit(t, moved, next)
	// From here on it is a server like any other.
	replica.Restart()
	awaitServer(t, moved)
	if _, err := moved.EntriesAfter(ctx, tip); err != nil {
		t.Errorf("EntriesAfter after a restart that lost nothing: %v", err)
	}
	master.Kill()
}

// TestEveryHostConfirmsRestart restarts a server that syncs every write twice, while two
// hosts commit in turn: nothing is lost, so no loss is reported.
func TestEveryHostConfirmsRestart(t *testing.T) {
	server := redistest.Start(t, redistest.AOF("always")...)
	o := at(t, server.URL())
	a, b := open(t, o), open(t, o)
	var feed storetest.Feed
	var tip store.Tip
	id := byte(0)
	turn := func(hosts ...*redis.Journal) {
		t.Helper()
		for _, j := range hosts {
			id++
			tip = commit(t, j, batch(&feed, tip, id))
		}
	}
	turn(a, b)
	for range 2 {
		server.Restart()
		awaitServer(t, a)
		turn(a, b)
	}
	server.Restart()
	awaitServer(t, b)
	turn(b, a)
}

// TestLogEndsWithinCommit cuts the log of a killed server within its last commit, in turn
// at each of its commands but the last. A Redis server that does not repair such a log keeps the
// commands before, and executes them together with the next transaction at its second
// start: no entry among them may replace the one that was committed in between.
func TestLogEndsWithinCommit(t *testing.T) {
	for command := 1; ; command++ {
		server := redistest.Start(t, redistest.AOF("always")...)
		o := at(t, server.URL())
		j := open(t, o)
		var feed storetest.Feed
		first := commit(t, j, batch(&feed, store.Tip{}, 1))
		complete := len(logged(t, server))
		lost := feed
		next := batch(&lost, first, 2)
		next.Entries[0].Records = []store.Record{{Table: store.Meta, Key: []byte("k"), Value: []byte("v")}}
		commit(t, j, next)
		commands := bytes.SplitAfter(logged(t, server)[complete:], []byte("\r\n*"))
		if command == len(commands)-1 {
			if command < 4 {
				t.Fatalf("the log has %d commands of the commit, too few to have an entry and a record", command)
			}
			return
		}
		server.Kill()
		cut := complete + len(bytes.Join(commands[:command], nil))
		if err := os.Truncate(server.Log(), int64(cut)); err != nil {
			t.Fatal(err)
		}
		server.Restart()
		second := commit(t, open(t, o), batch(&feed, first, 3))
		server.Restart()
		var last store.Entry
		for e, err := range open(t, o).Read(t.Context(), first.Position) {
			if err != nil {
				t.Fatal(err)
			}
			last = e
		}
		if tip := (store.Tip{Position: last.Position, Commit: last.Commit}); tip != second {
			t.Errorf("after a cut at command %d the journal ends with %v, want %v", command, tip, second)
		}
	}
}

// logged returns the content of a server's log.
func logged(t *testing.T, server *redistest.Server) []byte {
	t.Helper()
	content, err := os.ReadFile(server.Log())
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestRestart(t *testing.T) {
	for fsync, want := range map[string]error{"everysec": store.ErrRestarted, "always": nil} {
		t.Run(fsync, func(t *testing.T) { restart(t, fsync, want) })
	}
}

// restart kills the server and starts it with its data: unless it syncs every
// write, it accepts no commits until the host confirms that it knows of the
// restart.
func restart(t *testing.T, fsync string, want error) {
	ctx := context.Background()
	server := redistest.Start(t, redistest.AOF(fsync)...)
	o := at(t, server.URL())
	j, behind := open(t, o), open(t, o)
	var feed storetest.Feed
	first := commit(t, j, batch(&feed, store.Tip{}, 1))
	tip := commit(t, j, batch(&feed, first, 2))
	server.Logged()
	server.Restart()
	awaitServer(t, j)
	awaitServer(t, behind)
	if missed, err := behind.EntriesAfter(ctx, first); err != nil || len(missed) != 1 {
		t.Fatalf("catching up after a restart: %d entries, %v", len(missed), err)
	}
	if _, err := j.EntriesAfter(ctx, tip); !errors.Is(err, want) {
		t.Fatalf("EntriesAfter at the end after a restart: %v, want %v", err, want)
	}
	next := batch(&feed, tip, 3)
	_, err := j.Commit(ctx, next)
	if !errors.Is(err, want) {
		t.Fatalf("Commit after a restart: %v, want %v", err, want)
	}
	if want == nil {
		return
	}
	next.Resumed = storetest.RunOf(err)
	// A host that knows of this restart does not know of the next one.
	server.Restart()
	awaitServer(t, j)
	_, err = j.Commit(ctx, next)
	if again := storetest.RunOf(err); again == "" || again == next.Resumed {
		t.Fatalf("Commit after another restart: %v", err)
	}
	next.Resumed = storetest.RunOf(err)
	tip = commit(t, j, next)
	// That confirms the restart for every host.
	commit(t, behind, batch(&feed, tip, 4))
}

// TestFailover promotes a replica that lost the last commits.
func TestFailover(t *testing.T) {
	ctx := context.Background()
	master := redistest.Start(t)
	o := at(t, master.URL())
	j := open(t, o)
	var feed storetest.Feed
	first := commit(t, j, batch(&feed, store.Tip{}, 1))
	replica := master.Replica(t)
	o.Address.Hosts = []string{replica.Addr}
	moved := open(t, withoutRootKey(o))
	if _, err := moved.Commit(ctx, batch(&storetest.Feed{}, store.Tip{}, 9)); err == nil {
		t.Fatal("a replica accepted a commit")
	}
	if _, err := moved.Commit(ctx, &store.Batch{After: first}); !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("a replica confirmed its tip: %v, want ErrUnavailable", err)
	}
	replica.Do("replicaof", "no", "one")
	tip := commit(t, j, batch(&feed, first, 2))
	if _, err := moved.EntriesAfter(ctx, tip); !errors.Is(err, store.ErrDiverged) {
		t.Errorf("a tip that the replica lost: %v, want ErrDiverged", err)
	}
	_, err := moved.EntriesAfter(ctx, first)
	if !errors.Is(err, store.ErrRestarted) {
		t.Errorf("a tip that the replica has: %v, want ErrRestarted", err)
	}
	other := batch(&storetest.Feed{}, first, 3)
	other.Entries[0].Position, other.Entries[0].Rev, other.Entries[0].Seq = 2, 1<<20, 1<<20
	other.Resumed = storetest.RunOf(err)
	other.Commit = store.CommitID{3}
	commit(t, moved, other)
	if _, err := moved.EntriesAfter(ctx, tip); !errors.Is(err, store.ErrDiverged) {
		t.Errorf("a tip of the lost branch: %v, want ErrDiverged", err)
	}
}
