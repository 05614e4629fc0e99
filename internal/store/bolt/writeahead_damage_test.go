package bolt_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/bolt"
)

// If the meta page that names the log is damaged, the database is as it was before,
// without a log: the content of the log is still read. The log of another store is
// not used for this one.
func TestDamagedMetaPageOfLog(t *testing.T) {
	o, another := crashedStore(t, 5, 1), crashedStore(t, 8, 2)
	damageNewestMeta(t, o.Path)
	for _, readOnly := range []bool{true, false} {
		o.ReadOnly = readOnly
		if n, err := entries(t, o); err != nil || n != 10 {
			t.Fatalf("read only: %t: %d entries, %v; want 10", readOnly, n, err)
		}
	}
	must(t, os.WriteFile(bolt.WriteAheadPath(o.Path), content(t, bolt.WriteAheadPath(another.Path)), 0o600))
	if n, err := entries(t, o); err != nil || n != 10 {
		t.Errorf("beside the log of another store: %d entries, %v; want 10", n, err)
	}
}

// damageNewestMeta damages the page with which the database names its log.
func damageNewestMeta(t *testing.T, path string) {
	t.Helper()
	db := content(t, path)
	const headerBytes, rootAt, transactionAt = 16, 16, 48 // of bbolt's meta pages
	transaction := func(page int) uint64 {
		return binary.LittleEndian.Uint64(db[page*os.Getpagesize()+headerBytes+transactionAt:])
	}
	newest := 0
	if transaction(1) > transaction(0) {
		newest = 1
	}
	root := newest*os.Getpagesize() + headerBytes + rootAt
	overwriteAt(t, path, root, []byte{db[root] ^ 1})
}

// If the file of a crashed store is removed but its log is left, a new store begins
// empty.
func TestNewStoreIgnoresLogOfRemovedStore(t *testing.T) {
	o := crashedStore(t, 3, 1)
	must(t, os.Remove(o.Path))
	for range 2 {
		if n, err := entries(t, o); err != nil || n != 0 {
			t.Errorf("%d entries, %v; want none", n, err)
		}
	}
}

// A missing log, a cut one, or that of another store is refused with an error that
// names what may be lost.
func TestOpenRefusesWithoutLog(t *testing.T) {
	for name, change := range map[string]func(*testing.T, string){
		"missing": func(t *testing.T, path string) { must(t, os.Remove(path)) },
		"truncated": func(t *testing.T, path string) {
			must(t, os.Truncate(path, bolt.WriteAheadHeader+bolt.WriteAheadSegment))
		},
		"of another store": func(t *testing.T, path string) {
			must(t, os.WriteFile(path, content(t, bolt.WriteAheadPath(crashedStore(t, 1, 1).Path)), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := crashedStore(t, 3, 1)
			change(t, bolt.WriteAheadPath(o.Path))
			before := content(t, o.Path)
			for _, readOnly := range []bool{true, false} {
				o.ReadOnly = readOnly
				_, err := entries(t, o)
				if !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), "commits after entry 0 may be lost") {
					t.Errorf("read only: %t: %v", readOnly, err)
				}
			}
			if !bytes.Equal(before, content(t, o.Path)) {
				t.Error("the file changed")
			}
		})
	}
}

// The log of another format is not damage, whatever its length, and stays as it is: that
// of a crashed store, and one beside a store that has none.
func TestOpenRefusesLogOfOtherFormat(t *testing.T) {
	for format, todo := range map[int]string{store.Format - 1: "use the playctl that wrote it", store.Format + 1: "use a newer playctl"} {
		for name, crashed := range map[string]bool{"crashed": true, "closed": false} {
			o := crashedStore(t, 3, 1)
			path := bolt.WriteAheadPath(o.Path)
			log := bytes.Replace(content(t, path), fmt.Appendf(nil, "log %d\n", store.Format), fmt.Appendf(nil, "log %d\n", format), 1)
			if !crashed {
				_, err := entries(t, o)
				must(t, err)
			}
			log = append(log, "more"...)
			must(t, os.WriteFile(path, log, 0o600))
			before := content(t, o.Path)
			for _, readOnly := range []bool{true, false} {
				o.ReadOnly = readOnly
				_, err := entries(t, o)
				want := fmt.Sprintf("its log %s has format %d, and this playctl reads format %d only; %s", path, format, store.Format, todo)
				if !errors.Is(err, store.ErrFormat) || errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), want) {
					t.Errorf("%s (read-only: %t): %v, want %q", name, readOnly, err, want)
				}
			}
			if !bytes.Equal(before, content(t, o.Path)) || !bytes.Equal(log, content(t, path)) {
				t.Errorf("%s: a file changed", name)
			}
		}
	}
}

// The incomplete last commit after a power failure is not used, and no earlier
// commit is lost: bytes of every part of the log are changed in turn, and the log
// ends within the last frame.
func TestDamagedLog(t *testing.T) {
	o := crashedStore(t, 3, 1)
	path := bolt.WriteAheadPath(o.Path)
	log, db := content(t, path), content(t, o.Path)
	end := bolt.WriteAheadHeader + len(bytes.TrimRight(log[bolt.WriteAheadHeader:], "\x00"))
	last := bytes.LastIndex(log[:end], []byte("\xfeply"))
	o.ReadOnly = true
	const stride = 20 // other bytes in each run
	for at := bolt.WriteAheadHeader; at < end; at += 1 + rand.N(stride) {
		overwriteAt(t, path, at, []byte{log[at] ^ 1<<rand.N(8)})
		n, err := entries(t, o)
		switch {
		case at >= last && (err != nil || n != 4):
			t.Fatalf("byte %d of the last frame: %d entries, %v; want 4", at-last, n, err)
		case at < last && !errors.Is(err, store.ErrCorrupt):
			t.Fatalf("byte %d: %d entries, %v; want ErrCorrupt", at, n, err)
		}
		if at >= last {
			overwriteAt(t, path, at, make([]byte, end-at))
			if n, err := entries(t, o); err != nil || n != 4 {
				t.Fatalf("cut at byte %d of the last frame: %d entries, %v; want 4", at-last, n, err)
			}
		}
		overwriteAt(t, path, at, log[at:end])
	}
	if !bytes.Equal(db, content(t, o.Path)) {
		t.Error("the file changed")
	}
}

func overwriteAt(t *testing.T, path string, at int, b []byte) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	_, err = file.WriteAt(b, int64(at))
	must(t, errors.Join(err, file.Close()))
}
