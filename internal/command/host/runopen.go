package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/playctl/playctl/internal/command"
)

// errPlanted means that somebody else may have put a file into a folder.
var errPlanted = errors.New("others may write to its folder")

// planted returns the error of a file that somebody else may have put there.
func planted(path, what string) error {
	return command.Hintf(fmt.Errorf("%s %s, and %w", path, what, errPlanted),
		"remove it, and use a folder that only you may write to: \"chmod go-w %s\"", command.ShellWord(filepath.Dir(path)))
}

// isLink replaces the error of the system for a link that was not followed.
func isLink(path string, err error) error {
	if errors.Is(err, syscall.ELOOP) {
		return planted(path, "is a link")
	}
	return err
}

// linkFlags returns the flags with which a file is opened: where others may write to its
// folder no link is followed, and no reader of a pipe is waited for.
func linkFlags(path string) int {
	if ownFolder(filepath.Dir(path)) {
		return 0
	}
	return noFollow
}

// openRunFile opens one of the files of a host in the background, with mode 0600 if it is
// new. Where others may write to the folder, it must be a regular file of this user with
// one name. The error matches errPlanted if it is not.
func openRunFile(path string, flags int) (*os.File, error) {
	links := linkFlags(path)
	file, err := os.OpenFile(path, flags|links, 0o600) //nolint:gosec // G304: in the folder that the operator names
	if err != nil {
		return nil, isLink(path, err)
	}
	if links == 0 {
		return file, nil
	}
	info, err := file.Stat()
	if err == nil && (!info.Mode().IsRegular() || !ownFile(info)) {
		err = planted(path, "is not a file of your own")
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// ownFolder reports whether nobody but this user and the administrator may change the
// names in a folder. It is true for a folder that cannot be examined: its files cannot be
// opened either.
func ownFolder(path string) bool {
	info, err := os.Stat(path)
	return err != nil || info.Mode()&fs.FileMode(0o022) == 0 && trustedOwner(info)
}
