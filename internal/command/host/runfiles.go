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
	"github.com/spf13/pflag"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/command/place"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/pause"
)

// These are the files of a host in the background, in the folder of --run-dir.
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

// runFlags select the folder of those files.
type runFlags struct {
	dataDir, runDir string
}

const (
	dataDirFlag = "data-dir"
	runDirFlag  = "run-dir"
)

// runDirUsage is the help of --run-dir.
const runDirUsage = "the `folder` of the log and the process id of a host in the background (default: the folder of --data-dir)"

// register adds the flags to those of a command for a running host.
func (r *runFlags) register(flags *pflag.FlagSet, a *command.App) {
	place.RegisterDataDir(flags, a, &r.dataDir, folderUsage)
	flags.StringVar(&r.runDir, runDirFlag, "", runDirUsage)
	command.Configurable(flags, runDirFlag)
}

// folder returns the folder of those files.
func (r *runFlags) folder(a *command.App) (string, error) {
	if r.runDir != "" {
		return a.Absolute(r.runDir), nil
	}
	if a.Sources.ByFlag(runDirFlag) {
		return "", command.Usagef("--%s is empty", runDirFlag)
	}
	if err := place.CheckFolder(a.Sources, r.dataDir); err != nil {
		return "", err
	}
	if r.dataDir == "" {
		return "", command.Hintf(fmt.Errorf("%w for the log", creds.ErrNoHome), "set a folder with --%s", dataDirFlag)
	}
	return a.Absolute(r.dataDir), nil
}

// again returns the flags with which another command of this run's shell selects the same
// folder.
func (r *runFlags) again(a *command.App) string {
	switch {
	case a.Sources.ByFlag(runDirFlag):
		return " --" + runDirFlag + " " + command.ShellWord(r.runDir)
	case a.Sources.ByFlag(dataDirFlag):
		return " --" + dataDirFlag + " " + command.ShellWord(r.dataDir)
	}
	return ""
}

// pidLock returns the lock of a folder: a host holds the lock of the file with its
// process id until it ends, even if it is killed.
func pidLock(folder string, flags int) *flock.Flock {
	path := filepath.Join(folder, pidFile)
	return flock.New(path, flock.SetFlag(flags|linkFlags(path)), flock.SetPermissions(0o600))
}

// errClaimed means that another host runs with a folder.
var errClaimed = errors.New("a host is already running in the background")

// claim locks the folder for this process.
func claim(folder string) (release func() error, err error) {
	lock := pidLock(folder, os.O_CREATE|os.O_RDWR)
	switch held, err := lock.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("lock the folder: %w", isLink(lock.Path(), err))
	case !held:
		return nil, fmt.Errorf("%w with %s", errClaimed, folder)
	}
	file, err := openRunFile(lock.Path(), os.O_WRONLY)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	path := lock.Path()
	end := func() error { return errors.Join(os.Remove(path), lock.Close()) }
	err = file.Truncate(0)
	if err == nil {
		_, err = fmt.Fprintln(file, os.Getpid())
	}
	if err := errors.Join(err, file.Close()); err != nil {
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
			return 0, fmt.Errorf("look for a host: %w", isLink(lock.Path(), err))
		}
		if held {
			return 0, errors.Join(noHost(folder), lock.Close())
		}
		pid, err := readPID(lock.Path())
		if err != nil || pid > 1 {
			return pid, err
		}
		if !pause.For(ctx, pidWait) {
			return 0, context.Cause(ctx)
		}
	}
}

// readPID reads the process id in a file, 0 if there is none yet.
func readPID(path string) (pid int, err error) {
	file, err := openRunFile(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	const longest = 32
	text, err := io.ReadAll(io.LimitReader(file, longest))
	if err := errors.Join(err, file.Close()); err != nil {
		return 0, fmt.Errorf("read the process id: %w", err)
	}
	if pid, err = strconv.Atoi(strings.TrimSpace(string(text))); err != nil {
		return 0, nil //nolint:nilerr // it is being written
	}
	return pid, nil
}

func noHost(folder string) error {
	return command.Hintf(fmt.Errorf("%w with %s", errNoHost, folder), "\"playctl serve --detach\" starts one; for a host with another folder, use --%s or --%s", dataDirFlag, runDirFlag)
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
	file, err := openRunFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND)
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
	older, err := openRunFile(l.file.Name()+olderLog, os.O_CREATE|os.O_WRONLY)
	if err == nil {
		err = older.Truncate(0)
	}
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
