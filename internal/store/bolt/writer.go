package bolt

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/playctl/playctl/internal/store"
)

// writer takes commits. A commit goes into the write-ahead log, or into the database if
// the log has no room or there is none, and waits in memory until the flusher moves it
// from the log into the database.
type writer struct {
	database database
	disk     disk
	// path is the store's file, segmentBytes the length of a segment of the log.
	path         string
	segmentBytes int64

	// appending is held while entries are written, a copy is started, or the journal is
	// closed. It is taken before Journal.mu.
	appending sync.Mutex
	// ahead is the log, nil for none.
	ahead *writeAhead
	// noLog is the number of commits to write without a log because it could not be
	// created.
	noLog int
	// looked is when the files were last found at their paths.
	looked  time.Time
	pending pending
	flusher flusher

	// leftLog and leftOut are the texts of LeftLog and LeftOut.
	leftLog, leftOut string
	// unwritten is the error of Unwritten.
	unwritten error
}

// database is what a writer needs of the file behind its log.
type database interface {
	// end returns the place of the last entry and the id of the log.
	end(ctx context.Context) (store.Place, logID, error)
	// left returns the id of the last log that was left: everything of it that was
	// acknowledged is in the database.
	left(ctx context.Context) (logID, error)
	// settle returns when that is on stable storage.
	settle() error
	// extend writes the entries that the database does not have yet and, unless it is
	// nil, the id of its log, all or nothing and on stable storage. An error leaves the
	// outcome unknown until settle has succeeded.
	extend(ctx context.Context, entries []waiting, id *logID) error
	// present returns an error if the file is no longer at its path.
	present() error
}

// lookEvery is how often commits check that the files are still at their paths.
const lookEvery = 500 * time.Millisecond

// tail returns the place of the last commit and, if no commits wait, the id of the log.
func (w *writer) tail(ctx context.Context) (store.Place, logID, error) {
	if at, waits := w.pending.last(); waits {
		return at, logID{}, nil
	}
	if err := w.database.settle(); err != nil {
		return store.Place{}, logID{}, err
	}
	return w.database.end(ctx)
}

// append writes a commit after a position.
func (w *writer) append(ctx context.Context, after store.Position, entries []store.Entry) error {
	w.appending.Lock()
	defer w.appending.Unlock()
	at, id, err := w.tail(ctx)
	if err != nil {
		return err
	}
	if at.Position != after {
		return fmt.Errorf("%w: its head is %d, not %d", store.ErrConflict, at.Position, after)
	}
	if err := store.CheckBatch(at, entries); err != nil {
		return err
	}
	if err := w.look(); err != nil {
		return err
	}
	if id == (logID{}) && w.pending.empty() {
		w.begin(ctx)
	}
	if frame := w.frame(entries); frame != nil {
		err = w.log(ctx, frame, entries)
	} else {
		err = w.direct(ctx, copied(entries))
	}
	if err != nil {
		return err
	}
	// A slow commit may have ended long after the files were looked at.
	if err := w.look(); err != nil || w.ahead == nil || !w.ahead.broken {
		return err
	}
	return w.flush(ctx)
}

// look returns an error if the database is no longer at its path, and does not use a log
// any more that is no longer there.
func (w *writer) look() error {
	if time.Since(w.looked) < lookEvery {
		return nil
	}
	if err := w.database.present(); err != nil {
		return err
	}
	if w.ahead != nil && w.ahead.file.present() != nil {
		w.ahead.broken = true
	}
	w.looked = time.Now()
	return nil
}

// frame returns the frame of a commit, nil if the commit cannot go into the log.
func (w *writer) frame(entries []store.Entry) []byte {
	if w.ahead == nil || w.ahead.broken {
		return nil
	}
	if frame := w.ahead.encode(entries); int64(len(frame)) <= w.segmentBytes {
		return frame
	}
	return nil
}

// log writes a commit into the log.
func (w *writer) log(ctx context.Context, frame []byte, entries []store.Entry) error {
	if !w.ahead.fits(frame) {
		if err := w.reuse(ctx); err != nil {
			return err
		}
	}
	if err := w.ahead.write(frame, entries[len(entries)-1].Position); err != nil {
		return fmt.Errorf("%w: writing %s: %w", store.ErrUnavailable, w.path, err)
	}
	if w.pending.add(copied(entries), len(frame)) >= flushBytes {
		signal(w.flusher.enough)
	}
	signal(w.flusher.some)
	return nil
}

