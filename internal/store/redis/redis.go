// Package redis keeps a world's journal and tables on a Redis server (6.2 or
// later), where several hosts append to them at the same time. One script commits
// a batch, or nothing of it.
//
// The keys of a world, all in one Cluster slot:
//
//	play:{<host id>}:head              hash: place and commit of the last entry, run id of
//	                                   the server that took it, trimmed seq, format, root key
//	play:{<host id>}:local             string: a number as in the head, which replicas do not
//	                                   get: a server whose numbers differ is not the one that
//	                                   took the last commit
//	play:{<host id>}:journal           stream: an entry each, its id is <position>-0
//	play:{<host id>}:table:<table>     hash: the records
//	play:{<host id>}:order:<table>     sorted set: their keys in order
//	play:{<host id>}:deadlines:<table> sorted set: milliseconds of the server's time
//	play:{<host id>}:terms:<table>     hash: the full terms, in milliseconds
//	play:{<host id>}:checkpoints       hash: position to rev
//	play:{<host id>}:checkpoint:<pos>  list: the parts of an encoded checkpoint
//	play:{<host id>}:fence:<name>      hash: a lock
//	play:{<host id>}:asked             hash: when somebody last asked for what is due
//	play:{<host id>}:hosts             hash: hosts that serve, by id: until when, and the name
//	play:{<host id>}:import            hash: the head of a world that is being imported, which
//	                                   becomes the head when all of it is there
//	play:{<host id>}:messages          channel: messages that are stored nowhere
package redis

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	goredis "github.com/redis/go-redis/v9"

	"github.com/playctl/playctl/internal/store"
)

// Journal is a store.Journal on a Redis server.
type Journal struct {
	options Options
	rootKey string
	prefix  string
	client  goredis.UniversalClient
	clock   clock
	// headName is the name of the head's key, which of an import is importHead.
	headName string
	// counted are the keys of which a commit counts how many there are, to notice that some
	// were evicted or deleted.
	counted []string

	// synced is the run id of a server that syncs every write and was never
	// promoted: its restart loses nothing.
	synced atomic.Value

	// mu is held for reading by every call and for writing by Close.
	mu     sync.RWMutex
	closed bool

	fitness fitness
}

var _ store.Journal = (*Journal)(nil)

// RootKey returns the root key of the world.
func (j *Journal) RootKey() string { return j.rootKey }

// Path returns the name of the store for people, without credentials.
func (j *Journal) Path() string { return describe(j.options) }

// Close implements store.Journal.
func (j *Journal) Close() error {
	j.fitness.end()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil
	}
	j.closed = true
	if err := j.client.Close(); err != nil {
		return fmt.Errorf("%w: closing %s: %w", store.ErrUnavailable, j.Path(), err)
	}
	return nil
}

func (j *Journal) key(name string) string { return j.prefix + name }

// The names of the key of a world's head: that of a world, and of one that is imported.
const (
	worldHead  = "head"
	importHead = "import"
)

// head is the key of the world's head.
func (j *Journal) head() string { return j.key(j.headName) }

// refusal is an error of the server itself, not of the connection.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// reasons are the reasons for errors of a Redis server, with what to do.
var reasons = []struct{ prefix, reason, advice string }{
	{"NOAUTH", "the Redis server asks for a password", "; give one in a file or the environment"},
	{"WRONGPASS", "the Redis server refuses the user or the password", ""},
	{"NOPERM", "the Redis user may not run a command, or not reach a key or a channel of this world", ""},
	{"LOADING", "the Redis server is loading its data", "; it answers when this is done"},
	{"READONLY", replicaReason, "; the address must lead to the master"},
	{"OOM", "the memory of the Redis server is full", "; raise maxmemory or free memory"},
	{"MISCONF", "the Redis server cannot write to its disk", ""},
	{"NOREPLICAS", "fewer Redis replicas are connected than min-replicas-to-write asks for", ""},
	{"CLUSTERDOWN", "the Redis Cluster does not serve the world's slot", ""},
	{"MASTERDOWN", "the master of the Redis server cannot be reached", ""},
	{"BUSY", "a script on the Redis server has been running for too long", ""},
}

// explain adds the name of the server and advice. Any other error leaves the
// outcome open: the store is unavailable.
func (j *Journal) explain(ctx context.Context, doing string, err error) error {
	if err == nil {
		return nil
	}
	if refused, ok := errors.AsType[refusal](err); ok {
		return fmt.Errorf("%s %s: %w", doing, j.Path(), refused.error)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%s %s: %w", doing, j.Path(), errors.Join(ctx.Err(), store.ErrUnavailable))
	}
	for _, known := range reasons {
		if goredis.HasErrorPrefix(err, known.prefix) {
			return &store.FaultError{
				Reason: known.reason,
				Err:    fmt.Errorf("%w: %s %s: %s%s (%w)", store.ErrUnavailable, doing, j.Path(), known.reason, known.advice, err),
			}
		}
	}
	return fmt.Errorf("%w: %s %s: %w", store.ErrUnavailable, doing, j.Path(), err)
}
