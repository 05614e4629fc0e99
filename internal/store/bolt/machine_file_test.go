package bolt

import (
	"context"
	"errors"
	"os"

	"github.com/playctl/playctl/internal/store"
)

// fileMachine runs a Journal with files, whose operations may fail.
type fileMachine struct {
	faults  *faults
	options Options
	journal *Journal
}

// newFileMachine creates a store in a folder.
func newFileMachine(folder string, f *faults) (*fileMachine, error) {
	o := Options{Path: folder + "/world", RootKey: "root", LockWait: DefaultLockWait}
	if err := os.RemoveAll(folder); err != nil {
		return nil, err
	}
	return &fileMachine{faults: f, options: o}, create(o)
}

func (m *fileMachine) start() (*writer, error) {
	db, file, err := openFile(m.options, true)
	if err != nil {
		return nil, err
	}
	j := newJournal(m.options, "root", db, file)
	m.journal = j
	j.database, j.disk = faultyDatabase{under{j}, m.faults}, faultyDisk{osDisk{}, m.faults}
	j.segmentBytes, j.flusher = testSegment, idleFlusher()
	if err = j.recover(context.Background(), false, false); err != nil {
		return nil, errors.Join(err, j.close())
	}
	return &j.writer, nil
}

func (m *fileMachine) kill(w *writer) error { return errors.Join(w.stop(), m.journal.close()) }

func (m *fileMachine) cut(w *writer) error { return m.kill(w) }

func (m *fileMachine) entries(*writer) (places []store.Place, stored [][]byte, err error) {
	for e, err := range m.journal.Read(context.Background(), 0) {
		if err != nil {
			return nil, nil, err
		}
		places, stored = append(places, e.Place()), append(stored, store.AppendEntry(nil, &e))
	}
	return places, stored, nil
}

func (m *fileMachine) removeLog() { _ = os.Remove(writeAheadPath(m.options.Path)) }

type faultyDatabase struct {
	database

	faults *faults
}

func (d faultyDatabase) extend(ctx context.Context, entries []waiting, id *logID) error {
	return d.faults.around(func() error { return d.database.extend(ctx, entries, id) })
}

func (d faultyDatabase) settle() error { return d.faults.around(d.database.settle) }

// around does something, or fails, or both.
func (f *faults) around(do func() error) error {
	how := f.next()
	if how != fails {
		if err := do(); err != nil {
			return err
		}
	}
	if how != works {
		return errFault
	}
	return nil
}

type faultyDisk struct {
	disk

	faults *faults
}

func (d faultyDisk) create(path string) (file logFile, err error) {
	err = d.faults.around(func() (err error) {
		file, err = d.disk.create(path)
		return err
	})
	if err != nil && file != nil {
		err = errors.Join(err, file.Close())
	}
	return faultyFile{file, d.faults}, err
}

func (d faultyDisk) remove(path string) error {
	return d.faults.around(func() error { return d.disk.remove(path) })
}

func (d faultyDisk) syncFolder(path string) error {
	return d.faults.around(func() error { return d.disk.syncFolder(path) })
}

type faultyFile struct {
	logFile

	faults *faults
}

func (f faultyFile) WriteAt(data []byte, at int64) (n int, err error) {
	err = f.faults.around(func() error {
		n, err = f.logFile.WriteAt(data[:f.faults.IntN(len(data)+1)], at)
		return err
	})
	if err == nil {
		return f.logFile.WriteAt(data, at)
	}
	return n, err
}

func (f faultyFile) Sync() error { return f.faults.around(f.logFile.Sync) }
