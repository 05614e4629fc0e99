package memory_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"maps"
	"strconv"
	"sync"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/test/storetest"
)

var errKeeper = errors.New("the test's database is unavailable")

// database is a keeper in memory whose calls fail on demand.
type database struct {
	mu    sync.Mutex
	pairs map[string][]byte
	// before and after are set while a Save fails, before or after it stored the
	// changes.
	before, after bool
	loads         bool // set while Load fails
}

func (d *database) Load(context.Context) iter.Seq2[store.Pair, error] {
	d.mu.Lock()
	defer d.mu.Unlock()
	pairs, fails := maps.Clone(d.pairs), d.loads
	return func(yield func(store.Pair, error) bool) {
		if fails {
			yield(store.Pair{}, errKeeper)
			return
		}
		for key, value := range pairs {
			if !yield(store.Pair{Key: []byte(key), Value: value}, nil) {
				return
			}
		}
	}
}

func (d *database) Save(_ context.Context, changes []store.Pair) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.before {
		return errKeeper
	}
	if d.pairs == nil {
		d.pairs = map[string][]byte{}
	}
	for _, c := range changes {
		if c.Value == nil {
			delete(d.pairs, string(c.Key))
			continue
		}
		d.pairs[string(c.Key)] = bytes.Clone(c.Value)
	}
	if d.after {
		return errKeeper
	}
	return nil
}

func openKept(t *testing.T, retention store.Retention, d *database) *memory.Journal {
	t.Helper()
	j, err := memory.OpenKept(t.Context(), retention, d, "root")
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestContractWithKeeper(t *testing.T) {
	storetest.Run(t, storetest.Backend{
		Durable: true,
		New: func(t *testing.T, retention store.Retention) storetest.Opener {
			d := &database{}
			return func() store.Journal { return openKept(t, retention, d) }
		},
	})
}

// After a failed save the journal has the content of the keeper, whether or not the
// changes were stored.
func TestFailedSave(t *testing.T) {
	for name, written := range map[string]bool{"before": false, "after": true} {
		t.Run(name, func(t *testing.T) {
			d := &database{}
			j := openKept(t, store.Retention{Events: 10, Revs: 10}, d)
			var feed storetest.Feed
			if err := storetest.Append(t.Context(), j, 0, feed.Next(true, 1)); err != nil {
				t.Fatal(err)
			}
			d.before, d.after = !written, written
			batch := storetest.NewBatch(tip(t, j), feed.Next(true, 1))
			if _, err := j.Commit(t.Context(), batch); !errors.Is(err, store.ErrUnavailable) || !errors.Is(err, errKeeper) {
				t.Errorf("the commit returns %v", err)
			}
			d.loads = true
			if _, err := j.Head(t.Context()); !errors.Is(err, errKeeper) {
				t.Errorf("without the keeper the head is %v", err)
			}
			if _, err := j.Load(t.Context()); !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("before the kept content is known: %v", err)
			}
			d.before, d.after, d.loads = false, false, false
			missed, err := j.EntriesAfter(t.Context(), batch.After)
			if err != nil || (len(missed) == 1) != written {
				t.Fatalf("%d entries were written, %v", len(missed), err)
			}
			if !written {
				if _, err := j.Commit(t.Context(), batch); err != nil {
					t.Fatal(err)
				}
			}
			if head, err := openKept(t, store.Retention{Events: 10, Revs: 10}, d).Head(t.Context()); err != nil || head != 2 {
				t.Errorf("the head is %d, %v", head, err)
			}
		})
	}
}

func tip(t *testing.T, j store.Journal) store.Tip {
	t.Helper()
	head, err := j.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return store.Tip{Position: head}
}

// A keeper of another world, of another format or with other data is left
// unchanged.
func TestForeignKeeperIsRefused(t *testing.T) {
	retention := store.Retention{Events: 10, Revs: 10}
	d := &database{}
	openKept(t, retention, d)
	if _, err := memory.OpenKept(t.Context(), retention, d, "other"); !errors.Is(err, store.ErrRootKey) {
		t.Errorf("another root key: %v", err)
	}
	// A record of another format may have no checksum, and may be loaded before the format.
	d.pairs["tnodes\x00k"] = []byte("of another format")
	for _, format := range []int{store.Format - 1, store.Format + 1} {
		d.pairs["mformat"] = []byte(strconv.Itoa(format))
		if _, err := memory.OpenKept(t.Context(), retention, d, "root"); !errors.Is(err, store.ErrFormat) || errors.Is(err, store.ErrCorrupt) {
			t.Errorf("format %d: %v", format, err)
		}
	}
	for key, value := range map[string]string{"": "", "x": "", "tnodes": "", "tnowhere\x00k": "", "e12345678": "\x01 no entry", "c12345678": "\x01 no state", "tnodes\x00k": "no checksum"} {
		d := &database{pairs: map[string][]byte{"mformat": []byte(strconv.Itoa(store.Format)), "mroot": []byte("root"), key: []byte(value)}}
		if _, err := memory.OpenKept(t.Context(), retention, d, "root"); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("the key %q: %v", key, err)
		}
	}
}
