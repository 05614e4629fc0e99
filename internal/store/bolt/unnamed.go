package bolt

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/playctl/playctl/internal/store"
)

// LeftLog describes entries in a write-ahead log beside the store that do not
// continue it, "" for none: the log of an earlier store at this path, or lost
// commits.
func (j *Journal) LeftLog() string { return j.leftLog }

// recoverUnnamed returns the entries of a log that the database does not name and
// that continue it; at is the database's last place. There are none if a crash
// interrupted the creation or removal of the log. But if the page that names the
// log is damaged, the database is in the state before that page was written.
// Entries that do not continue the database, or that are beside a database that has
// just been created, are put aside and described by LeftLog.
func (j *Journal) recoverUnnamed(at store.Place, fresh, readOnly bool) ([]store.Entry, error) {
	name := writeAheadPath(j.path)
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil //nolint:nilerr // there is no log, or something else at its path
	}
	text, err := readLog(name)
	id, later := laterEntries(text, at.Position)
	switch {
	case errors.Is(err, store.ErrFormat):
		return nil, fmt.Errorf("opening %s: %w, or move it away if it is the log of another store", j.path, err)
	case err != nil:
		return nil, fmt.Errorf("%w: reading the log %s: %w", store.ErrUnavailable, name, err)
	case len(later) > 0 && !fresh && len(text) == writeAheadSize && continues(later, at):
		return later, nil
	case len(later) > 0:
		return nil, j.putAside(name, id, later, at, readOnly)
	case fresh && !readOnly:
		// It must never be mistaken for the log of this database.
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: removing the log of an earlier store: %w", store.ErrUnavailable, err)
		}
	}
	return nil, nil
}

// laterEntries returns the id of a log and its entries after a position; none for
// a text that is not a log.
func laterEntries(text []byte, after store.Position) (id logID, later []store.Entry) {
	if len(text) > writeAheadSize || !bytes.HasPrefix(text, writeAheadMagic) {
		return id, nil
	}
	copy(id[:], text[len(writeAheadMagic):])
	for _, e := range readSegments(text, id) {
		if e.Position > after {
			later = append(later, e)
		}
	}
	return id, later
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
func (j *Journal) putAside(name string, id logID, entries []store.Entry, at store.Place, readOnly bool) error {
	if !readOnly {
		aside := fmt.Sprintf("%s.%x", name, id[:4])
		if err := os.Rename(name, aside); err != nil {
			return fmt.Errorf("%w: putting a log aside that does not continue %s: %w", store.ErrUnavailable, j.path, err)
		}
		name = aside
	}
	j.leftLog = fmt.Sprintf("%s has commits that do not continue the store: entries %d to %d, %d of them, after entry %d of the store",
		name, entries[0].Position, entries[len(entries)-1].Position, len(entries), at.Position)
	return nil
}
