package command

import (
	"os"
	"path/filepath"
	"testing"
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
