package bolt

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/playctl/playctl/internal/store"
)

// errFault is the error of an operation that a test lets fail.
var errFault = fmt.Errorf("%w: input/output error", store.ErrUnavailable)

// faults decides which operations fail.
type faults struct {
	*rand.Rand
	// rate is how many of 100 operations fail.
	rate int
}

// fault is what happens to an operation.
type fault int

const (
	works fault = iota
	fails
	// lies is carried out and fails.
	lies
)

func (f *faults) next() fault {
	if f.rate == 0 || f.IntN(100) >= f.rate {
		return works
	}
	return fails + fault(f.IntN(2))
}

// memoryDisk is a disk that loses in a power cut what was not synced.
type memoryDisk struct {
	faults *faults
	// names are the files, stored those that a power cut leaves.
	names, stored map[string]*memoryFile
}

// memoryFile is a file of a memoryDisk.
type memoryFile struct {
	disk *memoryDisk
	name string
	// now is the content, stored the one that a power cut leaves at least.
	now, stored []byte
	// dirty are the writes since the last sync, which may be stored or not.
	dirty []change
}

type change struct {
	at   int64
	data []byte
}

func newMemoryDisk(f *faults) *memoryDisk {
	return &memoryDisk{faults: f, names: map[string]*memoryFile{}, stored: map[string]*memoryFile{}}
}

func (d *memoryDisk) create(path string) (logFile, error) {
	how := d.faults.next()
	if how == fails {
		return nil, errFault
	}
	file := d.names[path]
	if file == nil {
		file = &memoryFile{disk: d, name: path}
		d.names[path] = file
	}
	file.now = nil
	if how == lies {
		return nil, errFault
	}
	return file, nil
}

func (d *memoryDisk) read(path string, limit int64) ([]byte, error) {
	file := d.names[path]
	if file == nil {
		return nil, fs.ErrNotExist
	}
	if d.faults.next() != works {
		return nil, errFault
	}
	return slices.Clone(file.now[:min(int64(len(file.now)), limit)]), nil
}

func (d *memoryDisk) rename(from, to string) error {
	return d.change(func() { d.names[to] = d.names[from]; delete(d.names, from) })
}

func (d *memoryDisk) remove(path string) error {
	return d.change(func() { delete(d.names, path) })
}

func (d *memoryDisk) syncFolder(string) error {
	return d.change(func() { d.stored = maps.Clone(d.names) })
}

func (d *memoryDisk) change(apply func()) error {
	how := d.faults.next()
	if how != fails {
		apply()
	}
	if how != works {
		return errFault
	}
	return nil
}

// cut loses what was not synced, or some of it.
func (d *memoryDisk) cut() {
	for name, file := range d.names {
		if d.stored[name] != file && d.faults.IntN(2) == 0 {
			d.stored[name] = file
		}
	}
	for name := range d.stored {
		if d.names[name] == nil && d.faults.IntN(2) == 0 {
			delete(d.stored, name)
		}
	}
	d.names = maps.Clone(d.stored)
	for name, file := range d.names {
		content := slices.Clone(file.stored)
		for _, c := range file.dirty {
			switch d.faults.IntN(3) {
			case 0:
				content = written(content, c.at, c.data)
			case 1:
				content = written(content, c.at, c.data[:d.faults.IntN(len(c.data)+1)])
			}
		}
		d.names[name] = &memoryFile{disk: d, name: name, now: content, stored: slices.Clone(content)}
	}
	d.stored = maps.Clone(d.names)
}

func written(content []byte, at int64, data []byte) []byte {
	if end := int(at) + len(data); end > len(content) {
		content = append(content, make([]byte, end-len(content))...)
	}
	copy(content[at:], data)
	return content
}

func (f *memoryFile) WriteAt(data []byte, at int64) (int, error) {
	how := f.disk.faults.next()
	n := len(data)
	if how == fails {
		n = f.disk.faults.IntN(n + 1)
	}
	c := change{at, slices.Clone(data[:n])}
	f.now, f.dirty = written(f.now, at, c.data), append(f.dirty, c)
	if how != works {
		return n, errFault
	}
	return n, nil
}

