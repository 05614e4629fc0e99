package memory_test

import (
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/test/storetest"
)

func TestSharedContract(t *testing.T) {
	storetest.RunShared(t, storetest.SharedBackend{
		New: func(_ *testing.T, retention store.Retention) func() store.Shared {
			server := memory.NewServer(retention, time.Now)
			return func() store.Shared { return server.Host() }
		},
	})
}

func TestSharedIsAJournal(t *testing.T) {
	storetest.Run(t, storetest.Backend{
		New: func(_ *testing.T, retention store.Retention) storetest.Opener {
			server := memory.NewServer(retention, time.Now)
			return func() store.Journal { return server.Host() }
		},
	})
}
