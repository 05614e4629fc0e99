package sharedstore_test

import (
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/test/sharedstore"
	"github.com/playctl/playctl/test/storetest"
)

func TestServerContract(t *testing.T) {
	storetest.Run(t, storetest.Backend{
		Hosts: true,
		New: func(_ *testing.T, retention store.Retention) storetest.Opener {
			server := sharedstore.NewServer(retention, time.Now)
			return func() store.Journal { return server.Host() }
		},
	})
}

// TestReadDuringRestart reads a journal during a restart: each entry has the commit
// that wrote it, not that of another one that replaced it.
func TestReadDuringRestart(t *testing.T) {
	server := sharedstore.NewServer(store.DefaultRetention(), time.Now)
	h := server.Host()
	commit := func(after store.Tip, id byte, resumed string) (store.Tip, error) {
		e := store.Entry{Position: after.Position + 1, Seq: uint64(id), Commit: store.CommitID{id}, Prev: after.Commit}
		return h.Commit(t.Context(), &store.Batch{After: after, Commit: e.Commit, Entries: []store.Entry{e}, Resumed: resumed})
	}
	first, err := commit(store.Tip{}, 1, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := commit(first, 2, ""); err != nil {
		t.Fatal(err)
	}
	for e, err := range h.Read(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Position == first.Position {
			server.Restart(1)
			_, err := commit(first, 3, "")
			if _, err = commit(first, 3, storetest.RunOf(err)); err != nil {
				t.Fatal(err)
			}
		}
		if e.Commit != (store.CommitID{byte(e.Seq)}) {
			t.Errorf("entry %d of commit %d is read as one of commit %d", e.Position, e.Seq, e.Commit[0])
		}
	}
}
