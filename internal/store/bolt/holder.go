package bolt

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/playctl/playctl/internal/store"
)

// holder is the note that a process with an open store writes beside it, for the
// message that another process prints. It is only informative: the lock is the
// file's own, and a store works if the note cannot be written.
type holder struct {
	PID     int    `json:"pid"`
	Host    string `json:"host"`
	Command string `json:"command"`

	path string
}

func holderPath(path string) string { return path + ".lock" }

// announce writes the holder's note, after the store's lock was taken.
func announce(path string) *holder {
	h := &holder{PID: os.Getpid(), path: holderPath(path)}
	h.Host, _ = os.Hostname()
	// Only the program's name: arguments may be private.
	if program, err := os.Executable(); err == nil {
		h.Command = filepath.Base(program)
	}
	text, err := json.Marshal(h)
	if err != nil {
		return h
	}
	fresh, err := freshFile(h.path)
	if err != nil {
		return h
	}
	if os.WriteFile(fresh, append(text, '\n'), fileMode) != nil || os.Rename(fresh, h.path) != nil {
		_ = os.Remove(fresh)
	}
	return h
}

// remove removes the note, unless another process has written its own since.
func (h *holder) remove() {
	if present, err := readHolder(h.path); err == nil && present.PID == h.PID && present.Host == h.Host {
		_ = os.Remove(h.path)
	}
}

func readHolder(path string) (holder, error) {
	var h holder
	text, err := os.ReadFile(path) //nolint:gosec // beside the store, whose path is the operator's
	if err != nil {
		return h, fmt.Errorf("reading %s: %w", path, err)
	}
	if err := json.Unmarshal(text, &h); err != nil {
		return h, fmt.Errorf("reading %s: %w", path, err)
	}
	return h, nil
}

// locked is the error for a store that another process has open.
func locked(path string) error {
	who := "another process"
	here, _ := os.Hostname()
	// A note about a process that no longer runs was left by a crash.
	if h, err := readHolder(holderPath(path)); err == nil && h.PID > 0 && (h.Host != here || alive(h.PID)) {
		who = fmt.Sprintf("process %d (%s) on %s", h.PID, cmp.Or(h.Command, "unknown program"), cmp.Or(h.Host, "an unknown host"))
	}
	return fmt.Errorf("%w: %s is held by %s; stop it first, or choose another folder for the data", store.ErrLocked, path, who)
}

// alive reports whether a process of this machine may still be running.
func alive(pid int) bool {
	process, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = process.Release() }()
	if runtime.GOOS == "windows" {
		return true
	}
	err = process.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, syscall.EPERM)
}
