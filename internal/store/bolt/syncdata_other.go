//go:build !linux

package bolt

import "os"

// syncData puts what was written to a file on stable storage.
func syncData(file *os.File) error { return file.Sync() }
