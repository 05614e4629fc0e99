package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/bolt"
	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/internal/world"
)

// place is where a world is kept, or is to be.
type place struct {
	// path is the store's file where redis is nil.
	path  string
	redis *redis.Options
}

// worldStore is a store that was opened, with its world's root key.
type worldStore interface {
	store.Journal
	RootKey() string
	// Path names the store for people.
	Path() string
}

// wholeWorld bounds a call that may take long where no client waits for it.
const wholeWorld = 30 * time.Second

// placeOf is the store that the flags name.
func (a *app) placeOf(f *storeFlags) (place, error) {
	if f.onRedis(a.layers) {
		return a.redisPlace(f, "store", f.address.text)
	}
	if f.dataDir == "" {
		return place{}, hintf(errors.New("there is no home folder to look for the store in"), "name its folder with --data-dir")
	}
	return place{path: filepath.Join(a.absolute(f.dataDir), storeFile)}, nil
}

// placeNamed is the store that a flag's value names: the address of a Redis, a
// store's file, or the folder that it is in.
func (a *app) placeNamed(f *storeFlags, flag, text string) (place, error) {
	if strings.Contains(text, "://") {
		return a.redisPlace(f, flag, text)
	}
	path := a.absolute(text)
	if info, err := os.Stat(path); filepath.Base(path) == storeFile || err == nil && info.Mode().IsRegular() {
		return place{path: path}, nil
	}
	return place{path: filepath.Join(path, storeFile)}, nil
}

func (a *app) redisPlace(f *storeFlags, flag, text string) (place, error) {
	address, err := a.redisAddress(flag, text)
	if err != nil {
		return place{}, err
	}
	o, err := a.redisOptions(f, address)
	o.Timeout = wholeWorld
	return place{redis: &o}, err
}

// String names the place for people, without credentials.
func (p place) String() string {
	if p.redis == nil {
		return p.path
	}
	return fmt.Sprintf("%s (world %q)", p.redis.Address, p.redis.HostID)
}

// open opens the world that is there, to read it: of a file nobody else may have
// it open, of a Redis its hosts may run.
func (p place) open(ctx context.Context) (worldStore, error) {
	if p.redis == nil {
		journal, err := bolt.Open(ctx, bolt.Options{Path: p.path, ReadOnly: true})
		if err != nil {
			return nil, err
		}
		return journal, nil
	}
	o := *p.redis
	o.ReadOnly = true
	journal, err := redis.Open(ctx, o)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, hintf(fmt.Errorf("there is no world at %s", p), "its name there is --host-id, and the number at the address' end is its database")
	}
	if err != nil {
		return nil, redisProblem(err)
	}
	return journal, nil
}

// begin begins to make a world there.
func (p place) begin(ctx context.Context, rootKey string) (store.Import, error) {
	if p.redis == nil {
		return begun(bolt.BeginImport(ctx, bolt.Options{Path: p.path, RootKey: rootKey}))
	}
	o := *p.redis
	o.RootKey = rootKey
	into, err := begun(redis.BeginImport(ctx, o))
	return into, redisProblem(err)
}

// begun makes an import of a backend one of any.
func begun[I store.Import](into I, err error) (store.Import, error) {
	if err != nil {
		return nil, err
	}
	return into, nil
}

// terms gives records their deadlines where the store keeps them.
func (p place) terms() func(*store.Record) error {
	if p.redis == nil {
		return nil
	}
	return world.SetTerm
}

// attemptsToRead is how often a world whose hosts run is read before they have to
// be stopped.
const attemptsToRead = 5

// whileItStands reads a world again where somebody wrote to it meanwhile.
func whileItStands(ctx context.Context, journal store.Journal, read func() error) error {
	for range attemptsToRead {
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

// stopHosts says what to do about a world that went on while it was read.
func stopHosts(err error) error {
	if !errors.Is(err, store.ErrConflict) {
		return err
	}
	return hintf(err, "stop the hosts of this world and run it again")
}
