package redis_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/test/redistest"
	"github.com/playctl/playctl/test/storetest"
	"github.com/playctl/playctl/test/worldtest"
)

func TestOpenRefuses(t *testing.T) {
	server := redistest.Start(t)
	o := at(t, server.URL())
	if _, err := redis.Open(context.Background(), withoutRootKey(o)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no world and no root key: %v, want fs.ErrNotExist", err)
	}
	open(t, o)
	if j := open(t, withoutRootKey(o)); j.RootKey() != storetest.RootKey {
		t.Errorf("the root key is %q", j.RootKey())
	}
	other := o
	other.RootKey = "another root key"
	if _, err := redis.Open(context.Background(), other); !errors.Is(err, store.ErrRootKey) {
		t.Errorf("another root key: %v, want ErrRootKey", err)
	}
	for format, todo := range map[string]string{"3": "the playctl that wrote it", "5": "a newer playctl"} {
		server.Do("hset", "play:{"+o.HostID+"}:head", "format", format)
		server.Do("set", "play:{"+o.HostID+"}:table:nodes", "of another type")
		want := "has format " + format + ", and this playctl reads format 4 only; use " + todo
		if _, err := redis.Open(context.Background(), o); !errors.Is(err, store.ErrFormat) || errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), want) {
			t.Errorf("format %s: %v, want %q", format, err, want)
		}
	}
	server.Do("config", "set", "maxmemory-policy", "allkeys-lru")
	for _, limit := range []string{"0", "1gb"} {
		server.Do("config", "set", "maxmemory", limit)
		_, err := redis.Open(context.Background(), at(t, server.URL()))
		if err == nil || redis.Passing(err) || !strings.Contains(err.Error(), "noeviction") {
			t.Errorf("a server that evicts, with maxmemory %s: %v, want the required setting", limit, err)
		}
	}
}

// A server that lost its world under running hosts gets no new one: the hosts wait
// for the data of the old one.
func TestOpenCreatesNoWorldBesideRunningHosts(t *testing.T) {
	server := redistest.Start(t)
	o := at(t, server.URL())
	j := open(t, o)
	listening, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for _, err := range j.Listen(listening) {
			if listening.Err() == nil {
				t.Errorf("listening: %v", err)
			}
		}
	}()
	hosts := func(want int) func() bool {
		return func() bool { n, err := j.Hosts(t.Context()); return err == nil && n == want }
	}
	worldtest.Eventually(t, "the host listens", hosts(1))
	open(t, o)
	server.Do("flushall")
	if _, err := redis.Open(context.Background(), o); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "bring its data back") {
		t.Errorf("while a host runs: %v, want ErrUnavailable", err)
	}
	stop()
	<-ended
	worldtest.Eventually(t, "no host listens", hosts(0))
	open(t, o)
}

func TestPassword(t *testing.T) {
	const password = "p4ssw0rd-of-a-test"
	server := redistest.Start(t, "--requirepass", password)
	o := at(t, server.URL())
	for name, given := range map[string]string{"none": "", "wrong": "wrong-" + password} {
		o.Password = given
		_, err := redis.Open(context.Background(), o)
		if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), server.Addr) {
			t.Errorf("%s: %v, want ErrUnavailable with the address", name, err)
		} else if strings.Contains(err.Error(), password) {
			t.Errorf("%s: the error names the password", name)
		}
	}
	o.Password = password
	open(t, o)
}

func TestUnixSocket(t *testing.T) {
	j := open(t, at(t, "redis+unix://"+redistest.Start(t).Socket))
	var feed storetest.Feed
	commit(t, j, batch(&feed, store.Tip{}, 1))
}

func TestParseAddress(t *testing.T) {
	for text, want := range map[string]string{
		"redis://h":                         "redis://h:6379/0",
		"rediss://u:secret@h:7000/3":        "rediss://h:7000/3",
		"redis+unix:///run/redis.sock?db=2": "redis+unix:///run/redis.sock",
		"redis+sentinel://a,b:1/town":       "redis+sentinel://a:26379,b:1/town",
		"rediss+cluster://a:1,b:2":          "rediss+cluster://a:1,b:2",
		"redis://[::1]:6380":                "redis://[::1]:6380/0",
	} {
		got, err := redis.ParseAddress(text)
		if err != nil || got.String() != want {
			t.Errorf("%s: %v, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "h:6379", "http://h", "redis://", "redis://a,b", "redis://h/x", "redis+sentinel://h", "redis+cluster://h/1",
		"redis+beast://h", "rediss+unix:///s", "redis://u:secret@h:99999", "redis://h:0", "redis:h", "redis://secret:%zz@h",
	} {
		_, err := redis.ParseAddress(text)
		if !errors.Is(err, redis.ErrAddress) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v, want ErrAddress without the secret", text, err)
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, text := range []string{"redis://u:p@h:1/2", "redis+sentinel://a,b/m?db=1", "rediss+cluster://[::1]:7,b", "redis+unix:///s"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := redis.ParseAddress(text)
		if err != nil {
			return
		}
		if len(a.Hosts) == 0 || a.DB < 0 {
			t.Fatalf("%q became %+v", text, a)
		}
	})
}
