package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"github.com/playctl/playctl/internal/store"
)

// Commits are moved into the database when they are a second old, or flushBytes
// wait.
const (
	flushAfter = time.Second
	flushBytes = 1 << 20
)

// flusher is the goroutine that moves commits from the write-ahead log into the
// database.
type flusher struct {
	// flushing serializes flushes.
	flushing sync.Mutex
	// some has a value while any commits wait, enough while many do.
	some, enough chan struct{}
	stop         context.CancelFunc
	done         chan struct{}
}

// end stops the goroutine and waits for it.
func (f *flusher) end() {
	if f.stop != nil {
		f.stop()
		<-f.done
		f.stop = nil
	}
}

func signal(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// run flushes until the context ends. After an error it tries again with the next
// commit, or after a second.
func (f *flusher) run(ctx context.Context, flush func(context.Context) error) {
	defer close(f.done)
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.some:
		}
		timer := time.NewTimer(flushAfter)
		select {
		case <-ctx.Done():
		case <-f.enough:
		case <-timer.C:
		}
		timer.Stop()
		if flush(ctx) != nil {
			signal(f.some)
		}
	}
}

// log writes a commit to the write-ahead log and reports whether it did: there may
// be no log, and a commit may be too long for it. It is called with appending held.
func (j *Journal) log(ctx context.Context, entries []store.Entry) (bool, error) {
	if j.stuck.Load() || j.db.IsReadOnly() {
		return false, nil // the database refuses with the reason
	}
	if err := j.beginLog(ctx); err != nil || j.ahead == nil {
		return false, err
	}
	frame := j.ahead.encode(entries)
	if len(frame) > writeAheadSegment {
		return false, nil
	}
	if !j.ahead.fits(frame) {
		if err := j.reuse(ctx); err != nil {
			return false, err
		}
	}
	if err := j.ahead.write(frame, entries[len(entries)-1].Position); err != nil {
		return false, errors.Join(j.explain("writing", err), j.leaveLog(ctx))
	}
	if j.pending.add(copied(entries), len(frame)) >= flushBytes {
		signal(j.flusher.enough)
	}
	signal(j.flusher.some)
	return true, nil
}

// reuse continues with the other segment of the log.
func (j *Journal) reuse(ctx context.Context) error {
	if waiting := j.pending.all(); len(waiting) > 0 && waiting[0].Position <= j.ahead.last[1-j.ahead.segment] {
		if err := j.flush(ctx); err != nil {
			return err
		}
	}
	j.ahead.turn()
	return nil
}

// logAgain is the number of commits after which creating a log is tried again.
const logAgain = 256

// beginLog creates a write-ahead log if there is none yet. If there is no room for
// it, commits go into the database.
func (j *Journal) beginLog(ctx context.Context) error {
	if j.ahead != nil && j.ahead.broken {
		if err := j.leaveLog(ctx); err != nil {
			return err
		}
	}
	if j.noLog > 0 {
		j.noLog--
	}
	if j.ahead != nil || j.noLog > 0 {
		return nil
	}
	ahead, err := createWriteAhead(j.path)
	if err != nil {
		j.noLog = logAgain
		return nil //nolint:nilerr // Commits go into the database, which has its own error.
	}
	err = j.update(ctx, func(tx *bbolt.Tx) error {
		return putMeta(tx, logKey, ahead.id[:])
	})
	if err != nil {
		return errors.Join(err, ahead.remove())
	}
	j.ahead = ahead
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	j.flusher.stop, j.flusher.done = stop, make(chan struct{})
	go j.flusher.run(running, j.flush)
	return nil
}

// flush moves the waiting commits into the database.
func (j *Journal) flush(ctx context.Context) error {
	j.flusher.flushing.Lock()
	defer j.flusher.flushing.Unlock()
	entries := j.pending.all()
	if len(entries) == 0 {
		return nil
	}
	err := j.extend(ctx, entries, func(at store.Place) error {
		if at.Position+1 != entries[0].Position {
			return fmt.Errorf("%w: it ends at entry %d, but its log continues with %d", store.ErrCorrupt, at.Position, entries[0].Position)
		}
		return nil
	})
	if err == nil {
		j.pending.flushed(entries)
	}
	return err
}

// leaveLog moves all commits into the database and removes the log. It is called
// with appending held.
func (j *Journal) leaveLog(ctx context.Context) error {
	if j.ahead == nil {
		return nil
	}
	if err := j.flush(ctx); err != nil {
		return err
	}
	if err := j.update(ctx, forgetLog); err != nil {
		return err
	}
	j.flusher.end()
	ahead := j.ahead
	j.ahead = nil
	if err := ahead.remove(); err != nil {
		return fmt.Errorf("%w: removing the log of %s: %w", store.ErrUnavailable, j.path, err)
	}
	return nil
}

// forgetLog marks the database as one without a log.
func forgetLog(tx *bbolt.Tx) error { return tx.Bucket(metaBucket).Delete(logKey) }

// recoverLog reads the log that a crash left, and moves its commits into the
// database unless that is open for reading only. A database that was just created has
// no log: a log file there belongs to a store that was removed.
func (j *Journal) recoverLog(readOnly, made bool) error {
	ctx := context.Background()
	var id logID
	var at store.Place
	err := j.view(ctx, func(tx *bbolt.Tx) (err error) {
		name, err := meta(tx, logKey)
		if err != nil {
			return err
		}
		copy(id[:], name)
		_, at, err = logEnd(tx)
		return err
	})
	if err != nil {
		return err
	}
	var entries []store.Entry
	switch id {
	case logID{}:
		if entries, err = j.recoverUnnamed(at, made, readOnly); err != nil || len(entries) == 0 {
			return err
		}
	default:
		if entries, err = recoverWriteAhead(j.path, id, at.Position); err != nil {
			return fmt.Errorf("opening %s: %w", j.path, err)
		}
	}
	if len(entries) > 0 {
		j.pending.add(copied(entries), 0)
	}
	if readOnly {
		return nil
	}
	if err := j.flush(ctx); err != nil {
		return err
	}
	if err := j.update(ctx, forgetLog); err != nil {
		return err
	}
	// A log that cannot be removed is not read: the database does not name it.
	_ = os.Remove(writeAheadPath(j.path))
	return nil
}
