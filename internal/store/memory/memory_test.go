package memory_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/test/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestContract(t *testing.T) {
	storetest.Run(t, storetest.Backend{
		New: func(_ *testing.T, retention store.Retention) storetest.Opener {
			return func() store.Journal { return memory.Open(retention) }
		},
	})
}
