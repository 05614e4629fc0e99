package redis_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/test/redistest"
	"github.com/playctl/playctl/test/storetest"
	"github.com/playctl/playctl/test/worldtest"
)

// TestForeignKeys opens worlds of which another program uses one of the keys: they
// are refused before anything is written, and no commit is written partly.
func TestForeignKeys(t *testing.T) {
	server := redistest.Start(t)
	for _, name := range []string{"head", "journal", "local", "asked", "hosts", "checkpoints", "table:nodes", "order:leases", "deadlines:leases", "terms:intercom"} {
		o := at(t, server.URL())
		key := "play:{" + o.HostID + "}:" + name
		server.Do("lpush", key, "another program's")
		_, err := redis.Open(context.Background(), o)
		if !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), key) {
			t.Errorf("a list at %s: %v, want ErrCorrupt with its name", name, err)
		}
		server.Do("del", key)
		if n := server.Do("exists", "play:{"+o.HostID+"}:head"); n != int64(0) {
			t.Errorf("a list at %s: the world was created", name)
		}
		open(t, o)
	}
}

// TestDenied denies commands to the user, one at a time: a commit is refused before
// it writes anything, and a host does not start.
func TestDenied(t *testing.T) {
	ctx := context.Background()
	rules := redis.Rules("world*", false)
	server := redistest.Start(t, user(rules)...)
	o := restricted(t, server.URL(), store.DefaultRetention())
	j := open(t, o)
	var feed storetest.Feed
	tip := commit(t, j, batch(&feed, store.Tip{}, 1))
	next := batch(&feed, tip, 2)
	for _, revoked := range []struct{ rule, back string }{
		{"-hset", "+hset"},
		{"-hdel", "+hdel"},
		{"-hexists", "+hexists"},
		{"-get", "+get"},
		{"-set", "+set"},
		{"-exists", "+exists"},
		{"-del", "+del"},
		{"-xadd", "+xadd"},
		{"-zadd", "+zadd"},
		{"-zrem", "+zrem"},
		{"resetchannels", "&play:world*:world:events"},
	} {
		server.Do("acl", "setuser", aclUser, revoked.rule)
		_, err := j.Commit(ctx, next)
		if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "NOPERM") {
			t.Errorf("%s: %v, want ErrUnavailable with NOPERM", revoked.rule, err)
		}
		if revoked.rule != "resetchannels" && revoked.rule != "-exists" {
			if _, err := redis.Open(ctx, o); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "NOPERM") {
				t.Errorf("%s: a host starts: %v", revoked.rule, err)
			}
		}
		server.Do("acl", "setuser", aclUser, revoked.back)
		if missed, err := j.EntriesAfter(ctx, tip); err != nil || len(missed) > 0 {
			t.Fatalf("%s: a refused commit left %d entries, %v", revoked.rule, len(missed), err)
		}
	}
	server.Do("acl", "setuser", aclUser, "-xadd", "&agent-play:world*:world:events")
	reader := o
	reader.ReadOnly = true
	open(t, reader)
	server.Do("acl", "setuser", aclUser, "+xadd")
	commit(t, j, next)
}

// TestCheckpointDenied denies the user a command that storing a checkpoint needs:
// the world keeps the previous one.
func TestCheckpointDenied(t *testing.T) {
	ctx := context.Background()
	server := redistest.Start(t, user(redis.Rules("world*", false))...)
	j := open(t, restricted(t, server.URL(), store.DefaultRetention()))
	var feed storetest.Feed
	tip := commit(t, j, batch(&feed, store.Tip{}, 1))
	for _, rule := range []string{"-rename", "-persist"} {
		server.Do("acl", "setuser", aclUser, rule)
		if _, err := j.Checkpoint(ctx, store.State{Position: tip.Position, Commit: tip.Commit, Rev: 1, Seq: 1}); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s: %v, want ErrUnavailable", rule, err)
		}
		if state, err := j.Load(ctx); err != nil || state.Position != 0 {
			t.Errorf("%s: the world starts with a checkpoint of %d, %v", rule, state.Position, err)
		}
	}
}

// TestTooManyClients uses a server that has reached its limit of clients.
func TestTooManyClients(t *testing.T) {
	ctx := context.Background()
	const most = 4
	server := redistest.Start(t, "--maxclients", "4")
	o := at(t, server.URL())
	var others []*goredis.Client
	for range most {
		other := goredis.NewClient(&goredis.Options{Addr: server.Addr, DisableIdentity: true, MaxRetries: -1})
		defer func() { _ = other.Close() }()
		others = append(others, other)
	}
	worldtest.Eventually(t, "the server has its maximum of clients", func() bool {
		for _, other := range others {
			if other.Ping(ctx).Err() != nil {
				return false
			}
		}
		return true
	})
	// The connection can be closed before the server's message arrives.
	worldtest.Eventually(t, "an error that names maxclients", func() bool {
		_, err := redis.Open(ctx, o)
		if !errors.Is(err, store.ErrUnavailable) {
			t.Fatalf("with too many clients: %v, want ErrUnavailable", err)
		}
		return strings.Contains(err.Error(), "maxclients")
	})
	_ = others[0].Close()
	worldtest.Eventually(t, "a free connection", func() bool {
		j, err := redis.Open(ctx, o)
		return err == nil && j.Close() == nil
	})
}

// TestFlushedScripts uses a server that loses its scripts between two commits.
func TestFlushedScripts(t *testing.T) {
	server := redistest.Start(t)
	j := open(t, at(t, server.URL()))
	var feed storetest.Feed
	tip := commit(t, j, batch(&feed, store.Tip{}, 1))
	server.Do("script", "flush")
	commit(t, j, batch(&feed, tip, 2))
}

// TestWithoutHello uses a server without the HELLO command of the newer protocol.
func TestWithoutHello(t *testing.T) {
	j := open(t, at(t, redistest.Start(t, "--rename-command", "HELLO", "").URL()))
	var feed storetest.Feed
	commit(t, j, batch(&feed, store.Tip{}, 1))
}
