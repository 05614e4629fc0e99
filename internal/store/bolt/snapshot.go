package bolt

import (
	"context"
	"errors"
	"os"

	"go.etcd.io/bbolt"

	"github.com/playctl/playctl/internal/store"
)

// snapshot is a copy of the file, which is removed when it is closed.
type snapshot struct{ *Journal }

// Snapshot implements store.Journal with a copy of the file beside it. Commits
// continue while it is created; a commit that makes the file grow waits for the
// copy.
func (j *Journal) Snapshot(ctx context.Context) (store.Snapshot, error) {
	fresh, err := freshFile(j.path)
	if err != nil {
		return nil, err
	}
	copied, err := j.snapshot(ctx, fresh)
	if err != nil {
		return nil, errors.Join(err, os.Remove(fresh))
	}
	return &snapshot{copied}, nil
}

func (j *Journal) snapshot(ctx context.Context, fresh string) (*Journal, error) {
	if err := j.copyFile(ctx, fresh); err != nil {
		return nil, err
	}
	// The copy has no write-ahead log: its commits are in the database by now.
	db, _, err := openLocked(fresh, bbolt.Options{})
	if err != nil {
		return nil, j.explain("copying", err)
	}
	// After a panic it is not closed, which could wait forever for the writer's lock.
	if err := guard(func() error { return errors.Join(db.Update(forgetLog), db.Close()) }); err != nil {
		return nil, j.explain("copying", err)
	}
	return Open(ctx, Options{Path: fresh, ReadOnly: true})
}

// copyFile copies the database as of the last commit.
func (j *Journal) copyFile(ctx context.Context, fresh string) error {
	tx, err := j.beginRead(ctx)
	if err != nil {
		return err
	}
	defer j.mu.RUnlock()
	return j.explain("copying", guard(func() error { return errors.Join(tx.CopyFile(fresh, fileMode), tx.Rollback()) }))
}

// beginRead begins a read as of the last commit, and returns with mu held for
// reading: the waiting commits of the write-ahead log go into the database first.
// Like Close it takes appending before mu: in the other order each could wait for
// the other.
func (j *Journal) beginRead(ctx context.Context) (tx *bbolt.Tx, err error) {
	j.appending.Lock()
	defer j.appending.Unlock()
	if err := j.ready(ctx); err != nil {
		return nil, err
	}
	if err := j.flush(ctx); err != nil {
		return nil, j.explain("copying", err)
	}
	// It is still open: Close waits for appending.
	j.mu.RLock()
	err = guard(func() (err error) {
		tx, err = j.db.Begin(false)
		return err
	})
	if err != nil {
		j.mu.RUnlock()
		return nil, j.explain("copying", err)
	}
	return tx, nil
}

// Close implements store.Snapshot.
func (s *snapshot) Close() error { return errors.Join(s.Journal.Close(), os.Remove(s.path)) }
