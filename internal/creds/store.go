package creds

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"

	"github.com/playctl/playctl/protocol"
)

// credentialsLimit bounds a credentials file: room for about 20,000 agents.
const credentialsLimit = 8 << 20

// roomForMore is the greatest size of one more node in a credentials file, in bytes.
const roomForMore = 4 << 10

// lockRetry is how often a taken lock is tried again.
const lockRetry = 10 * time.Millisecond

// Store is a credentials file on disk. The file has mode 0600, and a file that
// others can read is refused, as ssh does with keys: its content may already be
// known to them, and only the user can decide that. Several processes may use one
// file at once.
type Store struct {
	path string
}

// NewStore returns the Store of the file at path, which need not exist.
func NewStore(path string) *Store { return &Store{path: path} }

// Path returns the path of the file.
func (s *Store) Path() string { return s.path }

// Load reads the file; if it is missing the result has no contexts. It never sees
// an incomplete file. A file that is invalid, too new, or accessible to others is a
// *FileError.
func (s *Store) Load() (*File, error) {
	f, _, err := s.load()
	if err != nil {
		return nil, fmt.Errorf("credentials file: %w", err)
	}
	return f, nil
}

// KeyNow reads the API key of a context again: another program may have stored a
// new one. It is zero if the context belongs to another account by now.
func (s *Store) KeyNow(known *Context) (protocol.Secret, error) {
	file, err := s.Load()
	if err != nil {
		return protocol.Secret{}, err
	}
	now, err := file.Context(known.Name)
	if err != nil {
		return protocol.Secret{}, err
	}
	if now.MainNodeID() != known.MainNodeID() || now.ServerURL != known.ServerURL {
		return protocol.Secret{}, nil
	}
	return now.AccountKey(), nil
}

// Update reads the file, calls change to alter it and replaces it atomically, all
// under a lock against other processes, so that no change is lost. It waits for the
// lock until ctx ends. An error from change, or an invalid result, leaves the file
// unchanged; without a difference nothing is written.
func (s *Store) Update(ctx context.Context, change func(*File) error) (err error) {
	target, err := s.target()
	if err != nil {
		return err
	}
	// The lock is on a separate file, which stays: the credentials file is replaced on
	// each write, and a lock on a replaced file guards nothing.
	lock := flock.New(target + ".lock")
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
		return s.lockError(ctx, err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	f, before, err := s.load()
	if err != nil {
		return fmt.Errorf("credentials file: %w", err)
	}
	if err := change(f); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return fmt.Errorf("credentials file: %w", err)
	}
	after, err := f.encode()
	if err != nil || bytes.Equal(before, after) {
		return err
	}
	// Every writer of the file has the lock, so these are of writers that died.
	removeTemps(target, 0)
	if err := replaceFile(s.path, after); err != nil {
		return fmt.Errorf("credentials file: %w", err)
	}
	return nil
}

// RemoveLeft removes temporary files of writers of the file that died, unless another
// process is writing it now.
func (s *Store) RemoveLeft() error {
	target, err := linkTarget(s.path)
	if err != nil || len(temps(target)) == 0 {
		return nil //nolint:nilerr // the next read reports it
	}
	lock := flock.New(target + ".lock")
	locked, err := lock.TryLock()
	if locked {
		removeTemps(target, 0)
	}
	return errors.Join(err, lock.Close())
}

// Writable fails if the file could not be written now, with more credentials in it, for a
// caller that is about to create something that cannot be created twice. It does not
// change the file.
func (s *Store) Writable() error {
	target, err := s.target()
	if err != nil {
		return err
	}
	size := int64(roomForMore)
	if info, err := os.Stat(target); err == nil {
		size += info.Size()
	}
	if err := testRoom(target, size); err != nil {
		return fmt.Errorf("credentials file: %w", err)
	}
	return nil
}

// target returns the file to write, which is the path or the target of a link
// there. It creates the folder.
func (s *Store) target() (string, error) {
	if err := os.MkdirAll(filepath.Dir(s.path), secretDirMode); err != nil {
		return "", fmt.Errorf("create the folder of the credentials file: %w", err)
	}
	target, err := linkTarget(s.path)
	if err != nil {
		return "", fmt.Errorf("credentials file: %w", err)
	}
	return target, nil
}

func (s *Store) lockError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("credentials file %s: another playctl is writing it: %w", s.path, context.Cause(ctx))
	}
	return fmt.Errorf("lock the credentials file %s: %w", s.path, err)
}

// load returns the file and its bytes, no bytes if it is missing.
func (s *Store) load() (*File, []byte, error) {
	data, err := readText(s.path, credentialsLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return NewFile(), nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if err := checkPrivate(s.path); err != nil {
		return nil, nil, err
	}
	f, err := ParseFile(s.path, data)
	if err != nil {
		return nil, nil, err
	}
	return f, data, nil
}

// checkPrivate refuses a file that its group or others can access, unless
// UnsafeModeReason excuses it. Windows has no such bits.
func checkPrivate(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return readError(path, err)
	}
	if mode := info.Mode().Perm(); mode&othersMask != 0 && UnsafeModeReason(path, mode) == "" {
		return &FileError{Path: path,
			Problem: fmt.Sprintf("its mode is %04o, so others on this machine can read the credentials in it: run \"chmod 600 %s\", and create new nodes if somebody may have read it", mode, path)}
	}
	return nil
}
