package bolt

import (
	"context"
	"os"
	"time"
)

// The sizes and offsets of a write-ahead log.
const (
	WriteAheadHeader  = writeAheadHeader
	WriteAheadSegment = writeAheadSegment
)

// LogAgain is the number of commits after which creating a log is tried again.
const LogAgain = logAgain

// WriteAheadPath returns the path of a store's write-ahead log.
func WriteAheadPath(path string) string { return writeAheadPath(path) }

// CopyTo copies the files in the state in which a crash at this moment would leave
// them.
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

// Syncs counts how often commits sync the log, and the bytes they write to the
// database, while no waiting commits are flushed to it.
func (j *Journal) Syncs(commits func()) (syncs int, written int64) {
	j.flusher.flushing.Lock()
	defer j.flusher.flushing.Unlock()
	before, file := j.db.Stats(), j.ahead.file
	j.ahead.file = countedFile{file, &syncs}
	commits()
	j.ahead.file = file
	after := j.db.Stats()
	return syncs, after.TxStats.GetWrite() - before.TxStats.GetWrite()
}

// countedFile counts the syncs of a log.
type countedFile struct {
	logFile

	syncs *int
}

func (f countedFile) Sync() error {
	*f.syncs++
	return f.logFile.Sync()
}

// StopFlushing stops the flusher, so that only commits flush waiting data to the
// database.
func (j *Journal) StopFlushing() { j.flusher.end() }

// Flush writes the waiting commits to the database.
func (j *Journal) Flush() error { return j.flush(context.Background()) }

// Appending reports whether an append, or the close of the store, is in progress.
func (j *Journal) Appending() bool {
	free := j.appending.TryLock()
	if free {
		j.appending.Unlock()
	}
	return !free
}

// LookAgain lets the next commit check that the files are at their paths.
func (j *Journal) LookAgain() { j.looked = time.Time{} }

// Unmap leaves the database as it is when it could not be mapped.
func (j *Journal) Unmap() error {
	j.updating.Lock()
	defer j.updating.Unlock()
	j.doubt.Store(true)
	return j.db.Close()
}
