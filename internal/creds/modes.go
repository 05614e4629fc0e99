package creds

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// containerSecrets is the folder in which container runtimes put secrets, with mode 0444
// or 0644 unless they are told another.
const containerSecrets = "/run/secrets/"

// UnsafeModeReason returns why a mode that lets others read a file with a secret cannot
// be changed, or does not mean that; "" if the mode counts. Such a file is accepted,
// because its user could do nothing: the folder, the mount or the file system was chosen
// by an administrator. A file of a container's secrets that others could change is not.
func UnsafeModeReason(path string, mode fs.FileMode) string {
	const writable = 0o022
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	switch {
	case strings.HasPrefix(path, containerSecrets) && mode.Perm()&writable == 0:
		return "it is a secret of a container"
	case isReadOnly(path):
		return "it is on a read-only mount"
	case lacksModes(path, mode.Perm()):
		return "its file system has no modes"
	}
	return ""
}
