package gen_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/internal/gen"
)

// Run works in any folder of the module, writes missing and outdated files, and removes
// those of a generated folder that are no longer generated.
func TestRunUpdatesFiles(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example\n", "docs/current": "same", "docs/outdated": "old", "docs/cli/removed": "old", "deep/folder/own": "",
	} {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(filepath.Join(root, "deep", "folder"))
	output := &gen.Output{
		Files:   map[string][]byte{"docs/current": []byte("same"), "docs/outdated": []byte("new"), "docs/cli/missing": []byte("new")},
		Folders: []string{"docs/cli"},
	}
	outdated, err := output.Outdated(root)
	if diff := cmp.Diff([]string{"docs/cli/missing", "docs/cli/removed", "docs/outdated"}, outdated); err != nil || diff != "" {
		t.Errorf("before: %v\n%s", err, diff)
	}
	if err := gen.Run(func(string) (*gen.Output, error) { return output, nil }); err != nil {
		t.Fatal(err)
	}
	if outdated, err := output.Outdated(root); err != nil || outdated != nil {
		t.Errorf("after: %v, %v", outdated, err)
	}
}

func TestRunOutsideOfModule(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	err := gen.Run(func(string) (*gen.Output, error) { return new(gen.Output), nil })
	if err == nil || err.Error() != folder+" is not in a Go module: run the generator in a checkout of this repository" {
		t.Errorf("got %v", err)
	}
}
