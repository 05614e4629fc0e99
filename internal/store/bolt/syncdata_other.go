//go:build !linux

package bolt

import "os"

// syncData puts written data of a file on stable storage.
func syncData(file *os.File) error { return file.Sync() }
