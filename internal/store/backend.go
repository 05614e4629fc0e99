package store

import "context"

// Backend is one kind of store, as commands have to know it: each describes itself,
// and package backend lists them.
type Backend struct {
	// Schemes are what the addresses of its stores begin with, before "://". The one
	// without any has its stores in files, and a path is the address.
	Schemes []string
	// Flags are its settings besides the address.
	Flags []Flag
	// Help has its part of "playctl help stores".
	Help string
	// PasswordGoes says where a password goes instead of into an address.
	PasswordGoes string
	// Locate reads an address, as it was written, with the flags. An error in a flag, or
	// in the file that one names, is a *FlagError. No error repeats the address or a
	// file, which may have passwords in them.
	Locate func(address string, given Settings) (Location, error)
}

// Flag is a setting of a backend. Backends that need the same one have it by the same
// name.
type Flag struct {
	Name    string
	Default string
	// Usage says what it is, with what it takes in back quotes.
	Usage string
}

// FlagError says what is wrong with a flag of a backend.
type FlagError struct {
	// Name is the flag's; empty where Err is about several, and names them.
	Name string
	Err  error
}

// Error implements error.
func (e *FlagError) Error() string {
	if e.Name == "" {
		return e.Err.Error()
	}
	return "--" + e.Name + ": " + e.Err.Error()
}

// Unwrap returns what is wrong.
func (e *FlagError) Unwrap() error { return e.Err }

// Settings are what a backend can ask when it locates a store.
type Settings interface {
	// Flag returns the value of one of its flags.
	Flag(name string) string
	// Env returns an environment variable.
	Env(name string) string
	// File returns what is in a file, which fails where that is more than limit bytes.
	File(name string, limit int64) ([]byte, error)
	// SecretFile does the same for a file that nobody but its owner may reach.
	SecretFile(name string) ([]byte, error)
}

// Location is where a world is kept, or is to be.
type Location interface {
	// String names it for people, without credentials.
	String() string
	// Open opens the store. One that is missing is made where there is a root key, else
	// the error is fs.ErrNotExist; with another root key than its own it is ErrRootKey.
	Open(ctx context.Context, o OpenOptions) (Opened, error)
	// BeginImport begins to fill a new store, for a world of this root key.
	BeginImport(ctx context.Context, rootKey string) (Import, error)
	// Shared reports whether several hosts can serve the world. Such a store keeps
	// deadlines: what is imported needs a Term.
	Shared() bool
	// Passing reports whether an error of Open may pass without help, so that a host that
	// starts can wait.
	Passing(err error) bool
	// Advice says what to do about an error of this location or of its store, "" where
	// the error says enough.
	Advice(err error) string
}

// OpenOptions say how to open a store.
type OpenOptions struct {
	// RootKey is the root key that the store must belong to, or that a new one gets; with
	// an empty one a store that is there is opened whatever its root key.
	RootKey string
	// ReadOnly opens a store that is there, for a caller that writes nothing and can wait.
	ReadOnly bool
	// Retention is what trimming leaves; zero means DefaultRetention.
	Retention Retention
	// Publish returns what a store on a server publishes within an entry's commit, in
	// order; nil for nothing. hostID is the world's name on the server. It is called for
	// each attempt, so it must not depend on anything but the entry.
	Publish func(hostID string, e *Entry) []Message
}

// Message is one that a commit publishes.
type Message struct {
	// Channel is its whole name.
	Channel string
	Payload []byte
}

// Opened is a store that was opened at a location.
type Opened interface {
	Journal
	// RootKey returns the root key of its world.
	RootKey() string
	// Path names the store for people, without credentials.
	Path() string
}

// Compacter is a Location that can give back space.
type Compacter interface {
	// Compact rewrites a store that nobody has open without the space that it no longer
	// uses, and returns its bytes before and after.
	Compact(ctx context.Context) (before, after int64, err error)
}
