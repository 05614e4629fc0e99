// Package backend lists the stores that a world can be kept in, each with a line of
// a table.
package backend

import (
	"context"
	"fmt"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/bolt"
	"github.com/playctl/playctl/internal/store/redis"
)

// Options say which store to open, and how. A backend reads those that it has a use
// for.
type Options struct {
	// Path is the store's file, where it is one.
	Path string
	// Redis says how to reach the store, where it is on a server.
	Redis redis.Options
	// RootKey is the root key that the store must belong to, or that a new one gets.
	RootKey string
}

// Store is a store that was opened.
type Store interface {
	store.Journal
	// RootKey returns the root key of its world.
	RootKey() string
	// Path names the store for people, without credentials.
	Path() string
}

// Backend is one kind of store.
type Backend struct {
	// Scheme is what an address of such a store begins with; "" for a path.
	Scheme string
	// Deadlines reports whether the store keeps them: what is imported needs a Term.
	Deadlines bool
	// Name names a store for people, without credentials.
	Name func(o Options) string
	// Read opens an existing store and writes nothing to it.
	Read func(ctx context.Context, o Options) (Store, error)
	// Import begins to fill a new store.
	Import func(ctx context.Context, o Options) (store.Import, error)
}

// table lists the backends.
var table = []Backend{
	{Name: boltName, Read: readBolt, Import: importBolt},
	{Scheme: "redis", Deadlines: true, Name: redisName, Read: readRedis, Import: importRedis},
}

// Of returns the backend of a scheme. It panics for one that is not in the table.
func Of(scheme string) Backend {
	for _, b := range table {
		if b.Scheme == scheme {
			return b
		}
	}
	panic(fmt.Sprintf("backend: there is no store with the scheme %q", scheme))
}

func boltName(o Options) string { return o.Path }

func readBolt(ctx context.Context, o Options) (Store, error) {
	return opened(bolt.Open(ctx, bolt.Options{Path: o.Path, RootKey: o.RootKey, ReadOnly: true}))
}

func importBolt(ctx context.Context, o Options) (store.Import, error) {
	return startedImport(bolt.BeginImport(ctx, bolt.Options{Path: o.Path, RootKey: o.RootKey}))
}

func redisName(o Options) string {
	return fmt.Sprintf("%s (world %q)", o.Redis.Address, o.Redis.HostID)
}

func readRedis(ctx context.Context, o Options) (Store, error) {
	o.Redis.RootKey, o.Redis.ReadOnly = o.RootKey, true
	return opened(redis.Open(ctx, o.Redis))
}

func importRedis(ctx context.Context, o Options) (store.Import, error) {
	o.Redis.RootKey = o.RootKey
	return startedImport(redis.BeginImport(ctx, o.Redis))
}

// opened returns a nil interface with an error, and not a nil pointer in one.
func opened[S Store](s S, err error) (Store, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// startedImport does the same for an import.
func startedImport[I store.Import](into I, err error) (store.Import, error) {
	if err != nil {
		return nil, err
	}
	return into, nil
}
