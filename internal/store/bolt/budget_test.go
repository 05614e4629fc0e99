package bolt_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/bolt"
	"github.com/playctl/playctl/test/storetest"
)

// TestTheFileStaysNearItsBudget writes many times what the journal may take: what is
// trimmed is used again.
func TestTheFileStaysNearItsBudget(t *testing.T) {
	const limit, size = 4 << 20, 100 << 10
	o := bolt.Options{
		Path: filepath.Join(t.TempDir(), "world.db"), RootKey: rootKey,
		Retention: store.Retention{Events: 10_000, Revs: 1_024, Bytes: limit},
	}
	j := open(t, o)
	defer shut(t, j)
	var feed storetest.Feed
	for written := 0; written < 20*limit; {
		var batch []store.Entry
		for range limit / 8 / size {
			e := feed.Next(true, 1)
			e.Rows = []store.Row{{Key: "agent:main:1", JSON: []byte(`"` + strings.Repeat("x", size) + `"`)}}
			batch = append(batch, e)
			written += size
		}
		appendTo(t, j, batch...)
		if _, err := j.Checkpoint(context.Background(), feed.State()); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(o.Path)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the file has %d bytes", info.Size())
	if info.Size() > 3*limit {
		t.Errorf("after %d bytes of entries the file has %d, and the journal may take %d", 20*limit, info.Size(), limit)
	}
}
