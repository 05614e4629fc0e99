//go:build unix

package command

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A command that writes nothing ends when the reader of its output closes the pipe, as it
// does at a write.
func TestWhileRead(t *testing.T) {
	t.Parallel()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = writer.Close() }()
	a := &App{Program: &Program{Stdout: writer}}
	first, stop := a.WhileRead(t.Context())
	stop()
	if cause := context.Cause(first); !errors.Is(cause, context.Canceled) {
		t.Errorf("after stop the cause is %v", cause)
	}
	second, stop := a.WhileRead(t.Context())
	defer stop()
	if second.Err() != nil {
		t.Errorf("the context of an open pipe has ended: %v", context.Cause(second))
	}
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	<-second.Done()
	_, written := writer.WriteString("event\n")
	if cause := context.Cause(second); !readerLeft(cause) || ExitCode(cause) != ExitDone || cause.Error() != written.Error() {
		t.Errorf("the cause is %v, and the error of a write %v", cause, written)
	}
}

// A file has no reader, and is not watched.
func TestWhileReadOfFile(t *testing.T) {
	t.Parallel()
	file, err := os.Create(filepath.Join(t.TempDir(), "events.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	ctx, stop := (&App{Program: &Program{Stdout: file}}).WhileRead(t.Context())
	defer stop()
	if ctx != t.Context() {
		t.Error("the context of a file is another one")
	}
}
