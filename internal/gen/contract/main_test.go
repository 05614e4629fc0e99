package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/gen"
	"github.com/playctl/playctl/protocol"
)

func TestGeneratedFilesAreCurrent(t *testing.T) {
	t.Parallel()
	root, err := gen.Root()
	if err != nil {
		t.Fatal(err)
	}
	output, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	outdated, err := output.Outdated(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range outdated {
		t.Errorf("%s is out of date: run go generate ./protocol", name)
	}
}

func TestReferenceStatesTheTimes(t *testing.T) {
	t.Parallel()
	reference, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "protocol.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		fmt.Sprintf("After %d s without an answer", protocol.MaxIntercomSilenceSeconds),
		fmt.Sprintf("the same key within %d hours", protocol.RepeatSeconds/3600),
		fmt.Sprintf("The row changes once in %d s", protocol.MinPersonSeconds),
		fmt.Sprintf("a comment is sent after every %d s of silence", protocol.MaxStreamSilenceSeconds),
		fmt.Sprintf("after a random %d to %d minutes", protocol.MinStreamSeconds/60, protocol.MaxStreamSeconds/60),
		fmt.Sprintf("more than %d items or %d KiB", protocol.MaxAnswers, protocol.MaxAnswersBytes>>10),
	} {
		if !strings.Contains(string(reference), want) {
			t.Errorf("docs/protocol.md lacks %q", want)
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
