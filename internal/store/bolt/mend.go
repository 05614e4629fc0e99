package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/playctl/playctl/internal/store"
)

// bbolt writes the pages of a transaction, and then the page that refers to them. If the
// sync of that page fails, the file shows the transaction, but it may not be on stable
// storage: nothing may be written over the pages from before it. If the file cannot be
// mapped after it grew, bbolt has no data. Both are mended before anything else is
// written.

// update runs a write and returns when it is on stable storage.
func (j *Journal) update(ctx context.Context, write func(*bbolt.Tx) error) error {
	j.updating.Lock()
	defer j.updating.Unlock()
	err := j.mend()
	if err == nil {
		err = j.write(ctx, write)
	}
	if ctx.Err() == nil {
		j.report(err)
	}
	return err
}

// report says that the file could not be written, or with nil that it can be again,
// once each.
func (j *Journal) report(err error) {
	if j.failing == (err != nil) {
		return
	}
	j.failing = err != nil
	if j.options.Report != nil {
		j.options.Report(err)
	}
}

// write is update, called with updating held and without doubt. A write that failed, but
// turns out to be in the file, counts.
func (j *Journal) write(ctx context.Context, write func(*bbolt.Tx) error) error {
	var tx *bbolt.Tx
	id := 0
	err := j.use(ctx, "writing", func() error {
		if why := j.stuck.Load(); why != nil {
			return *why
		}
		err := guard(func() error {
			return j.db.Update(func(t *bbolt.Tx) error {
				tx = t
				err := write(t)
				if err == nil {
					id = t.ID()
				}
				return err
			})
		})
		j.stick(tx, err)
		return err
	})
	if err == nil || id == 0 || j.stuck.Load() != nil {
		return err
	}
	j.doubt.Store(true)
	j.report(err)
	if j.mend() != nil {
		return err
	}
	last := 0
	if j.use(ctx, "reading", func() error {
		return guard(func() error { return j.db.View(func(t *bbolt.Tx) error { last = t.ID(); return nil }) })
	}) != nil || last < id {
		return err
	}
	return nil
}

// stick keeps the journal from writing after a panic of bbolt: the file is damaged, or
// bbolt may have kept its writer's lock.
func (j *Journal) stick(tx *bbolt.Tx, err error) {
	switch _, panicked := errors.AsType[panicError](err); {
	case !panicked:
	case errors.Is(err, store.ErrCorrupt):
		err = fmt.Errorf("%w: it was found damaged while it was written; check it before the next start", store.ErrCorrupt)
		j.stuck.Store(&err)
	case tx == nil || tx.DB() != nil:
		err = fmt.Errorf("%w; nothing can be written before a restart", err)
		j.stuck.Store(&err)
	}
}

// settle returns when it is known what is on stable storage, and the file is mapped.
func (j *Journal) settle() error {
	j.updating.Lock()
	defer j.updating.Unlock()
	return j.mend()
}

// mend is settle, called with updating held.
func (j *Journal) mend() error {
	if !j.doubt.Load() {
		return nil
	}
	if err := j.remap(); err != nil {
		return err
	}
	j.mu.RLock()
	defer j.mu.RUnlock()
	if err := j.usable(context.Background()); err != nil {
		return err
	}
	if err := syncMeta(j.file, j.db.Info().PageSize); err != nil {
		return fmt.Errorf("%w: writing %s: %w", store.ErrUnavailable, j.path, err)
	}
	j.doubt.Store(false)
	return nil
}

// unmapped reports whether an error means that the file has to be opened again.
func unmapped(err error) bool {
	return errors.Is(err, berrors.ErrInvalidMapping) || errors.Is(err, berrors.ErrDatabaseNotOpen)
}

// remap opens the file again if it could not be mapped.
func (j *Journal) remap() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.usable(context.Background()); err != nil {
		return err
	}
	if !unmapped(j.db.View(func(*bbolt.Tx) error { return nil })) {
		return nil
	}
	if err := j.db.Close(); err != nil {
		return fmt.Errorf("%w: closing %s: %w", store.ErrUnavailable, j.path, err)
	}
	db, file, err := openFile(j.options, true)
	if err != nil {
		return err
	}
	j.db, j.file = db, file
	return nil
}

// syncMeta writes the first two pages of a file again, which say what is valid, and syncs
// them: another sync does not write the pages of one that failed.
func syncMeta(file *os.File, pageSize int) error {
	pages := make([]byte, 2*pageSize)
	if _, err := file.ReadAt(pages, 0); err != nil {
		return err
	}
	if _, err := file.WriteAt(pages, 0); err != nil {
		return err
	}
	return syncData(file)
}
