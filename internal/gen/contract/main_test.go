package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGeneratedFilesAreCurrent(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	files, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is out of date: run go generate ./protocol (-contract +file)\n%s", name, diff)
		}
	}
}

func TestSourcesDoNotOverwriteEachOther(t *testing.T) {
	t.Parallel()
	into := object{"paths": object{"/a": 1}}
	err := join(into, object{"paths": object{"/b": 2, "/a": 3}}, "")
	if err == nil || err.Error() != "/paths//a is in two sources" {
		t.Errorf("two sources that have one path: %v", err)
	}
}
