// Package place selects the place of a store: a file, or a server. It has the flags that
// name the place, and opens the store there. The backends describe the kinds of stores.
package place

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/backend"
)

// StoreFile is the store's name in the data folder.
const StoreFile = "world.playstore"

// Place is the place of a store, which may not exist yet.
type Place struct{ location store.Location }

// Of returns the store that the flags name.
func Of(a *command.App, f *Flags) (Place, error) {
	if f.OnServer(a.Sources) {
		return onServer(a, f, "store", f.Address.Text)
	}
	if err := CheckFolder(a.Sources, f.DataDir); err != nil {
		return Place{}, err
	}
	if f.DataDir == "" {
		return Place{}, command.Hintf(fmt.Errorf("%w for the store", creds.ErrNoHome), "set its folder with --data-dir")
	}
	return inFile(a, f, filepath.Join(a.Absolute(f.DataDir), StoreFile))
}

// CheckFolder refuses an empty name of the data folder.
func CheckFolder(from *command.Sources, dataDir string) error {
	switch {
	case dataDir != "" || !from.Made("data-dir"):
		return nil
	case from.ByFlag("data-dir"):
		return command.Usagef("--data-dir is empty")
	}
	return command.BadSetting(from.Where("data-dir"), errors.New("data-dir is empty"))
}

// Named returns the store that a flag's value names: an address, a store's file, or the
// folder of the file.
func Named(a *command.App, f *Flags, flag, text string) (Place, error) {
	if strings.Contains(text, "://") {
		return onServer(a, f, flag, text)
	}
	path := a.Absolute(text)
	if info, err := os.Stat(path); filepath.Base(path) == StoreFile || err == nil && info.Mode().IsRegular() {
		return inFile(a, f, path)
	}
	return inFile(a, f, filepath.Join(path, StoreFile))
}

func inFile(a *command.App, f *Flags, path string) (Place, error) {
	b, _ := backend.Of("")
	at, err := b.Locate(path, settings{a, f})
	return Place{at}, err
}

// onServer returns the store at the address in a flag.
func onServer(a *command.App, f *Flags, flag, text string) (Place, error) {
	where := a.Sources.Where(flag)
	scheme, _, has := strings.Cut(text, "://")
	b, known := backend.Of(scheme)
	if !has || !known {
		return Place{}, command.Hintf(command.BadSetting(where, errors.New("not the address of a store")), "%s", insteadOf(a, f, text))
	}
	if err := refusePassword(a, flag, text, b.PasswordGoes); err != nil {
		return Place{}, err
	}
	at, err := b.Locate(text, settings{a, f})
	if wrong, ok := errors.AsType[*store.FlagError](err); ok {
		if wrong.Name == "" {
			return Place{}, command.Usagef("%w", wrong.Err)
		}
		return Place{}, command.BadSetting(a.Sources.Where(wrong.Name), wrong.Err)
	}
	if err != nil {
		return Place{}, command.Hintf(command.BadSetting(where, err), "\"playctl help stores\" shows the forms of an address")
	}
	return Place{at}, nil
}

// insteadOf suggests an address for a text that is not one. The text may contain a
// password.
func insteadOf(a *command.App, f *Flags, text string) string {
	if strings.Contains(text, ":") && !strings.Contains(text, "@") {
		for _, scheme := range backend.Schemes() {
			b, _ := backend.Of(scheme)
			if _, err := b.Locate(scheme+"://"+text, settings{a, f}); err == nil {
				return fmt.Sprintf("did you mean %s://%s?", scheme, text)
			}
		}
	}
	return "for a store in a file, set its folder with --data-dir; \"playctl help stores\" shows the forms of an address"
}

// refusePassword refuses an address with a password where others can read it, and states
// the right place for it.
func refusePassword(a *command.App, flag, text, goes string) error {
	parsed, err := url.Parse(text)
	if err != nil {
		return nil //nolint:nilerr // The backend reports the error.
	}
	if _, has := parsed.User.Password(); !has {
		return nil
	}
	if where := a.Sources.Where(flag); where == "--"+flag {
		return command.Hintf(command.Usagef("%s contains a password, and everyone on this machine can read the arguments of a program", where),
			"omit it, and put it into %s", goes)
	}
	if a.Sources.ByEnvironment(flag) {
		return nil
	}
	if err := command.CheckReaders(a.Sources.Path); err != nil {
		return fmt.Errorf("config file %s, which has a password in %s: %w", a.Sources.Path, flag, err)
	}
	return nil
}

// String returns the place for people, without credentials.
func (p Place) String() string { return p.location.String() }

// Explain adds what to do about an error of the store; nil stays nil.
func (p Place) Explain(err error) error {
	if err == nil {
		return nil
	}
	if advice := p.location.Advice(err); advice != "" {
		return command.Hintf(err, "%s", advice)
	}
	return err
}

// Open opens an existing store, to read it: no other process may have a file open, while
// the hosts of a store on a server may run.
func (p Place) Open(ctx context.Context) (store.Opened, error) {
	return p.Serve(ctx, store.OpenOptions{ReadOnly: true})
}

// Serve opens the store, and creates it if it is missing and there is a root key.
func (p Place) Serve(ctx context.Context, o store.OpenOptions) (store.Opened, error) {
	journal, err := p.location.Open(ctx, o)
	return journal, p.Explain(err)
}

// Begin begins to fill a new store at the place.
func (p Place) Begin(ctx context.Context, rootKey string) (store.Import, error) {
	into, err := p.location.BeginImport(ctx, rootKey)
	return into, p.Explain(err)
}

// Shared reports whether several hosts can serve the world.
func (p Place) Shared() bool { return p.location.Shared() }

// Passing reports whether an error of Serve may be temporary.
func (p Place) Passing(err error) bool { return p.location != nil && p.location.Passing(err) }

// Compact frees the unused space of the store, and returns its bytes before and after.
func (p Place) Compact(ctx context.Context) (before, after int64, err error) {
	can, ok := p.location.(store.Compacter)
	if !ok {
		return 0, 0, fmt.Errorf("%s has nothing to compact", p)
	}
	before, after, err = can.Compact(ctx)
	return before, after, p.Explain(err)
}

// AttemptsToRead is the number of attempts to read a world whose hosts run, before they
// have to be stopped.
const AttemptsToRead = 5

// WhileItStands repeats read if the world changed meanwhile.
func WhileItStands(ctx context.Context, journal store.Journal, read func() error) error {
	for range AttemptsToRead {
		before, err := journal.Head(ctx)
		if err == nil {
			err = read()
		}
		if WrittenTo(err) {
			continue
		}
		if err != nil {
			return err
		}
		after, err := journal.Head(ctx)
		if err != nil || after == before {
			return err
		}
	}
	return fmt.Errorf("%w on every read", store.ErrConflict)
}

// WrittenTo reports whether an error says that hosts wrote to a world, or trimmed its
// entries, while it was read.
func WrittenTo(err error) bool {
	return errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrTrimmed)
}

// HintRestore says what to do about a damaged store.
const HintRestore = "\"playctl store restore\" creates a store from a backup: use the newest one"

// Unverified turns the error of a damaged store into a failed verification. Other errors
// stay as they are.
func Unverified(err error) error {
	if errors.Is(err, store.ErrCorrupt) {
		return command.Hintf(fmt.Errorf("%w: %w", command.ErrUnverified, err), HintRestore)
	}
	return err
}
