package host

import (
	"path/filepath"
	"testing"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
)

// If two hosts start for the first time at the same time, the second one uses the key
// from the file that the first one has created.
func TestRootKeyFileCreatedMeanwhileIsUsed(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	a := &command.App{Program: &command.Program{LookupEnv: func(string) (string, bool) { return "", false }, Home: home, Dir: home}}
	key := creds.GenerateRootKey()
	if err := creds.WriteRootFile(filepath.Join(home, ".playctl", "root"), key, false); err != nil {
		t.Fatal(err)
	}
	into := &served{}
	if err := makeRootKey(a, &serveSettings{}, into); err != nil || into.root.Key != key || into.rootMade {
		t.Errorf("the key is %q, created %v, %v; want %q", into.root.Key, into.rootMade, err, key)
	}
}
