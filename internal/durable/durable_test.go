package durable_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/durable"
)

func TestRemoveLeft(t *testing.T) {
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	for _, name := range []string{".a.tmp-old", ".a.tmp-new", ".a.other"} {
		if err := os.WriteFile(path(name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(path(".a.tmp-folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-time.Hour)
	for _, name := range []string{".a.tmp-old", ".a.other", ".a.tmp-folder"} {
		if err := os.Chtimes(path(name), past, past); err != nil {
			t.Fatal(err)
		}
	}
	durable.RemoveLeft(folder, ".a.tmp-", time.Minute)
	for name, want := range map[string]bool{".a.tmp-old": false, ".a.tmp-new": true, ".a.other": true, ".a.tmp-folder": true} {
		if _, err := os.Lstat(path(name)); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", name, err == nil, want)
		}
	}
	if left := durable.Left(folder, ".a.tmp-"); len(left) != 2 {
		t.Errorf("left are %v", left)
	}
	durable.RemoveLeft(path("missing"), ".a.tmp-", 0)
}
