package creds

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/playctl/playctl/internal/durable"
)

// Modes of the files and folders of this package: accessible to the owner only.
const (
	secretFileMode fs.FileMode = 0o600
	secretDirMode  fs.FileMode = 0o700
	othersMask     fs.FileMode = 0o077
)

// replaceFile writes data to path so that a reader, even after a crash at any
// moment, sees either the old content or the complete new one. The file gets mode
// 0600. If path is a symbolic link, its target is replaced.
func replaceFile(path string, data []byte) error {
	target, err := linkTarget(path)
	if err != nil {
		return err
	}
	temp, err := writeTemp(target, data)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, target); err != nil {
		return errors.Join(fmt.Errorf("replace %s: %w", target, err), os.Remove(temp))
	}
	return syncFolder(filepath.Dir(target))
}

// createFile is replaceFile for a path that must not exist: an existing file is
// left unchanged, and the error matches fs.ErrExist.
func createFile(path string, data []byte) error {
	removeTemps(path, tempAge)
	temp, err := writeTemp(path, data)
	if err != nil {
		return err
	}
	// A hard link fails if the name is taken; a rename does not.
	linkErr := os.Link(temp, path)
	if err := os.Remove(temp); err != nil {
		return fmt.Errorf("remove %s: %w", temp, err)
	}
	switch {
	case linkErr == nil:
	case errors.Is(linkErr, fs.ErrExist):
		return fmt.Errorf("create %s: %w", path, fs.ErrExist)
	default:
		// The file system has no hard links (FAT, some network shares): an exclusive
		// create overwrites nothing either, but a crash can leave it incomplete.
		if err := createExclusive(path, data); err != nil {
			return err
		}
	}
	return syncFolder(filepath.Dir(path))
}

func createExclusive(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, secretFileMode) //nolint:gosec // G304: the user names the path.
	if err != nil {
		return fmt.Errorf("create %s: %w", path, err)
	}
	if err := fillFile(file, data); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// writeTemp writes data to a new file in path's folder, flushed to the disk,
// and returns its name. On failure nothing is left behind.
func writeTemp(path string, data []byte) (string, error) {
	// os.CreateTemp makes files of mode 0600.
	file, err := os.CreateTemp(filepath.Dir(path), tempPrefix(path)+"*")
	if err != nil {
		return "", fmt.Errorf("write %s: %w", path, err)
	}
	if err := fillFile(file, data); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// tempAge is the age from which a temporary file is one of a writer that died: writing
// takes less than a second.
const tempAge = time.Hour

// tempPrefix is the beginning of the names of the temporary files for path.
func tempPrefix(path string) string { return "." + filepath.Base(path) + ".tmp-" }

// removeTemps removes the temporary files for path of writers that died, which may hold
// secrets: those that are older than age. What cannot be removed stays.
func removeTemps(path string, age time.Duration) {
	durable.RemoveLeft(filepath.Dir(path), tempPrefix(path), age)
}

// temps returns the temporary files for path.
func temps(path string) []string { return durable.Left(filepath.Dir(path), tempPrefix(path)) }

// fillFile writes, flushes and closes file.
func fillFile(file *os.File, data []byte) error {
	_, err := file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("sync it to the disk: %w", err)
	}
	return nil
}

// syncFolder makes a rename in a folder durable.
func syncFolder(path string) error {
	if err := durable.SyncFolder(path); err != nil {
		return fmt.Errorf("flush folder %s: %w", path, err)
	}
	return nil
}

// linkTarget returns the file to which path leads, path itself if it does not exist
// yet.
func linkTarget(path string) (string, error) {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	if err != nil {
		return "", fmt.Errorf("follow the link %s: %w", path, err)
	}
	return target, nil
}

// readLimited reads the whole of path, at most limit bytes.
func readLimited(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path) //nolint:gosec // G304: the user names the path.
	if err != nil {
		return nil, readError(path, err)
	}
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, readError(path, err)
	}
	if int64(len(data)) > limit {
		return nil, &FileError{Path: path, Problem: fmt.Sprintf("it is larger than %d bytes, so it is not the right file", limit)}
	}
	return data, nil
}

// readText is readLimited for a text that people edit: it removes a byte order mark,
// which editors on Windows write.
func readText(path string, limit int64) ([]byte, error) {
	data, err := readLimited(path, limit)
	return bytes.TrimPrefix(data, []byte("\ufeff")), err
}

// readError returns the error of reading path without naming the path twice.
func readError(path string, err error) *FileError {
	cause := err
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		cause = pathErr.Err
	}
	return &FileError{Path: path, Problem: "cannot read it: " + cause.Error(), Err: err}
}

// ReserveSecretFile creates the file of a secret that a host is about to generate, and
// checks that there is room to replace it with the secret. Until then it has blank lines
// only. If the file exists, the error matches fs.ErrExist.
func ReserveSecretFile(path string) error {
	blank := bytes.Repeat([]byte("\n"), reservedSize)
	if err := createFile(path, blank); err != nil {
		return err
	}
	if err := testRoom(path, reservedSize); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// reservedSize is the greatest size of a reserved secret, in bytes.
const reservedSize = 1 << 10

// testRoom fails if a file of a size cannot be written beside path.
func testRoom(path string, size int64) error {
	temp, err := writeTemp(path, make([]byte, size))
	if err != nil {
		return err
	}
	// Another process may have removed it, as one of a writer that died.
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", temp, err)
	}
	return nil
}

// WriteSecretFile writes a secret to the file at path, such as a phrase or an
// export: mode 0600, atomically, flushed to the disk. If the file exists, the error
// matches fs.ErrExist, unless overwrite is true.
func WriteSecretFile(path string, data []byte, overwrite bool) error {
	if overwrite {
		return replaceFile(path, data)
	}
	return createFile(path, data)
}
