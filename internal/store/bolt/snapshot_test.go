package bolt_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
)

// asked is a context that runs a function when it is first asked whether it ended.
type asked struct {
	context.Context //nolint:containedctx // it is one
	first           func()
}

func (a asked) Err() error {
	a.first()
	return a.Context.Err()
}

// Snapshot and Close that begin at the same moment both end.
func TestSnapshotWhileTheStoreCloses(t *testing.T) {
	j := open(t, made(t))
	closed := make(chan error, 1)
	ctx := asked{t.Context(), sync.OnceFunc(func() {
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
