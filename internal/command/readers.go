package command

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/playctl/playctl/internal/creds"
)

// CheckReaders refuses a file with secrets that everybody can read or that users other
// than its owner can change. Its group may read it, because containers get secrets in
// this way. Windows has no such permission bits, and a pipe has one reader. A file whose
// mode cannot be changed is accepted.
func CheckReaders(path string) error {
	_, err := readersOf(path)
	return err
}

// CheckSecretFile is CheckReaders for a file that a run uses: it names the file in the
// error, and warns if a file is accepted although others may read it.
func (a *App) CheckSecretFile(name string) error {
	warning, err := readersOf(a.Absolute(name))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if warning != "" {
		a.Warn(name+": "+warning, "if other people use this machine, give the secret mode 0400 where it is mounted, or copy it to a file that only you can read")
	}
	return nil
}

// readersOf returns what to warn of about the readers of a file, or the error of
// CheckReaders.
func readersOf(path string) (warning string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("cannot read it: %w", err)
	}
	mode := info.Mode()
	if !mode.IsRegular() || mode.Perm()&0o026 == 0 || runtime.GOOS == "windows" {
		return "", nil
	}
	problem := fmt.Sprintf("its mode is %04o, so others on this machine can read the secret in it", mode.Perm())
	if reason := creds.UnsafeModeReason(path, mode); reason != "" {
		return problem + "; it is used nevertheless, because " + reason, nil
	}
	return "", Hintf(errors.New(problem), "run \"chmod 600 %s\", and change the secret if somebody may have read it", ShellWord(path))
}
