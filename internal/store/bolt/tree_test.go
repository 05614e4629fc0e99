package bolt_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/bolt"
	"github.com/playctl/playctl/test/storetest"
)

// bbolt follows pages that refer to each other in a cycle until memory is
// exhausted: such a file is refused before that.
func TestCyclicPagesAreRefused(t *testing.T) {
	o := bolt.Options{Path: t.TempDir() + "/world.db", RootKey: rootKey}
	j := open(t, o)
	var feed storetest.Feed
	for range 400 {
		e := feed.Next(false, 1)
		e.Events[0].Data = []byte(`{"text":"` + strings.Repeat("x", 1_000) + `"}`)
		appendTo(t, j, e)
	}
	closeStore(t, j)
	if _, _, err := bolt.Compact(context.Background(), o.Path); err != nil {
		t.Fatal(err) // without it, there are pages without content
	}
	size := os.Getpagesize()
	db := content(t, o.Path)
	branch, kinds := 0, map[byte]int{}
	for page := 2; page < len(db)/size; page++ {
		kind := db[page*size+8]
		if kinds[kind]++; kind == 1 && branch == 0 {
			branch = page
		}
	}
	count := binary.NativeEndian.Uint16(db[branch*size+10:])
	if kinds[1] == 0 || count < 4 {
		t.Fatalf("the store has pages of kinds %v, the first branch has %d elements", kinds, count)
	}
	element := func(n int) int { return branch*size + 16 + 16*n + 8 }
	for name, change := range map[string]struct {
		element  int
		page     uint64
		contains string
	}{
		"a cycle at the start":    {0, uint64(branch), "used elsewhere"},
		"a cycle in the middle":   {2, uint64(branch), "used elsewhere"},
		"a cycle at the end":      {int(count) - 1, uint64(branch), "used elsewhere"},
		"a page in use elsewhere": {1, binary.NativeEndian.Uint64(db[element(2):]), "used elsewhere"},
		"a page outside the file": {2, 1 << 40, "but the file has"},
	} {
		t.Run(name, func(t *testing.T) {
			damaged := bytes.Clone(db)
			binary.NativeEndian.PutUint64(damaged[element(change.element):], change.page)
			overwrite(t, o.Path, damaged)
			for _, readOnly := range []bool{true, false} {
				o := o
				o.ReadOnly = readOnly
				_, err := bolt.Open(context.Background(), o)
				if !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), change.contains) || !strings.Contains(err.Error(), "restore a backup") {
					t.Errorf("Open (read-only: %t): %v; want ErrCorrupt with %q", readOnly, err, change.contains)
				}
			}
		})
	}
}
