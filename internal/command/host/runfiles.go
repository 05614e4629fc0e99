package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/command/place"
	"github.com/playctl/playctl/internal/pause"
)

// These are the files of a host in the background, in the folder of its store.
const (
	pidFile = "host.pid"
	logFile = "host.log"
	// olderLog is the suffix of the previous log, which is replaced when the log reaches its
	// bound.
	olderLog = ".1"
	logBound = 8 << 20
	// pidWait is how long a starting host may take to write its process id.
	pidWait = 20 * time.Millisecond
)

// errNoHost means that no host is running in the background with a folder.
var errNoHost = errors.New("no host is running in the background")

// runFolder returns the folder of those files.
func runFolder(a *command.App, dataDir string) (string, error) {
	if err := place.CheckFolder(a.Sources, dataDir); err != nil {
		return "", err
	}
	if dataDir == "" {
		return "", command.Hintf(command.Usagef("there is no home folder for the log"), "set a folder with --data-dir")
	}
	return a.Absolute(dataDir), nil
}

// pidLock returns the lock of a folder: a host holds the lock of the file with its
// process id until it ends, even if it is killed.
func pidLock(folder string, flags int) *flock.Flock {
	return flock.New(filepath.Join(folder, pidFile), flock.SetFlag(flags), flock.SetPermissions(0o600))
}

// claim locks the folder for this process.
func claim(folder string) (release func() error, err error) {
	lock := pidLock(folder, os.O_CREATE|os.O_RDWR)
	switch held, err := lock.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("lock the folder: %w", err)
	case !held:
		return nil, command.Hintf(fmt.Errorf("a host is already running in the background with %s", folder),
			"\"playctl stop\" stops it; to run another one, set a different --data-dir")
	}
	path := lock.Path()
	end := func() error { return errors.Join(os.Remove(path), lock.Close()) }
	if err := os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("write the process id: %w", err), end())
	}
	return end, nil
}

// runningIn returns the id of the process that runs in the folder; errNoHost if there is
// none, even if the files of an earlier one exist.
func runningIn(ctx context.Context, folder string) (pid int, err error) {
	for {
		lock := pidLock(folder, os.O_RDONLY)
		held, err := lock.TryRLock()
		if errors.Is(err, fs.ErrNotExist) {
			return 0, noHost(folder)
		}
		if err != nil {
			return 0, fmt.Errorf("look for a host: %w", err)
		}
		if held {
			return 0, errors.Join(noHost(folder), lock.Close())
		}
		text, err := os.ReadFile(lock.Path())
		if err == nil {
			if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && pid > 1 {
				return pid, nil
			}
		}
		if !pause.For(ctx, pidWait) {
			return 0, context.Cause(ctx)
		}
	}
}

func noHost(folder string) error {
	return command.Hintf(fmt.Errorf("%w with %s", errNoHost, folder), "\"playctl serve --detach\" starts one; for a host with another folder, use --data-dir")
}

// boundedLog is a log file of limited size: text beyond the limit starts a new log, and
// one previous log is kept.
type boundedLog struct {
	mu    sync.Mutex
	file  *os.File
	size  int64
	bound int64
}

// openLog opens the log for another host. The file itself is never replaced: it is also
// the process's standard error, for messages of the runtime.
func openLog(path string, bound int64) (*boundedLog, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600) //nolint:gosec // G304: in the folder that the operator names
	if err != nil {
		return nil, fmt.Errorf("open the log: %w", err)
	}
	info, err := file.Stat()
	if err := errors.Join(err, file.Chmod(0o600)); err != nil {
		return nil, errors.Join(fmt.Errorf("open the log: %w", err), file.Close())
	}
	return &boundedLog{file: file, size: info.Size(), bound: bound}, nil
}

// Write implements io.Writer.
func (l *boundedLog) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size > 0 && l.size+int64(len(text)) > l.bound {
		if err := l.turn(); err != nil {
			return 0, err
		}
	}
	n, err := l.file.Write(text)
	l.size += int64(n)
	return n, err
}

// turn copies the log to the file of the older log, and empties it.
func (l *boundedLog) turn() (err error) {
	older, err := os.OpenFile(l.file.Name()+olderLog, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("rename the old log: %w", err)
	}
	defer func() { err = errors.Join(err, older.Close()) }()
	if _, err := io.Copy(older, io.NewSectionReader(l.file, 0, l.size)); err != nil {
		return fmt.Errorf("rename the old log: %w", err)
	}
	if err := l.file.Truncate(0); err != nil {
		return fmt.Errorf("start a new log: %w", err)
	}
	l.size = 0
	return nil
}

// Close closes the file.
func (l *boundedLog) Close() error { return l.file.Close() }
