// Package durable brings the names of files to the disk, and removes files that did not
// get their names because their writers were killed.
package durable

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// SyncFolder makes the names of the files in a folder durable, as after a file was made or
// renamed: a power cut may take back a name that was not synced. Windows has no such
// call.
func SyncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(path) //nolint:gosec // the folder of a file that the user or the operator names
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// Left returns the paths of the files in a folder whose names begin with a prefix, such as
// temporary files; none if the folder cannot be read.
func Left(folder, prefix string) (paths []string) {
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), prefix) {
			paths = append(paths, filepath.Join(folder, entry.Name()))
		}
	}
	return paths
}

// RemoveLeft removes those of the files that Left returns that were not changed for an age:
// their writers were killed. Files that cannot be removed stay.
func RemoveLeft(folder, prefix string, age time.Duration) {
	for _, path := range Left(folder, prefix) {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) >= age {
			_ = os.Remove(path)
		}
	}
}
