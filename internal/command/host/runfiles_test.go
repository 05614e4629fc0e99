package host

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Text beyond the bound starts a new log; one previous log is kept.
func TestLogIsBounded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), logFile)
	const bound = 100
	log, err := openLog(path, bound)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	for i := range 50 {
		if _, err := fmt.Fprintf(log, "line %02d\n", i); err != nil {
			t.Fatal(err)
		}
	}
	var kept string
	for _, name := range []string{path + olderLog, path} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > bound || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has %d bytes and mode %v", name, info.Size(), info.Mode())
		}
		kept += string(text)
	}
	lines := strings.Split(strings.TrimSuffix(kept, "\n"), "\n")
	for i, line := range lines {
		if want := fmt.Sprintf("line %02d", 50-len(lines)+i); line != want {
			t.Errorf("kept line %d is %q, want %q", i, line, want)
		}
	}
	if len(lines) < bound/10 {
		t.Errorf("only %d lines are kept", len(lines))
	}
}

// A folder belongs to one host until it ends, and a killed host leaves it free.
func TestFolderIsClaimedOnce(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if _, err := runningIn(t.Context(), folder); err == nil {
		t.Error("a host runs in an empty folder")
	}
	release, err := claim(folder)
	if err != nil {
		t.Fatal(err)
	}
	if pid, err := runningIn(t.Context(), folder); err != nil || pid != os.Getpid() {
		t.Errorf("the process is %d, %v", pid, err)
	}
	if _, err := claim(folder); err == nil {
		t.Error("the folder was claimed twice")
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	// A killed host leaves the file without a lock.
	if err := os.WriteFile(filepath.Join(folder, pidFile), []byte("1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if pid, err := runningIn(t.Context(), folder); err == nil {
		t.Errorf("the file of an ended host states that process %d runs", pid)
	}
	if release, err = claim(folder); err != nil {
		t.Fatal(err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
}
