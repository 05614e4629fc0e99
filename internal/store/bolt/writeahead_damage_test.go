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
	"github.com/playctl/playctl/test/property"
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

// One bit of the log is changed, at each byte in use: the store is refused, unless the
// bit is in the last commit, which is then left out with a word. The log is cut at every
// 512 bytes and at the end of each commit, which a power failure may do to the last one.
func TestDamagedLog(t *testing.T) {
	o := crashedStore(t, 3, 1)
	path := bolt.WriteAheadPath(o.Path)
	log, db := content(t, path), content(t, o.Path)
	end := bolt.WriteAheadHeader + len(bytes.TrimRight(log[bolt.WriteAheadHeader:], "\x00"))
	last := bytes.LastIndex(log[:end], []byte("\xfeply"))
	o.ReadOnly = true
	open := func(at int) (n int, leftOut string, err error) {
		j, err := bolt.Open(t.Context(), o)
		if err != nil {
			return 0, "", err
		}
		defer closeStore(t, j)
		head, err := j.Head(t.Context())
		must(t, err)
		if _, err := entries(t, o); err != nil {
			t.Errorf("byte %d: %v", at, err)
		}
		return int(head), j.LeftOut(), nil
	}
	stride := 20 // other bytes in each run
	if property.Full {
		stride = 1
	}
	for at := bolt.WriteAheadHeader; at < end; at += 1 + rand.N(stride) {
		overwriteAt(t, path, at, []byte{log[at] ^ 1<<rand.N(8)})
		n, leftOut, err := open(at)
		switch {
		case at >= last && (err != nil || n != 4 || !strings.Contains(leftOut, "after entry 4, cannot be read")):
			t.Fatalf("byte %d of the last frame: %d entries, %q, %v; want 4", at-last, n, leftOut, err)
		case at < last && !errors.Is(err, store.ErrCorrupt):
			t.Fatalf("byte %d: %d entries, %v; want ErrCorrupt", at, n, err)
		}
		overwriteAt(t, path, at, log[at:end])
	}
	for at := bolt.WriteAheadHeader; at < end; at++ {
		follows := bytes.HasPrefix(log[at:], []byte("\xfeply"))
		if !follows && at%512 != 0 {
			continue
		}
		overwriteAt(t, path, at, make([]byte, end-at))
		n, leftOut, err := open(at)
		if err != nil || n%2 != 0 || n > 4 || (leftOut == "") != follows {
			t.Errorf("cut at byte %d: %d entries, %q, %v", at, n, leftOut, err)
		}
		overwriteAt(t, path, at, log[at:end])
		must(t, os.Truncate(path, int64(at)))
		if _, _, err := open(at); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("truncated to %d bytes: %v; want ErrCorrupt", at, err)
		}
		must(t, os.WriteFile(path, log, 0o600))
	}
	if n, leftOut, err := open(end); err != nil || n != 6 || leftOut != "" {
		t.Errorf("the log as it was: %d entries, %q, %v; want 6", n, leftOut, err)
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
