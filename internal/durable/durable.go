// Package durable brings the names of files to the disk.
package durable

import (
	"errors"
	"os"
	"runtime"
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
