package bolt_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/bolt"
	"github.com/playctl/playctl/test/property"
	"github.com/playctl/playctl/test/storetest"
)

func TestMain(m *testing.M) {
	if status, hasRole := runRole(); hasRole {
		os.Exit(status)
	}
	property.Checks(20) // each call costs far more than one in memory
	goleak.VerifyTestMain(m)
}

const rootKey = "5f1a0c6ef6a0a6f3d6c3a4b7d8e9f00112233445566778899aabbccddeeff001"

func TestContract(t *testing.T) {
	storetest.Run(t, storetest.Backend{
		Durable: true,
		New: func(t *testing.T, retention store.Retention) storetest.Opener {
			o := bolt.Options{
				Path: filepath.Join(t.TempDir(), "world.db"), RootKey: rootKey, Retention: retention,
			}
			return func() store.Journal { return open(t, o) }
		},
	})
}

// open opens a store that the test closes.
func open(t *testing.T, o bolt.Options) *bolt.Journal {
	t.Helper()
	j, err := bolt.Open(context.Background(), o)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return j
}
