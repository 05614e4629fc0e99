package creds

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReplaceFileFollowsLink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	writeText(t, target, "old")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if err := replaceFile(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(target); err != nil || string(got) != "new" {
		t.Errorf("the target contains %q, %v", got, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info.Mode(), err)
	}
}

func TestReplaceFileRestrictsMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := WriteSecretFile(path, []byte("new"), true); err != nil {
		t.Fatal(err)
	}
	checkPrivateMode(t, path)
}

func TestFailedWritesLeaveNoFiles(t *testing.T) {
	dir := t.TempDir()
	// A folder that is not empty cannot be replaced by a file.
	taken := filepath.Join(dir, "taken")
	writeText(t, filepath.Join(taken, "inside"), "kept")
	for name, err := range map[string]error{
		"replace a folder":     replaceFile(taken, []byte("new")),
		"create over a folder": createFile(taken, []byte("new")),
		"no such folder":       replaceFile(filepath.Join(dir, "absent", "file"), []byte("new")),
		"a file as folder":     replaceFile(filepath.Join(taken, "inside", "file"), []byte("new")),
	} {
		if err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", name, err)
		}
	}
	checkNoLeftovers(t, dir, "taken")
	checkNoLeftovers(t, taken, "inside")
}

func TestWriteSecretFileOverwritesOnlyOnRequest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "phrase")
	if err := WriteSecretFile(path, []byte("one"), false); err != nil {
		t.Fatal(err)
	}
	checkPrivateMode(t, path)
	if err := WriteSecretFile(path, []byte("two"), false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second write: %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "one" {
		t.Errorf("the file contains %q, %v", got, err)
	}
}

// If the file system has no hard links, the file is created exclusively instead.
func TestCreateExclusive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "phrase")
	if err := createExclusive(path, []byte("one")); err != nil {
		t.Fatal(err)
	}
	checkPrivateMode(t, path)
	if err := createExclusive(path, []byte("two")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second write: %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "one" {
		t.Errorf("the file contains %q, %v", got, err)
	}
}
