package creds

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/playctl/playctl/protocol"
)

const (
	keyA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	keyB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	keyC = "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
	keyD = "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"
)

// directories is a test's own home folder, working folder and environment.
type directories struct {
	env  Environment
	vars map[string]string
}

func newDirectories(t *testing.T) *directories {
	t.Helper()
	p := &directories{vars: map[string]string{}}
	p.env = Environment{
		LookupEnv: func(name string) (string, bool) { v, ok := p.vars[name]; return v, ok },
		Home:      t.TempDir(), Dir: t.TempDir(),
	}
	return p
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFindRootFileOrder(t *testing.T) {
	p := newDirectories(t)
	check := func(flag, key, path string) {
		t.Helper()
		got, err := p.env.FindRootFile(flag)
		if want := (RootFile{Key: key, Path: path}); err != nil || got != want {
			t.Errorf("found %+v, %v, want %+v", got, err, want)
		}
	}
	_, err := p.env.FindRootFile("")
	if !errors.Is(err, ErrNoRootFile) || !strings.Contains(err.Error(), filepath.Join(p.env.Home, ".playctl", "root")) ||
		!strings.Contains(err.Error(), filepath.Join(p.env.Dir, ".root")) {
		t.Errorf("no root file: %v", err)
	}
	local := filepath.Join(p.env.Dir, ".root")
	writeText(t, local, keyD)
	check("", keyD, local)
	own := filepath.Join(p.env.Home, ".playctl", "root")
	writeText(t, own, keyC)
	check("", keyC, own)
	writeText(t, filepath.Join(p.env.Dir, "from-env"), keyB)
	p.vars[EnvRootFile] = "from-env"
	check("", keyB, filepath.Join(p.env.Dir, "from-env"))
	flag := filepath.Join(t.TempDir(), "from-flag")
	writeText(t, flag, " "+strings.ToUpper(keyA)+"\r\n")
	check(flag, keyA, flag)
	p.vars[EnvRootFile] = ""
	check("", keyC, own)
	p.env.Home = ""
	check("", keyD, local)
}

// A host with a configured key must not start on another.
func TestFindRootFileDoesNotSkipUnreadableFile(t *testing.T) {
	p := newDirectories(t)
	writeText(t, filepath.Join(p.env.Dir, ".root"), keyD)
	if _, err := p.env.FindRootFile("absent"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "--root-file") {
		t.Errorf("named by flag: %v", err)
	}
	p.vars[EnvRootFile] = "absent"
	if _, err := p.env.FindRootFile(""); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), EnvRootFile) {
		t.Errorf("named by the environment: %v", err)
	}
	delete(p.vars, EnvRootFile)
	own := filepath.Join(p.env.Home, ".playctl", "root")
	writeText(t, own, "broken")
	var fileErr *FileError
	if _, err := p.env.FindRootFile(""); !errors.As(err, &fileErr) || fileErr.Path != own {
		t.Errorf("a broken file in the home folder: %v", err)
	}
}

