package redis_test

import (
	"context"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/test/redistest"
	"github.com/playctl/playctl/test/storetest"
)

func TestSharedContract(t *testing.T) {
	server := redistest.Start(t)
	storetest.RunShared(t, storetest.SharedBackend{
		New: func(t *testing.T, retention store.Retention) func() store.Shared {
			o := at(t, server.URL())
			o.Retention = retention
			return func() store.Shared {
				j, err := redis.Open(context.Background(), o)
				if err != nil {
					t.Fatal(err)
				}
				return j
			}
		},
	})
}