// reuse continues with the other segment of the log.
func (w *writer) reuse(ctx context.Context) error {
	if waiting := w.pending.all(); len(waiting) > 0 && waiting[0].Position <= w.ahead.last[1-w.ahead.segment] {
		if err := w.flush(ctx); err != nil {
			return err
		}
	}
	w.ahead.turn()
	return nil
}

// direct writes a commit into the database, after those that wait: while any wait, they
// are in the database or nothing after them is. A log that cannot be used any more is
// then no longer needed.
func (w *writer) direct(ctx context.Context, entries []waiting) error {
	if err := w.flush(ctx); err != nil {
		return err
	}
	var id logID
	if w.ahead != nil && !w.ahead.broken {
		id = w.ahead.id
	}
	if err := w.database.extend(ctx, entries, &id); err != nil {
		return err
	}
	if id == (logID{}) {
		w.drop()
	}
	return nil
}

// logAgain is the number of commits after which creating a log is tried again.
const logAgain = 256

// begin creates a log if there is none, and names it in the database. Without room for
// it, commits go into the database.
func (w *writer) begin(ctx context.Context) {
	if w.ahead != nil {
		return
	}
	if w.noLog > 0 {
		w.noLog--
	}
	if w.noLog > 0 {
		return
	}
	ahead, err := createWriteAhead(w.disk, w.path, w.segmentBytes)
	if err != nil {
		w.noLog = logAgain
		return
	}
	w.ahead = ahead
	// The log stays until the database certainly does not name it.
	ahead.broken = w.database.extend(ctx, nil, &ahead.id) != nil
	if w.flusher.stop == nil {
		running, stop := context.WithCancel(context.WithoutCancel(ctx))
		w.flusher.stop, w.flusher.done = stop, make(chan struct{})
		go w.flusher.run(running, w.flush)
	}
}

// drop closes and removes the log, which the database does not name. Another file at
// its path stays.
func (w *writer) drop() {
	if w.ahead == nil {
		return
	}
	if w.ahead.file.present() == nil {
		// The next log is created in place of a file that could not be removed.
		_ = w.disk.remove(writeAheadPath(w.path))
	}
	_ = w.ahead.file.Close()
	w.ahead = nil
}

// leave moves all commits into the database, and leaves one file. It is called with
// appending held.
func (w *writer) leave(ctx context.Context) error {
	_, id, err := w.database.end(ctx)
	if w.ahead == nil && id == (logID{}) && w.pending.empty() {
		return nil // nothing was written
	}
	if err != nil {
		return err
	}
	if err := w.flush(ctx); err != nil {
		return err
	}
	if err := w.database.extend(ctx, nil, &logID{}); err != nil {
		return err
	}
	if w.ahead == nil {
		// It was left by a crash. If it cannot be removed, it is not read: the database
		// does not name it.
		_ = w.disk.remove(writeAheadPath(w.path))
	}
	w.drop()
	return w.database.present()
}

// stop ends the flusher and closes the log, after leave was tried.
func (w *writer) stop() error {
	w.flusher.end()
	if w.ahead == nil {
		return nil
	}
	file := w.ahead.file
	w.ahead = nil
	if err := file.Close(); err != nil {
		return fmt.Errorf("%w: closing the log of %s: %w", store.ErrUnavailable, w.path, err)
	}
	return nil
}

// recover reads the log that a crash left, and tries to move its commits into the
// database. If that fails, they wait in memory: a full disk can be read. A database that
// was just created has no log: a log file there belongs to a store that was removed.
func (w *writer) recover(ctx context.Context, made, readOnly bool) error {
	at, id, err := w.database.end(ctx)
	if err != nil {
		return err
	}
	var entries []store.Entry
	if id == (logID{}) {
		entries, err = w.recoverUnnamed(ctx, at, made, readOnly)
	} else {
		entries, err = w.recoverNamed(id, at.Position)
	}
	if err != nil || len(entries) == 0 {
		return err
	}
	w.pending.add(copied(entries), 0)
	if !readOnly {
		w.unwritten = w.flush(ctx)
	}
	return nil
}