func TestParseRootFileErrors(t *testing.T) {
	for name, c := range map[string]struct {
		content      string
		line, column int
		message      string
	}{
		"empty":           {"", 1, 0, "empty"},
		"blank":           {" \n\n\ufeff", 1, 0, "empty"},
		"short":           {"\n" + keyA[1:], 2, 0, "has 63"},
		"long":            {keyA + "a\n", 1, 0, "has 65"},
		"not hex":         {"\ufeff" + keyA[:10] + "g" + keyA[11:], 1, 12, "another character"},
		"two keys":        {keyA + "\n" + keyB, 1, 65, "another character"},
		"a comment first": {"# my key\n" + keyA, 1, 1, "another character"},
		"not UTF-8":       {"ab\xff", 1, 3, "another character"},
		"a phrase":        {"\namber angle apple", 2, 2, "another character"},
	} {
		key, err := ParseRootFile("/some/root", []byte(c.content))
		var fileErr *FileError
		if !errors.As(err, &fileErr) || key != "" {
			t.Errorf("%s: %q, %v", name, key, err)
			continue
		}
		if fileErr.Line != c.line || fileErr.Column != c.column || !strings.Contains(err.Error(), c.message) || !strings.HasPrefix(err.Error(), "/some/root:") {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(err.Error(), "amber") {
			t.Errorf("%s: the error quotes the file", name)
		}
	}
}

func TestReadRootFileRefusesOtherFiles(t *testing.T) {
	big := filepath.Join(t.TempDir(), "big")
	writeText(t, big, strings.Repeat("a", rootFileLimit+1))
	for name, path := range map[string]string{"a folder": t.TempDir(), "too big": big} {
		var fileErr *FileError
		if _, err := ReadRootFile(path); !errors.As(err, &fileErr) || fileErr.Path != path || strings.Count(err.Error(), path) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParseRootFile(f *testing.F) {
	for _, seed := range []string{"", keyA, "\ufeff" + keyA + "\r\n", keyA[1:], strings.ToUpper(keyA), "g", "\xff\n\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		key, err := ParseRootFile("root", content)
		if err != nil {
			var fileErr *FileError
			lines := strings.Count(string(content), "\n") + 1
			if !errors.As(err, &fileErr) || fileErr.Line < 1 || fileErr.Line > lines {
				t.Fatalf("error %v for %d lines", err, lines)
			}
			return
		}
		if !protocol.ValidHex64(key) || protocol.NormalizeRootKey(string(content)) != key {
			t.Fatalf("%q gave the key %q", content, key)
		}
	})
}

func TestWriteRootFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "folder", "root")
	if err := WriteRootFile(path, strings.ToUpper(keyA), false); err != nil {
		t.Fatal(err)
	}
	checkPrivateMode(t, path)
	err := WriteRootFile(path, keyB, false)
	if !errors.Is(err, ErrRootFileExists) || !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("a second key: %v", err)
	}
	if key, err := ReadRootFile(path); err != nil || key != keyA {
		t.Errorf("the first key became %s, %v", key, err)
	}
	if err := WriteRootFile(path, keyB, true); err != nil {
		t.Fatal(err)
	}
	if key, err := ReadRootFile(path); err != nil || key != keyB {
		t.Errorf("after overwriting: %s, %v", key, err)
	}
	if err := WriteRootFile(path, "n1", true); err == nil {
		t.Error("an invalid key was written")
	}
	checkNoLeftovers(t, filepath.Dir(path), "root")
}

// Two hosts that start for the first time concurrently must agree on one key.
func TestConcurrentWriteRootFileHasOneWinner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "root")
	var group sync.WaitGroup
	var won atomic.Int64
	var winner atomic.Value
	for range 16 {
		group.Go(func() {
			key := GenerateRootKey()
			switch err := WriteRootFile(path, key, false); {
			case err == nil:
				won.Add(1)
				winner.Store(key)
			case !errors.Is(err, ErrRootFileExists):
				t.Errorf("got %v", err)
			}
		})
	}
	group.Wait()
	key, err := ReadRootFile(path)
	if err != nil || won.Load() != 1 || key != winner.Load() {
		t.Errorf("%d writers won; the file has %s, %v", won.Load(), key, err)
	}
	checkNoLeftovers(t, filepath.Dir(path), "root")
}

func TestReadRootSecret(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	writeText(t, path, "hello\n")
	if got, err := ReadRootSecret(path); err != nil || string(got) != "hello\n" {
		t.Errorf("got %q, %v, want the bytes unchanged", got, err)
	}
	writeText(t, path, "")
	if _, err := ReadRootSecret(path); !errors.Is(err, ErrSecretEmpty) || !strings.Contains(err.Error(), path) {
		t.Errorf("empty: %v", err)
	}
}

func checkPrivateMode(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != secretFileMode {
		t.Errorf("%s has mode %v", path, info.Mode())
	}
}

// checkNoLeftovers fails if dir contains anything but the named files.
func checkNoLeftovers(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, e := range entries {
		found = append(found, e.Name())
	}
	if strings.Join(found, " ") != strings.Join(names, " ") {
		t.Errorf("%s contains %v, want %v", dir, found, names)
	}
}
