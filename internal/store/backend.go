package store

import "context"

// Backend describes one kind of store to commands; package backend lists all of
// them.
type Backend struct {
	// Schemes are the schemes of its addresses, before "://". The backend without any
	// keeps its stores in files, and a path is the address.
	Schemes []string
	// Flags are its settings besides the address.
	Flags []Flag
	// Help is its part of "playctl help stores".
	Help string
	// Variables are the environment variables that it reads.
	Variables []string
	// PasswordGoes says where to put a password, which must not be in an address.
	PasswordGoes string
	// Locate parses an address with the flags. An error in a flag, or in a file that a
	// flag names, is a *FlagError. No error repeats the address or the content of a
	// file, which may contain passwords.
	Locate func(address string, given Settings) (Location, error)
}

// Flag is a setting of a backend. Backends that need the same flag use the same name.
type Flag struct {
	Name    string
	Default string
	// Usage describes the flag, with the name of its value in back quotes.
	Usage string
}

// FlagError says what is wrong with a flag of a backend.
type FlagError struct {
	// Name is the name of the flag; empty where Err is about several flags and names them.
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

// Unwrap returns the cause.
func (e *FlagError) Unwrap() error { return e.Err }

// Settings gives a backend the values with which it locates a store.
type Settings interface {
	// Flag returns the value of one of its flags.
	Flag(name string) string
	// Env returns an environment variable.
	Env(name string) string
	// File returns the content of a file; it fails if that is longer than limit bytes.
	File(name string, limit int64) ([]byte, error)
	// SecretFile does the same for a file that only its owner may access.
	SecretFile(name string) ([]byte, error)
}

// Location is the place of a store, which may not exist yet.
type Location interface {
	// String returns the location for people, without credentials.
	String() string
	// Open opens the store. A missing store is created if there is a root key, else the
	// error is fs.ErrNotExist; if the store has another root key, the error is
	// ErrRootKey.
	Open(ctx context.Context, o OpenOptions) (Opened, error)
	// BeginImport begins to fill a new store, for a world of this root key.
	BeginImport(ctx context.Context, rootKey string) (Import, error)
	// Shared reports whether several hosts can serve the world.
	Shared() bool
	// Passing reports whether an error of Open may be temporary, so that a starting host
	// can wait.
	Passing(err error) bool
	// Advice returns what to do about an error of this location or of its store, ""
	// where the error says it already.
	Advice(err error) string
}

// OpenOptions say how to open a store.
type OpenOptions struct {
	// RootKey is the root key that the store must belong to, or that a new one gets; if
	// it is empty, an existing store is opened whatever its root key.
	RootKey string
	// ReadOnly opens an existing store, for a caller that writes nothing and can wait.
	ReadOnly bool
	// Retention says how much history trimming keeps; zero means DefaultRetention.
	Retention Retention
	// Report is called when a store in a file could not be written, and with nil when it
	// could again. It may be nil.
	Report func(error)
	// Publish returns what a store on a server publishes within an entry's commit, in
	// order; nil for nothing. hostID is the world's name on the server. It is called for
	// each attempt, so its result must depend only on the entry.
	Publish func(hostID string, e *Entry) []Message
}

// Message is a message that a commit publishes.
type Message struct {
	// Channel is the full name of the channel.
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

// Compacter is a Location whose store can be compacted.
type Compacter interface {
	// Compact rewrites a store that no process has open, without its unused space, and
	// returns its bytes before and after.
	Compact(ctx context.Context) (before, after int64, err error)
}
