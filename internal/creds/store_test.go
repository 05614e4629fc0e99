package creds

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

func newStore(t *testing.T) *Store {
	t.Helper()
	return NewStore(filepath.Join(t.TempDir(), "config", "playctl", "credentials.json"))
}

func addContext(t *testing.T, s *Store, name string) {
	t.Helper()
	if err := s.Update(t.Context(), func(f *File) error { return f.Add(sampleContext(t, name)) }); err != nil {
		t.Fatal(err)
	}
}

func TestStoreStartsEmptyAndPrivate(t *testing.T) {
	s := newStore(t)
	f, err := s.Load()
	if err != nil || len(f.Names()) != 0 {
		t.Fatalf("before the first write: %v", err)
	}
	if _, err := os.Stat(filepath.Dir(s.Path())); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading created a folder: %v", err)
	}
	addContext(t, s, "a")
	checkPrivateMode(t, s.Path())
	checkNoLeftovers(t, filepath.Dir(s.Path()), "credentials.json", "credentials.json.lock")
	if f, err = s.Load(); err != nil || f.Current() != "a" {
		t.Errorf("after it: %v", err)
	}
}

// Other users of the machine could have copied the hashes: playctl must report this
// and not continue.
func TestStoreRefusesFileAccessibleToOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // no such mode bits there
	}
	s := newStore(t)
	addContext(t, s, "a")
	for _, mode := range []fs.FileMode{0o640, 0o604, 0o620, 0o601} {
		if err := os.Chmod(s.Path(), mode); err != nil {
			t.Fatal(err)
		}
		_, loadErr := s.Load()
		updateErr := s.Update(t.Context(), func(*File) error { t.Error("the change was made"); return nil })
		for _, err := range []error{loadErr, updateErr} {
			var fileErr *FileError
			if !errors.As(err, &fileErr) || !strings.Contains(err.Error(), "chmod 600 "+s.Path()) {
				t.Errorf("mode %o: %v", mode, err)
			}
		}
	}
}

func TestFailedUpdateKeepsFile(t *testing.T) {
	s := newStore(t)
	addContext(t, s, "a")
	before, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	refused := errors.New("refused")
	for name, change := range map[string]func(f *File) error{
		"an error":          func(f *File) error { clear(f.contexts); return refused },
		"a broken context":  func(f *File) error { f.contexts["a"].ServerURL = "nowhere"; return nil },
		"a renamed context": func(f *File) error { f.contexts["a"].Name = "b"; return nil },
	} {
		if err := s.Update(t.Context(), change); err == nil {
			t.Errorf("%s: no error", name)
		}
		if after, err := os.ReadFile(s.Path()); err != nil || string(after) != string(before) {
			t.Errorf("%s: the file changed: %v", name, err)
		}
	}
	if err := s.Update(t.Context(), func(*File) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("the caller's error was lost: %v", err)
	}
	checkNoLeftovers(t, filepath.Dir(s.Path()), "credentials.json", "credentials.json.lock")
}

func TestUpdateWithoutChangeWritesNothing(t *testing.T) {
	s := newStore(t)
	addContext(t, s, "a")
	before, err := os.Stat(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), func(f *File) error { return f.Use("a") }); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(s.Path()); err != nil || !os.SameFile(before, after) {
		t.Errorf("the file was replaced: %v", err)
	}
}

func TestUpdateKeepsUnreadableFile(t *testing.T) {
	for name, text := range map[string]string{"broken": `{"version":1,`, "newer": `{"version":2}`} {
		s := newStore(t)
		writeText(t, s.Path(), text)
		err := s.Update(t.Context(), func(f *File) error { return f.Add(sampleContext(t, "a")) })
		var fileErr *FileError
		if !errors.As(err, &fileErr) || !strings.Contains(err.Error(), s.Path()) {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := os.ReadFile(s.Path()); err != nil || string(after) != text {
			t.Errorf("%s: the file became %q, %v", name, after, err)
		}
	}
}

func TestUpdateWaitsForLockUntilDeadline(t *testing.T) {
	s := newStore(t)
	addContext(t, s, "a")
	lock := flock.New(s.Path() + ".lock")
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	err := s.Update(ctx, func(*File) error { t.Error("the change was made"); return nil })
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), s.Path()) {
		t.Errorf("while another writes: %v", err)
	}
	if _, err := s.Load(); err != nil {
		t.Errorf("reading had to wait: %v", err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	addContext(t, s, "b")
}

func TestUnwritableStore(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	writeText(t, file, "")
	s := NewStore(filepath.Join(file, "credentials.json"))
	if err := s.Update(t.Context(), func(*File) error { return nil }); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("a file where the folder should be: %v", err)
	}
	if _, err := s.Load(); err == nil || !strings.Contains(err.Error(), s.Path()) {
		t.Errorf("reading there: %v", err)
	}
}

// Two names of one file are one file, also for the lock.
func TestStoreBehindLink(t *testing.T) {
	s := newStore(t)
	addContext(t, s, "a")
	link := filepath.Join(t.TempDir(), "link.json")
	if err := os.Symlink(s.Path(), link); err != nil {
		t.Fatal(err)
	}
	addContext(t, NewStore(link), "b")
	if f, err := s.Load(); err != nil || len(f.Names()) != 2 {
		t.Errorf("the file behind the link: %v", err)
	}
	checkNoLeftovers(t, filepath.Dir(link), "link.json")
}

// Several programs add entries concurrently while another reads: at the end every
// entry is in the file, and every read saw a complete file.
func TestConcurrentProcessesLoseNoEntries(t *testing.T) {
	s := newStore(t)
	addContext(t, s, "first")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"one", "two", "three", "four"}
	var writers sync.WaitGroup
	for _, name := range names {
		writers.Go(func() {
			cmd := exec.CommandContext(t.Context(), program)
			cmd.Env = append(os.Environ(), envWriter+"="+name+"="+s.Path())
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("writer %s: %v\n%s", name, err, out)
			}
		})
	}
	done := make(chan struct{})
	go func() {
		writers.Wait()
		close(done)
	}()
	for seen, running := 0, true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		f, err := s.Load()
		if err != nil || len(f.Names()) < seen {
			t.Fatalf("a reader saw %v after %d contexts", err, seen)
		}
		seen = len(f.Names())
	}
	f, err := s.Load()
	if err != nil || len(f.Names()) != 1+len(names)*writerContexts {
		t.Errorf("%d contexts remain, %v", len(f.Names()), err)
	}
	checkNoLeftovers(t, filepath.Dir(s.Path()), "credentials.json", "credentials.json.lock")
}
