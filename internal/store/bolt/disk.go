package bolt

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// disk is the file system as the write-ahead log uses it.
type disk interface {
	// create creates an empty file, in place of one that is there.
	create(path string) (logFile, error)
	// read returns the content of a file, at most limit bytes. The error is
	// fs.ErrNotExist if there is none, or something else than a file.
	read(path string, limit int64) ([]byte, error)
	rename(from, to string) error
	remove(path string) error
	// syncFolder puts the names of the files in a folder on stable storage.
	syncFolder(path string) error
}

// logFile is an open write-ahead log.
type logFile interface {
	io.WriterAt
	io.Closer
	// Sync puts the written data on stable storage.
	Sync() error
	// present returns an error unless the file is still at its path.
	present() error
}

// osDisk is the disk of the operating system.
type osDisk struct{}

// osFile is a file of osDisk.
type osFile struct{ *os.File }

// Sync implements logFile.
func (f osFile) Sync() error { return syncData(f.File) }

func (f osFile) present() error { return samePath(f.File, f.Name()) }

func (osDisk) create(path string) (logFile, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, fileMode) //nolint:gosec // beside the store, whose path is the operator's
	if err != nil {
		return nil, err
	}
	return osFile{file}, nil
}

func (osDisk) read(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file: %w", path, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path) //nolint:gosec // beside the store, whose path is the operator's
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, limit))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return text, nil
}

func (osDisk) rename(from, to string) error { return os.Rename(from, to) }

func (osDisk) remove(path string) error { return os.Remove(path) }

func (osDisk) syncFolder(path string) error { return syncFolder(path) }
