package bolt

import (
	"context"
	"os"
)

// The sizes and places of a write-ahead log.
const (
	WriteAheadHeader  = writeAheadHeader
	WriteAheadSegment = writeAheadSegment
)

// LogAgain is after how many commits a log is tried again that could not be made.
const LogAgain = logAgain

// WriteAheadPath is where a store has its write-ahead log.
func WriteAheadPath(path string) string { return writeAheadPath(path) }

// CopyTo copies the files as a crash at this moment would leave them.
func (j *Journal) CopyTo(path string) error {
	j.appending.Lock()
	defer j.appending.Unlock()
	j.flusher.flushing.Lock()
	defer j.flusher.flushing.Unlock()
	for from, to := range map[string]string{j.path: path, writeAheadPath(j.path): writeAheadPath(path)} {
		text, err := os.ReadFile(from)
		if os.IsNotExist(err) {
			continue
		}
		if err == nil {
			err = os.WriteFile(to, text, fileMode) //nolint:gosec // the test's own path
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Syncs counts how often commits sync the log, and write to the database, while nothing
// that waits goes on into it.
func (j *Journal) Syncs(commits func()) (syncs int, written int64) {
	j.flusher.flushing.Lock()
	defer j.flusher.flushing.Unlock()
	before, sync := j.db.Stats(), j.ahead.sync
	j.ahead.sync = func(file *os.File) error {
		syncs++
		return sync(file)
	}
	commits()
	j.ahead.sync = sync
	after := j.db.Stats()
	return syncs, after.TxStats.GetWrite() - before.TxStats.GetWrite()
}

// StopFlushing leaves it to commits to bring what waits into the database.
func (j *Journal) StopFlushing() { j.flusher.end() }

// Flush brings what waits into the database.
func (j *Journal) Flush() error { return j.flush(context.Background()) }

// Appending reports whether somebody writes entries, or closes the store.
func (j *Journal) Appending() bool {
	free := j.appending.TryLock()
	if free {
		j.appending.Unlock()
	}
	return !free
}