// Sync stores the writes since the last one. If it fails, they are not stored by the
// next one either, as on Linux.
func (f *memoryFile) Sync() error {
	how := f.disk.faults.next()
	if how == works || how == lies {
		f.stored = slices.Clone(f.now)
	}
	f.dirty = nil
	if how != works {
		return errFault
	}
	return nil
}

func (f *memoryFile) Close() error { return nil }

func (f *memoryFile) present() error {
	if f.disk.names[f.name] != f {
		return errReplaced
	}
	return nil
}

// memoryDatabase is a database that loses in a power cut what was not synced.
type memoryDatabase struct {
	faults *faults
	// now is the content; before is the one that a power cut may leave instead while
	// there is doubt.
	now, before databaseContent
	doubt       bool
	gone        bool
}

type databaseContent struct {
	entries  []waiting
	id, left logID
}

func (d *memoryDatabase) end(context.Context) (store.Place, logID, error) {
	n := len(d.now.entries)
	if n == 0 {
		return store.Place{}, d.now.id, nil
	}
	return d.now.entries[n-1].Place, d.now.id, nil
}

func (d *memoryDatabase) left(context.Context) (logID, error) { return d.now.left, nil }

func (d *memoryDatabase) settle() error {
	if d.doubt && d.faults.next() != works {
		return errFault
	}
	d.doubt = false
	return nil
}

func (d *memoryDatabase) extend(_ context.Context, entries []waiting, id *logID) error {
	if err := d.settle(); err != nil {
		return err
	}
	next := databaseContent{slices.Clip(d.now.entries), d.now.id, d.now.left}
	for i := range entries {
		at := store.Position(len(next.entries))
		if entries[i].Position > at+1 {
			return fmt.Errorf("%w: a gap after %d", store.ErrCorrupt, at)
		}
		if entries[i].Position == at+1 {
			next.entries = append(next.entries, entries[i])
		}
	}
	if id != nil {
		if *id == (logID{}) && next.id != *id {
			next.left = next.id
		}
		next.id = *id
	}
	switch d.faults.next() {
	case works:
		d.now = next
		return nil
	case lies:
		d.now, d.before, d.doubt = next, d.now, true
	}
	return errFault
}

func (d *memoryDatabase) present() error {
	if d.gone {
		return errReplaced
	}
	return nil
}

// cut loses a write that was not synced, or not.
func (d *memoryDatabase) cut() {
	if d.doubt && d.faults.IntN(2) == 0 {
		d.now = d.before
	}
	d.doubt = false
}

// memoryMachine runs a writer on a memoryDisk and a memoryDatabase.
type memoryMachine struct {
	faults   *faults
	disk     *memoryDisk
	database *memoryDatabase
}

func newMemoryMachine(f *faults) *memoryMachine {
	return &memoryMachine{f, newMemoryDisk(f), &memoryDatabase{faults: f}}
}

func (m *memoryMachine) start() (*writer, error) {
	w := &writer{database: m.database, disk: m.disk, path: "world", segmentBytes: testSegment, flusher: idleFlusher()}
	err := w.recover(context.Background(), false, false)
	return w, err
}

func (m *memoryMachine) kill(*writer) error { return nil }

func (m *memoryMachine) cut(*writer) error {
	m.disk.cut()
	m.database.cut()
	return nil
}

func (m *memoryMachine) entries(w *writer) ([]store.Place, [][]byte, error) {
	var places []store.Place
	var stored [][]byte
	for _, e := range slices.Concat(m.database.now.entries, w.pending.all()) {
		if len(places) > 0 && e.Position <= places[len(places)-1].Position {
			continue // it is in the database, too
		}
		places, stored = append(places, e.Place), append(stored, e.stored)
	}
	return places, stored, nil
}

// removeLog removes the log, as somebody else might.
func (m *memoryMachine) removeLog() { delete(m.disk.names, writeAheadPath("world")) }
