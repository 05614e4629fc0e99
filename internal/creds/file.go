package creds

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Errors about contexts, wrapped with the name.
var (
	// ErrContextUnknown: no context has that name.
	ErrContextUnknown = errors.New("no such context")
	// ErrContextExists: the name is taken.
	ErrContextExists = errors.New("a context with this name already exists")
	// ErrNoContext: none was named and none is the current one.
	ErrNoContext = errors.New("no context is in use")
	// ErrContextName: the name is not valid.
	ErrContextName = errors.New("a context's name is 1 to 64 letters, digits, '.', '_' or '-' and starts with a letter or digit")
)

var contextName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
})

// File is the content of a credentials file: contexts by name, one of them in
// use. It is not for concurrent use; each Load and Update has its own.
type File struct {
	current  string
	contexts map[string]*Context
	pending  []Pending
	extra    jsontext.Value // members that a later version 1 may have added
}

// NewFile returns a File without contexts.
func NewFile() *File { return &File{contexts: map[string]*Context{}} }

// Names returns the names of all contexts, sorted.
func (f *File) Names() []string { return slices.Sorted(maps.Keys(f.contexts)) }

// Current returns the name of the context in use, "" for none.
func (f *File) Current() string { return f.current }

// Context returns the context called name, or ErrContextUnknown. The caller's
// changes to it are changes of the file.
func (f *File) Context(name string) (*Context, error) {
	c, ok := f.contexts[name]
	if !ok {
		return nil, f.unknown(name)
	}
	return c, nil
}

// Select returns the context called name, or the one in use if name is "". The
// error is ErrContextUnknown or ErrNoContext.
func (f *File) Select(name string) (*Context, error) {
	switch {
	case name != "":
		return f.Context(name)
	case f.current != "":
		return f.Context(f.current)
	case len(f.contexts) == 0:
		return nil, fmt.Errorf("%w: there is none yet; \"playctl create-main-node\" creates one", ErrNoContext)
	}
	return nil, fmt.Errorf("%w: pick one with \"playctl context use\" (there are: %s)", ErrNoContext, strings.Join(f.Names(), ", "))
}

// ForServer returns the context for a server, whose address is in the form of
// ParseServerURL: the one in use, else the newest, as an earlier one may be of an earlier
// world; nil if there is none.
func (f *File) ForServer(server string) *Context {
	var found *Context
	for _, name := range append([]string{f.current}, f.Names()...) {
		c := f.contexts[name]
		switch {
		case c == nil || c.ServerURL != server:
		case name == f.current:
			return c
		case found == nil || c.CreatedAt.After(found.CreatedAt):
			found = c
		}
	}
	return found
}

// Add adds a new context to the file. The first one is put into use. The error is
// ErrContextExists, ErrContextName or what is wrong with the context.
func (f *File) Add(c *Context) error {
	if err := c.check(); err != nil {
		return err
	}
	if _, taken := f.contexts[c.Name]; taken {
		return fmt.Errorf("%q: %w", c.Name, ErrContextExists)
	}
	f.contexts[c.Name] = c
	if len(f.contexts) == 1 {
		f.current = c.Name
	}
	return nil
}

// Put is Add, but replaces a context of the same name.
func (f *File) Put(c *Context) error {
	if err := c.check(); err != nil {
		return err
	}
	if _, there := f.contexts[c.Name]; !there {
		return f.Add(c)
	}
	f.contexts[c.Name] = c
	return nil
}

// Use makes the context called name the one in use, or returns
// ErrContextUnknown.
func (f *File) Use(name string) error {
	if _, err := f.Context(name); err != nil {
		return err
	}
	f.current = name
	return nil
}

// Remove removes the context called name with its credentials, or returns
// ErrContextUnknown. If it was in use, none is afterwards: commands should not
// switch to another server by themselves.
func (f *File) Remove(name string) error {
	if _, err := f.Context(name); err != nil {
		return err
	}
	delete(f.contexts, name)
	if f.current == name {
		f.current = ""
	}
	return nil
}

// Rename changes the name of a context; it stays in use if it was. The error is
// ErrContextUnknown, ErrContextExists or ErrContextName.
func (f *File) Rename(from, to string) error {
	c, err := f.Context(from)
	if err != nil {
		return err
	}
	if !contextName().MatchString(to) {
		return fmt.Errorf("%q: %w", to, ErrContextName)
	}
	if from == to {
		return nil
	}
	if _, taken := f.contexts[to]; taken {
		return fmt.Errorf("%q: %w", to, ErrContextExists)
	}
	delete(f.contexts, from)
	c.Name = to
	f.contexts[to] = c
	if f.current == from {
		f.current = to
	}
	return nil
}

func (f *File) unknown(name string) error {
	if len(f.contexts) == 0 {
		return fmt.Errorf("%q: %w: there is none yet; \"playctl create-main-node\" creates one", name, ErrContextUnknown)
	}
	return fmt.Errorf("%q: %w (there are: %s)", Shorten(name), ErrContextUnknown, strings.Join(f.Names(), ", "))
}

// check returns why the file cannot be written or used.
func (f *File) check() error {
	for _, name := range f.Names() {
		c := f.contexts[name]
		if c.Name != name {
			return fmt.Errorf("context %q calls itself %q: use Rename", name, c.Name)
		}
		if err := c.check(); err != nil {
			return err
		}
	}
	for i := range f.pending {
		if err := f.pending[i].Context.check(); err != nil {
			return fmt.Errorf("a node that is being created: %w", err)
		}
	}
	if f.current != "" {
		if _, err := f.Context(f.current); err != nil {
			return fmt.Errorf("the current context: %w", err)
		}
	}
	return nil
}
