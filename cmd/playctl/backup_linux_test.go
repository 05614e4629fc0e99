package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/playctl/playctl/internal/command"
)

// A backup that was reported survives a power failure: its folder is synced to the disk
// after the backup was renamed. At that time nothing else opens the folder.
func TestBackupFolderIsSynced(t *testing.T) {
	t.Parallel()
	home, folder := t.TempDir(), t.TempDir()
	token := filepath.Join(home, "token")
	if err := os.WriteFile(token, []byte("an-administrators-token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	server := serveInProcess(t, home, "--ephemeral", "--admin-token-file", token)
	watch, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(watch) }()
	if _, err := unix.InotifyAddWatch(watch, folder, unix.IN_OPEN|unix.IN_MOVED_TO); err != nil {
		t.Fatal(err)
	}
	var errs strings.Builder
	p := inProcess(home, map[string]string{"PLAYCTL_SERVER": server}, "store", "backup", filepath.Join(folder, "world.backup"),
		"--server", server, "--admin-token-file", token)
	p.Stderr = &errs
	if code := run(t.Context(), p); code != command.ExitDone {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	var happened []string
	for events := make([]byte, 64<<10); ; {
		n, err := unix.Read(watch, events)
		if err != nil {
			break // there are no more events
		}
		for rest := events[:n]; len(rest) > 0; {
			mask, length := binary.NativeEndian.Uint32(rest[4:]), binary.NativeEndian.Uint32(rest[12:])
			name := string(bytes.TrimRight(rest[unix.SizeofInotifyEvent:unix.SizeofInotifyEvent+length], "\x00"))
			rest = rest[unix.SizeofInotifyEvent+length:]
			switch {
			case mask&unix.IN_MOVED_TO != 0:
				happened = append(happened, "named "+name)
			case mask&unix.IN_ISDIR != 0 && name == "":
				happened = append(happened, "opened the folder")
			}
		}
	}
	if got := strings.Join(happened, ", "); !strings.HasSuffix(got, "named world.backup, opened the folder") {
		t.Errorf("the operations in the folder are: %s", got)
	}
}
