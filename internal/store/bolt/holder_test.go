package bolt_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/bolt"
)

// The test binary runs itself as another process, with its role in roleVariable.
const (
	roleVariable = "PLAYCTL_TEST_STORE_ROLE"
	pathVariable = "PLAYCTL_TEST_STORE_PATH"
	roleHolder   = "holder"
	roleFull     = "full disk"
)

// runRole runs the role of this process, if it has one.
func runRole() (status int, hasRole bool) {
	path, role := os.Getenv(pathVariable), os.Getenv(roleVariable)
	if role == roleHolder {
		return hold(path), true
	}
	if play := platformRoles[role]; play != nil {
		return play(path), true
	}
	return 0, false
}

// hold opens the store, reports it, and keeps it open until its input ends.
func hold(path string) int {
	j, err := bolt.Open(context.Background(), bolt.Options{Path: path})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("held")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	if err := j.Close(); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// startRole prepares the test binary in a role.
func startRole(t *testing.T, role, path string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), roleVariable+"="+role, pathVariable+"="+path)
	return cmd
}

func TestLockedStoreNamesItsHolder(t *testing.T) {
	o := createdStore(t)
	cmd := startRole(t, roleHolder, o.Path)
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(output).ReadString('\n'); line != "held\n" {
		t.Fatalf("the other process wrote %q, %v", line, err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	named := fmt.Sprintf("process %d (%s)", cmd.Process.Pid, filepath.Base(self))
	refused := func(what, text string) {
		t.Helper()
		for _, readOnly := range []bool{false, true} {
			o.ReadOnly = readOnly
			if _, err := bolt.Open(context.Background(), o); !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), text) {
				t.Errorf("%s (read-only: %t): %v; want an error that contains %q", what, readOnly, err, text)
			}
		}
	}
	note := o.Path + ".lock"
	refused("with the holder's note", named)
	if _, _, err := bolt.Compact(context.Background(), o.Path); !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), named) {
		t.Errorf("Compact of a locked store: %v", err)
	}
	overwrite(t, note, []byte(`{"pid":`))
	refused("with a truncated note", "held by another process")
	here, _ := os.Hostname()
	gone := exec.CommandContext(t.Context(), self, "-test.run=^$")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	overwrite(t, note, fmt.Appendf(nil, `{"pid":%d,"host":%q,"command":"old"}`, gone.Process.Pid, here))
	refused("with the note of a dead process", "held by another process")
	overwrite(t, note, []byte(`{"pid":77,"host":"elsewhere","command":"playctl"}`))
	refused("with a note from another machine", "process 77 (playctl) on elsewhere")
	if err := os.Remove(note); err != nil {
		t.Fatal(err)
	}
	refused("without a note", "held by another process")
	if err := input.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("the other process: %v", err)
	}
	o.ReadOnly = false
	closeStore(t, open(t, o))
}

// TestLockEndsWithItsProcess kills the holder: the store can be opened immediately,
// and the remaining note of the holder does no harm.
func TestLockEndsWithItsProcess(t *testing.T) {
	o := createdStore(t)
	cmd := startRole(t, roleHolder, o.Path)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(output).ReadString('\n'); line != "held\n" {
		t.Fatalf("the other process wrote %q, %v", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	j := open(t, o)
	if head, err := j.Head(context.Background()); err != nil || head != 2 {
		t.Errorf("Head: %d, %v; want 2", head, err)
	}
	closeStore(t, j)
	if _, err := os.Stat(o.Path + ".lock"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the note still exists: %v", err)
	}
}
