package host

import (
	"fmt"
	"os"
	"path/filepath"
)

// hasOpen reports whether a process has a file open. It is true if the process's files
// cannot be listed: then the system does not let this user examine it.
func hasOpen(pid int, path string) bool {
	want, err := os.Stat(path)
	if err != nil {
		return false
	}
	folder := fmt.Sprintf("/proc/%d/fd", pid)
	names, err := os.ReadDir(folder)
	if err != nil {
		return !os.IsNotExist(err)
	}
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(folder, name.Name())); err == nil && os.SameFile(info, want) {
			return true
		}
	}
	return false
}
