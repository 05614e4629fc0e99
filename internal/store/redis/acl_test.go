package redis_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/test/redistest"
	"github.com/playctl/playctl/test/storetest"
)

const aclUser, aclPassword = "host", "a-password-of-a-test"

// user returns a server's argument that creates a user with the permissions of the
// rules.
func user(rules []string) []string {
	return append([]string{"--user", aclUser, "on", ">" + aclPassword}, rules...)
}

// restricted returns the options of a new world for that user.
func restricted(t testing.TB, url string, retention store.Retention) redis.Options {
	o := at(t, url)
	o.Username, o.Password, o.Retention = aclUser, aclPassword, retention
	o.Retention.Tail = 1
	o.Publish = func(*store.Entry) []store.Message {
		return []store.Message{
			{Channel: "play:" + o.HostID + ":world:events", Payload: []byte("{}")},
			{Channel: "agent-play:" + o.HostID + ":world:events", Payload: []byte("{}")},
		}
	}
	return o
}

// TestRules runs the contracts as a user with the permissions of Rules: they are
// sufficient, and none is superfluous.
func TestRules(t *testing.T) {
	ctx := context.Background()
	rules := redis.Rules("world*", false)
	server := redistest.Start(t, append(redistest.AOF("no"), user(rules)...)...)
	opened := func(t *testing.T, o redis.Options) *redis.Journal {
		j, err := redis.Open(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	t.Run("Contract", func(t *testing.T) {
		storetest.Run(t, storetest.Backend{Durable: true, Hosts: true, New: func(t *testing.T, retention store.Retention) storetest.Opener {
			o := restricted(t, server.URL(), retention)
			return func() store.Journal { return opened(t, o) }
		}})
	})
	t.Run("Import", func(t *testing.T) {
		storetest.RunImport(t, storetest.ImportBackend{
			New: func(t *testing.T, retention store.Retention) (func() (store.Import, error), func() (store.Journal, error)) {
				o := restricted(t, server.URL(), retention)
				begin := func() (store.Import, error) { return redis.BeginImport(ctx, o) }
				return begin, func() (store.Journal, error) { return redis.Open(ctx, withoutRootKey(o)) }
			},
		})
	})
	// A server that syncs every write needs more commands when it restarts.
	server.Do("config", "set", "appendfsync", "always")
	j := open(t, restricted(t, server.URL(), store.DefaultRetention()))
	var feed storetest.Feed
	tip := commit(t, j, batch(&feed, store.Tip{}, 1))
	if _, err := j.Hosts(ctx); err != nil {
		t.Error(err)
	}
	if taken, err := j.Snapshot(ctx); err != nil {
		t.Error(err)
	} else if err := taken.Close(); err != nil {
		t.Error(err)
	}
	called := fmt.Sprint(server.Do("info", "commandstats"))
	server.Restart()
	server.Do("config", "set", "appendfsync", "always")
	awaitServer(t, j)
	if _, err := j.EntriesAfter(ctx, tip); err != nil {
		t.Errorf("EntriesAfter after a restart that lost nothing: %v", err)
	}
	checkRulesAreNeeded(t, called+fmt.Sprint(server.Do("info", "commandstats")), rules)

	o := restricted(t, server.URL(), store.DefaultRetention())
	o.HostID = "another world"
	if _, err := redis.Open(ctx, o); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "may not run a command, or not reach a key") {
		t.Errorf("another world's keys: %v, want ErrUnavailable with the reason", err)
	}
}

// checkRulesAreNeeded fails for allowed commands that were never called.
func checkRulesAreNeeded(t *testing.T, called string, rules []string) {
	t.Helper()
	for _, rule := range rules {
		if command, is := strings.CutPrefix(rule, "+"); is && !strings.Contains(called, "cmdstat_"+command+":") {
			t.Errorf("%s is allowed but never called", command)
		}
	}
}
