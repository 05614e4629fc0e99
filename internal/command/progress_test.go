package command

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Progress says how much is done, and of how much if that is known.
func TestProgress(t *testing.T) {
	t.Parallel()
	var p Progress
	want := func(label, text string) {
		t.Helper()
		if label != text {
			t.Errorf("the label is %q, want %q", label, text)
		}
	}
	bytes, items := p.Bytes("Copying"), p.Items("Checking", "entries")
	want(bytes(), "Copying")
	if _, err := p.Writer(io.Discard).Write(make([]byte, 3<<19)); err != nil {
		t.Fatal(err)
	}
	want(bytes(), "Copying: 1.5 MiB")
	p.Expect(0)
	p.Add(12345)
	want(items(), "Checking: 12345 entries")
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(strings.Repeat("x", 1<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	in := p.Input(file)
	want(bytes(), "Copying")
	if _, err := io.CopyN(io.Discard, in, 1<<19); err != nil {
		t.Fatal(err)
	}
	want(bytes(), "Copying: 0.5 of 1.0 MiB")
}
