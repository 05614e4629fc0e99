package redis_test

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/test/property"
	"github.com/playctl/playctl/test/redistest"
	"github.com/playctl/playctl/test/storetest"
)

func TestMain(m *testing.M) {
	property.Checks(20) // each call costs far more than one in memory
	goleak.VerifyTestMain(m)
}

// patience is the time limit of a reply: on a busy machine thousands of entries at
// once take longer than a host waits, which is not the subject of those tests.
const patience = 20 * time.Second

// worlds counts the worlds of the tests, so that each has its own.
var worlds atomic.Int64

// at returns the options of a new world on a server.
func at(t testing.TB, url string) redis.Options {
	t.Helper()
	address, err := redis.ParseAddress(url)
	if err != nil {
		t.Fatal(err)
	}
	return redis.Options{
		Address: address, RootKey: storetest.RootKey, Timeout: patience,
		HostID: "world" + strconv.FormatInt(worlds.Add(1), 10),
	}
}

// open opens a handle that is closed with the test.
func open(t testing.TB, o redis.Options) *redis.Journal {
	t.Helper()
	j, err := redis.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return j
}

func TestContract(t *testing.T) {
	server := redistest.Start(t)
	storetest.Run(t, storetest.Backend{
		Durable: true, Hosts: true,
		New: func(t *testing.T, retention store.Retention) storetest.Opener {
			o := at(t, server.URL())
			o.Retention = retention
			o.Retention.Tail = 1
			return func() store.Journal {
				j, err := redis.Open(context.Background(), o)
				if err != nil {
					t.Fatal(err)
				}
				return j
			}
		},
	})
}
