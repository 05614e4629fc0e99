package creds

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/playctl/playctl/protocol"
)

// A node that is being created is in the file until it is dropped, and nothing else
// changes.
func TestPendingNodes(t *testing.T) {
	t.Parallel()
	store := NewStore(filepath.Join(t.TempDir(), "credentials.json"))
	made, err := NewContext("home", "https://play.example.com", protocol.ServicePlay, time.Unix(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	made.Main = &MainNode{NodeID: HashPhrase("an id").Reveal(), PasswHash: HashPhrase("a phrase"), CreatedAt: time.Unix(1, 0)}
	if err := store.Update(t.Context(), func(f *File) error { return f.AddPending(Pending{Context: made, Use: true}) }); err != nil {
		t.Fatal(err)
	}
	file, err := store.Load()
	if err != nil {
		t.Fatal(err)
	}
	pending := file.Pending()
	if len(pending) != 1 || !pending[0].Use || pending[0].Context.Name != "home" || pending[0].NodeID() != made.Main.NodeID || len(file.Names()) != 0 {
		t.Fatalf("the file has %+v and the contexts %v", pending, file.Names())
	}
	file.DropPending(made.Main.NodeID)
	if len(file.Pending()) != 0 {
		t.Error("the node is still there")
	}
}

// Only one process creates nodes at a time.
func TestCreatingExcludesOthers(t *testing.T) {
	t.Parallel()
	store := NewStore(filepath.Join(t.TempDir(), "credentials.json"))
	end, err := store.Creating(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if other, err := store.TryCreating(); other != nil || err != nil {
		t.Fatalf("a second one: %t, %v", other != nil, err)
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	other, err := store.TryCreating()
	if other == nil || err != nil {
		t.Fatalf("after the end: %v", err)
	}
	if err := other(); err != nil {
		t.Fatal(err)
	}
}

// Temporary files of writers that died are removed; those of other files stay.
func TestLeftTemporaryFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	store := NewStore(filepath.Join(folder, "credentials.json"))
	left, other := filepath.Join(folder, ".credentials.json.tmp-1"), filepath.Join(folder, ".notes.tmp-1")
	for _, path := range []string{left, other} {
		if err := os.WriteFile(path, []byte("a secret"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.RemoveLeft(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file that was left: %v", err)
	}
	if _, err := os.Stat(other); err != nil {
		t.Errorf("the file of another program: %v", err)
	}
	// A file without a lock may be in use, unless it is old.
	phrase := filepath.Join(folder, "main.txt")
	old, young := filepath.Join(folder, ".main.txt.tmp-1"), filepath.Join(folder, ".main.txt.tmp-2")
	for _, path := range []string{old, young} {
		if err := os.WriteFile(path, []byte("a secret"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hours := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(old, hours, hours); err != nil {
		t.Fatal(err)
	}
	if err := WriteSecretFile(phrase, []byte("a phrase\n"), false); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old file: %v", err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Errorf("the young file: %v", err)
	}
}
