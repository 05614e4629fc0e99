package creds

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/playctl/playctl/protocol"
)

func TestSelect(t *testing.T) {
	f := NewFile()
	if _, err := f.Select(""); !errors.Is(err, ErrNoContext) {
		t.Errorf("an empty file: %v", err)
	}
	if _, err := f.Select("a"); !errors.Is(err, ErrContextUnknown) {
		t.Errorf("a name in an empty file: %v", err)
	}
	f = fullFile(t)
	if c, err := f.Select(""); err != nil || c.Name != "local" {
		t.Errorf("the first context is not current: %v", err)
	}
	if c, err := f.Select("remote"); err != nil || c.Name != "remote" {
		t.Errorf("by name: %v", err)
	}
	if _, err := f.Select("other"); !errors.Is(err, ErrContextUnknown) || !strings.Contains(err.Error(), "local, remote") {
		t.Errorf("an unknown name: %v", err)
	}
	if err := f.Remove("local"); err != nil {
		t.Fatal(err)
	}
	// The next command must not silently go to another server.
	if _, err := f.Select(""); !errors.Is(err, ErrNoContext) || !strings.Contains(err.Error(), "remote") {
		t.Errorf("after the current context was removed: %v", err)
	}
}

func TestPutReplaces(t *testing.T) {
	f := fullFile(t)
	replacement := sampleContext(t, "local")
	if err := f.Add(replacement); !errors.Is(err, ErrContextExists) {
		t.Errorf("Add: %v", err)
	}
	if err := f.Put(replacement); err != nil {
		t.Fatal(err)
	}
	if c, err := f.Context("local"); err != nil || c.Main != nil || f.Current() != "local" {
		t.Errorf("the context was not replaced: %v", err)
	}
	if err := f.Put(sampleContext(t, "third")); err != nil || len(f.Names()) != 3 {
		t.Errorf("Put of a new one: %v, %v", err, f.Names())
	}
	if err := f.Put(&Context{Name: "bad"}); !errors.Is(err, ErrServerURL) {
		t.Errorf("Put of a bad one: %v", err)
	}
}

// fileModel is the expected File after the same operations.
type fileModel struct {
	names   map[string]bool
	current string
}

func (m *fileModel) rename(from, to string) error {
	switch {
	case !m.names[from]:
		return ErrContextUnknown
	case to == "no name":
		return ErrContextName
	case from == to:
		return nil
	case m.names[to]:
		return ErrContextExists
	}
	delete(m.names, from)
	m.names[to] = true
	if m.current == from {
		m.current = to
	}
	return nil
}

func (m *fileModel) add(name string) error {
	switch {
	case name == "no name":
		return ErrContextName
	case m.names[name]:
		return ErrContextExists
	}
	m.names[name] = true
	if len(m.names) == 1 {
		m.current = name
	}
	return nil
}

func TestContextOperationsAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, m := NewFile(), fileModel{names: map[string]bool{}}
		names := rapid.SampledFrom([]string{"a", "b", "c", "no name"})
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			var got, want error
			name := names.Draw(t, "name")
			switch rapid.IntRange(0, 3).Draw(t, "operation") {
			case 0:
				got, want = f.Add(&Context{Name: name, ServerURL: "http://a", Service: protocol.ServicePlay}), m.add(name)
			case 1:
				to := names.Draw(t, "to")
				got, want = f.Rename(name, to), m.rename(name, to)
			case 2:
				got = f.Use(name)
				if want = ErrContextUnknown; m.names[name] {
					m.current, want = name, nil
				}
			case 3:
				got = f.Remove(name)
				if want = ErrContextUnknown; m.names[name] {
					want = nil
				}
				delete(m.names, name)
				if m.current == name {
					m.current = ""
				}
			}
			if !errors.Is(got, want) {
				t.Fatalf("error %v, want %v", got, want)
			}
			var expected []string
			for n := range m.names {
				expected = append(expected, n)
			}
			slices.Sort(expected)
			if !slices.Equal(f.Names(), expected) || f.Current() != m.current {
				t.Fatalf("contexts %v, current %q, want %v, %q", f.Names(), f.Current(), expected, m.current)
			}
			if err := f.check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
