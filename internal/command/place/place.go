// Package place says where a world is kept: in a file, or in Redis. It has the flags
// that name the place, and opens what is there.
package place

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/backend"
	"github.com/playctl/playctl/internal/world"
)

// StoreFile is the store's name in the data folder.
const StoreFile = "world.playstore"

// Place is where a world is kept, or is to be.
type Place struct {
	backend.Backend
	// Path is the store's file, where it is one.
	Path string
	at   backend.Options
	// explain adds what to do about an error of the store.
	explain func(error) error
}

func filePlace(path string) Place {
	return Place{
		Backend: backend.Of(""), Path: path, at: backend.Options{Path: path},
		explain: func(err error) error { return err },
	}
}

// wholeWorld bounds a call that may take long where no client waits for it.
const wholeWorld = 30 * time.Second

// Of is the store that the flags name.
func Of(a *command.App, f *Flags) (Place, error) {
	if f.OnRedis(a.Sources) {
		return redisPlace(a, f, "store", f.Address.Text)
	}
	if f.DataDir == "" {
		return Place{}, command.Hintf(errors.New("there is no home folder to look for the store in"), "name its folder with --data-dir")
	}
	return filePlace(filepath.Join(a.Absolute(f.DataDir), StoreFile)), nil
}

// Named is the store that a flag's value names: the address of a Redis, a
// store's file, or the folder that it is in.
func Named(a *command.App, f *Flags, flag, text string) (Place, error) {
	if strings.Contains(text, "://") {
		return redisPlace(a, f, flag, text)
	}
	path := a.Absolute(text)
	if info, err := os.Stat(path); filepath.Base(path) == StoreFile || err == nil && info.Mode().IsRegular() {
		return filePlace(path), nil
	}
	return filePlace(filepath.Join(path, StoreFile)), nil
}

func redisPlace(a *command.App, f *Flags, flag, text string) (Place, error) {
	address, err := RedisAddress(a, flag, text)
	if err != nil {
		return Place{}, err
	}
	o, err := RedisOptions(a, f, address)
	o.Timeout = wholeWorld
	at := Place{Backend: backend.Of("redis"), at: backend.Options{Redis: o}}
	at.explain = func(err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return command.Hintf(fmt.Errorf("there is no world at %s", at), "its name there is --host-id, and the number at the address' end is its database")
		}
		return RedisProblem(err)
	}
	return at, err
}

// String names the place for people, without credentials.
func (p Place) String() string { return p.Name(p.at) }

// Open opens the world that is there, to read it: of a file nobody else may have
// it open, of a Redis its hosts may run.
func (p Place) Open(ctx context.Context) (backend.Store, error) {
	journal, err := p.Read(ctx, p.at)
	if err != nil {
		return nil, p.explain(err)
	}
	return journal, nil
}

// Begin begins to make a world there.
func (p Place) Begin(ctx context.Context, rootKey string) (store.Import, error) {
	at := p.at
	at.RootKey = rootKey
	into, err := p.Import(ctx, at)
	if err != nil {
		return nil, p.explain(err)
	}
	return into, nil
}

// Terms gives records their deadlines where the store keeps them.
func (p Place) Terms() func(*store.Record) error {
	if !p.Deadlines {
		return nil
	}
	return world.SetTerm
}

// AttemptsToRead is how often a world whose hosts run is read before they have to
// be stopped.
const AttemptsToRead = 5

// WhileItStands reads a world again where somebody wrote to it meanwhile.
func WhileItStands(ctx context.Context, journal store.Journal, read func() error) error {
	for range AttemptsToRead {
		before, err := journal.Head(ctx)
		if err == nil {
			err = read()
		}
		if err != nil {
			return err
		}
		after, err := journal.Head(ctx)
		if err != nil || after == before {
			return err
		}
	}
	return fmt.Errorf("%w each time that it was read", store.ErrConflict)
}

// StopHosts says what to do about a world that went on while it was read.
func StopHosts(err error) error {
	if !errors.Is(err, store.ErrConflict) {
		return err
	}
	return command.Hintf(err, "stop the hosts of this world and run it again")
}
