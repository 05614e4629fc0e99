package bolt_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
)

// watchedContext is a context that runs a function when it is first checked for its end.
type watchedContext struct {
	context.Context //nolint:containedctx // it is one
	first           func()
}

func (a watchedContext) Err() error {
	a.first()
	return a.Context.Err()
}

// Concurrent calls of Snapshot and Close both return.
func TestSnapshotDuringClose(t *testing.T) {
	j := open(t, createdStore(t))
	closed := make(chan error, 1)
	ctx := watchedContext{t.Context(), sync.OnceFunc(func() {
		go func() { closed <- j.Close() }()
		for !j.Appending() {
			runtime.Gosched()
		}
	})}
	copied := make(chan error, 1)
	go func() {
		s, err := j.Snapshot(ctx)
		if err == nil {
			err = s.Close()
		}
		copied <- err
	}()
	late := time.After(time.Minute)
	for range 2 {
		select {
		case err := <-closed:
			must(t, err)
		case err := <-copied:
			if err != nil && !errors.Is(err, store.ErrClosed) {
				t.Errorf("the copy: %v", err)
			}
		case <-late:
			t.Fatal("Snapshot and Close wait for each other")
		}
	}
}

// A copy with invalid pages is an error, and is removed.
func TestSnapshotOfDamagedFile(t *testing.T) {
	for name, kind := range map[string]byte{"the list of free pages": 0x10, "the buckets": 0x02} {
		t.Run(name, func(t *testing.T) {
			o := createdStore(t)
			j := open(t, o)
			defer closeStore(t, j)
			damagePages(t, o.Path, kind)
			if s, err := j.Snapshot(t.Context()); !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), o.Path) {
				t.Errorf("Snapshot: %v, %v", s, err)
			}
			if files := names(t, filepath.Dir(o.Path)); len(files) != 2 {
				t.Errorf("the folder contains %q, want the store and its note", files)
			}
		})
	}
}

// damagePages makes the kind of all pages of a kind invalid.
func damagePages(t *testing.T, path string, kind byte) {
	t.Helper()
	const kindAt = 8 // after the page's number
	text := content(t, path)
	for page := 0; page < len(text); page += os.Getpagesize() {
		if text[page+kindAt] == kind {
			overwriteAt(t, path, page+kindAt, []byte{0})
		}
	}
}
