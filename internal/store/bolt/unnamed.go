package bolt

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/playctl/playctl/internal/store"
)

// LeftLog describes entries in a write-ahead log beside the store that do not
// continue it, "" for none: the log of an earlier store at this path, or lost
// commits.
func (j *Journal) LeftLog() string { return j.leftLog }

// LeftOut describes a commit at the end of the log that a crash left, "" for none: it
// could not be read. It was being written when the process or the machine ended, or it
// is damaged.
func (j *Journal) LeftOut() string { return j.leftOut }

// recoverUnnamed returns the entries of a log that the database does not name and
// that continue it; at is the database's last place. There are none if a crash
// interrupted the creation or removal of the log. But if the page that names the
// log is damaged, the database is in the state before that page was written, which
// every entry of the log follows. A log that was left, but could not be removed, may end
// with a refused commit.
// Entries that do not continue the database, or that are beside a database that has
// just been created, are put aside and described by LeftLog.
func (w *writer) recoverUnnamed(ctx context.Context, at store.Place, fresh, readOnly bool) ([]store.Entry, error) {
	text, err := w.readLog()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // there is no log, or something else at its path
	}
	left, leftErr := w.database.left(ctx)
	id, all, later := w.laterEntries(text, at.Position, left)
	switch err = cmp.Or(err, leftErr); {
	case errors.Is(err, store.ErrFormat):
		return nil, fmt.Errorf("%w, or move it away if it is the log of another store", err)
	case err != nil:
		return nil, fmt.Errorf("%w: reading its log: %w", store.ErrUnavailable, err)
	case len(later) > 0 && len(later) == all && !fresh && int64(len(text)) == logBytes(w.segmentBytes) && continues(later, at):
		return later, nil
	case len(later) > 0:
		return nil, w.putAside(id, later, at, readOnly)
	case fresh && !readOnly:
		return nil, w.removeEarlier()
	}
	return nil, nil
}

// removeEarlier removes the log of an earlier store, which must never be mistaken for the
// log of this database.
func (w *writer) removeEarlier() error {
	if err := w.disk.remove(writeAheadPath(w.path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: removing the log of an earlier store: %w", store.ErrUnavailable, err)
	}
	return nil
}

// laterEntries returns the id of a log, the number of its entries, and those after a
// position; none for a text that is not a log, or is that of the log that was left.
func (w *writer) laterEntries(text []byte, after store.Position, left logID) (id logID, all int, later []store.Entry) {
	if int64(len(text)) > logBytes(w.segmentBytes) || !bytes.HasPrefix(text, writeAheadMagic) {
		return id, 0, nil
	}
	copy(id[:], text[len(writeAheadMagic):])
	if id == left {
		return id, 0, nil
	}
	entries, _ := w.readSegments(text, id)
	for _, e := range entries {
		if e.Position > after {
			later = append(later, e)
		}
	}
	return id, len(entries), later
}

// continues reports whether entries continue at the end of a database. If not, they
// are another store's, or some before them are missing.
func continues(entries []store.Entry, at store.Place) bool {
	for i := range entries {
		if entries[i].Position != at.Position+store.Position(i)+1 {
			return false
		}
	}
	next := entries[0].Place()
	return at.Position == 0 || next.Seq-next.Events == at.Seq && next.Rev-at.Rev <= 1
}

// putAside renames a log whose entries do not continue the database, unless that is
// open for reading only: the next log is created in its place.
func (w *writer) putAside(id logID, entries []store.Entry, at store.Place, readOnly bool) error {
	name := writeAheadPath(w.path)
	if !readOnly {
		aside := fmt.Sprintf("%s.%x", name, id[:4])
		if err := w.disk.rename(name, aside); err != nil {
			return fmt.Errorf("%w: putting a log aside that does not continue the store: %w", store.ErrUnavailable, err)
		}
		name = aside
	}
	w.leftLog = fmt.Sprintf("%s has commits that do not continue the store: entries %d to %d, %d of them, after entry %d of the store",
		name, entries[0].Position, entries[len(entries)-1].Position, len(entries), at.Position)
	return nil
}
