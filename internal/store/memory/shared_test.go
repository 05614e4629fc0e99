package memory_test

import (
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/test/storetest"
)

func TestServerContract(t *testing.T) {
	storetest.Run(t, storetest.Backend{
		Hosts: true,
		New: func(_ *testing.T, retention store.Retention) storetest.Opener {
			server := memory.NewServer(retention, time.Now)
			return func() store.Journal { return server.Host() }
		},
	})
}
