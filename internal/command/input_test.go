package command

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// A token is a secret: a token file that every user can read is refused.
func TestTokenFilesAccessibleToOthersAreRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("sixteen-letters-\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, good := range map[os.FileMode]bool{0o600: true, 0o400: true, 0o440: true, 0o640: true, 0o644: false, 0o604: false, 0o660: false} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := (&App{Program: &Program{}}).ReadToken(file); (err == nil) != good {
			t.Errorf("with mode %04o: %v", mode, err)
		}
	}
}

// A phrase that cannot be saved has the same error in a command and in AQL.
func TestUnsavedPhrase(t *testing.T) {
	t.Parallel()
	phrase := NodePhrase{Secret: protocol.NewSecret("words"), File: filepath.Join(t.TempDir(), "missing", "phrase")}
	err := phrase.Save()
	if !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "the space was created, but the phrase of its node is not saved: ") {
		t.Error(err)
	}
	if phrase.File != "" {
		t.Errorf("the phrase is said to be in %s", phrase.File)
	}
}
