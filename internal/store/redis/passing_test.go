package redis_test

import (
	"context"
	"crypto/tls"
	"testing"

	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/test/redistest"
)

// TestTemporaryErrors distinguishes the errors for which a starting host waits from the
// others.
func TestTemporaryErrors(t *testing.T) {
	server := redistest.Start(t, "--requirepass", "right", "--maxclients", "40")
	gone := redistest.Start(t)
	gone.Kill()
	evicting := redistest.Start(t, "--maxmemory", "1gb", "--maxmemory-policy", "allkeys-lru")
	_, cert, key := certificate(t)
	_, secured := startTLS(t, cert, key)
	master := redistest.Start(t)
	replica := master.Replica(t)
	full := redistest.Start(t, "--maxmemory", "1")
	full.Do("config", "set", "maxmemory-policy", "noeviction")

	with := func(change func(*redis.Options), o redis.Options) redis.Options {
		change(&o)
		return o
	}
	for name, c := range map[string]struct {
		options redis.Options
		want    bool
	}{
		"a closed port":      {at(t, gone.URL()), true},
		"an unknown name":    {at(t, "redis://nobody.invalid"), true},
		"a replica":          {at(t, replica.URL()), true},
		"a full server":      {at(t, full.URL()), true},
		"no password":        {at(t, server.URL()), false},
		"a wrong password":   {with(func(o *redis.Options) { o.Password = "wrong" }, at(t, server.URL())), false},
		"an unknown user":    {with(func(o *redis.Options) { o.Username, o.Password = "who", "right" }, at(t, server.URL())), false},
		"an evicting server": {at(t, evicting.URL()), false},
		"a certificate":      {at(t, "rediss://"+secured), false},
		"another authority":  {with(func(o *redis.Options) { o.TLS = &tls.Config{MinVersion: tls.VersionTLS13} }, at(t, "rediss://"+secured)), false},
	} {
		j, err := redis.Open(context.Background(), c.options)
		if err == nil {
			t.Errorf("%s: the store was opened", name)
			_ = j.Close()
			continue
		}
		if got := redis.Passing(err); got != c.want {
			t.Errorf("%s: temporary: %v, want %v: %v", name, got, c.want, err)
		}
	}
	if redis.Passing(nil) {
		t.Error("Passing(nil) is true")
	}
}
