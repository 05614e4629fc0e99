package creds

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Modes of files that their user can change count; those of a container's secrets do not,
// unless others could change the secret.
func TestUnsafeModeReason(t *testing.T) {
	t.Parallel()
	own := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(own, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		path    string
		mode    fs.FileMode
		excused bool
	}{
		{own, 0o644, false},
		{own, 0o777, false},
		{"/run/secrets/token", 0o444, true},
		{"/run/secrets/token", 0o644, true},
		{"/run/secrets/token", 0o666, false},
		{"/run/secrets.d/token", 0o444, false},
		{"/run/secrets/../token", 0o444, false},
	} {
		if got := UnsafeModeReason(filepath.Clean(test.path), test.mode); (got != "") != test.excused {
			t.Errorf("%s of mode %04o: %q, want an excuse: %v", test.path, test.mode, got, test.excused)
		}
	}
}
