package store_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/store"
)

// hangingLog is a backend whose disk does not answer until it is closed.
type hangingLog struct{ disk chan struct{} }

func (hangingLog) Head(context.Context) (store.Position, error) { return 0, nil }

func (hangingLog) Get(context.Context, store.Table, []byte) ([]byte, error) { return nil, nil }

func (l hangingLog) Append(context.Context, store.Position, []store.Entry) error {
	<-l.disk
	return nil
}

// Deadlines are known while the disk does not answer.
func TestDeadlinesDuringWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := hangingLog{make(chan struct{})}
		o := store.NewOneHost(log)
		if err := o.HostStarted(t.Context(), []store.Renewal{{Deadline: store.Deadline{Table: store.Leases, Key: "a"}, Term: time.Second}}); err != nil {
			t.Fatal(err)
		}
		written := make(chan error, 1)
		go func() {
			_, err := o.Commit(t.Context(), &store.Batch{Commit: store.CommitID{1}, Entries: []store.Entry{{Position: 1}}})
			written <- err
		}()
		pause.For(t.Context(), time.Second)
		keys, err := o.Expired(t.Context(), store.Leases, 10)
		if err != nil || len(keys) != 1 {
			t.Errorf("due are %v, %v", keys, err)
		}
		close(log.disk)
		if err := <-written; err != nil {
			t.Error(err)
		}
	})
}
