package redis

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/store"
)

// A Cluster refuses commands on keys that it is moving to another node, without
// carrying anything out. They are tried again for as long as a host can wait.
const (
	movingTerm  = 600 * time.Millisecond
	movingPause = 15 * time.Millisecond
)

// call runs one call to the server; doing names it for its error. A request without
// a reply is not sent again: its outcome is unknown.
func (j *Journal) call(ctx context.Context, doing string, ask func() error) error {
	return j.calls(ctx, doing, 0, ask)
}

// read runs a call that may be repeated: once more if its connection turned out to
// be closed by the server.
func (j *Journal) read(ctx context.Context, doing string, ask func() error) error {
	return j.calls(ctx, doing, 1, ask)
}

func (j *Journal) calls(ctx context.Context, doing string, again int, ask func() error) error {
	j.mu.RLock()
	defer j.mu.RUnlock()
	if j.closed {
		return store.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	start := time.Now()
	for {
		err := ask()
		switch {
		case err == nil:
			return nil
		case again > 0 && gone(err):
			again--
		case moving(err) && time.Since(start) < movingTerm:
			if !pause.For(ctx, movingPause) {
				return j.explain(ctx, doing, err)
			}
		default:
			j.relearn(ctx)
			return j.explain(ctx, doing, err)
		}
		j.relearn(ctx)
	}
}

// relearn reloads the slots of a Cluster after an error.
func (j *Journal) relearn(ctx context.Context) {
	if cluster, ok := j.client.(*goredis.ClusterClient); ok {
		cluster.ReloadState(ctx)
	}
}

// gone reports whether an error means that the other side had closed the
// connection.
func gone(err error) bool {
	signs := []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE}
	return slices.ContainsFunc(signs, func(sign error) bool { return errors.Is(err, sign) })
}

// moving reports whether a Cluster refused a command because its keys have moved or
// are moving.
func moving(err error) bool { return begins(err, []string{"MOVED", "ASK", "TRYAGAIN"}) }

// begins reports whether a server's error begins with one of these words.
func begins(err error, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return goredis.HasErrorPrefix(err, word) })
}

// script runs a script once, and returns its reply. Every key that it uses is
// declared: a Cluster that moves some of them then refuses it before its first
// write.
func (j *Journal) script(ctx context.Context, doing string, s *goredis.Script, keys []string, args ...any) (parts, error) {
	return j.scripts(ctx, doing, j.call, s, keys, args)
}

// readScript runs a script that may run twice.
func (j *Journal) readScript(ctx context.Context, doing string, s *goredis.Script, keys []string, args ...any) (parts, error) {
	return j.scripts(ctx, doing, j.read, s, keys, args)
}

func (j *Journal) scripts(ctx context.Context, doing string, call func(context.Context, string, func() error) error, s *goredis.Script, keys []string, args []any) (parts, error) {
	var reply []any
	err := call(ctx, doing, func() (err error) {
		reply, err = s.Run(ctx, j.client, append([]string{j.head()}, keys...), args...).Slice()
		if err != nil {
			return fmt.Errorf("running a script: %w", err)
		}
		return nil
	})
	return reply, err
}

// tableKeys are the keys that a change of a table uses.
func (j *Journal) tableKeys(table store.Table) []string {
	name := string(table)
	return []string{j.key("table:" + name), j.key("order:" + name), j.key("deadlines:" + name), j.key("terms:" + name)}
}

//go:embed lua/*.lua
var lua embed.FS

var (
	acquireScript    = newScript("acquire")
	arriveScript     = newScript("prolong", "arrive")
	checkpointScript = newScript("wrote", "checkpoint")
	commitScript     = newScript("allowed", "local", "commit")
	dueScript        = newScript("local", "prolong", "due")
	foundScript      = newScript("allowed", "found")
	importScript     = newScript("import")
	missedScript     = newScript("missed")
	placesScript     = newScript("places")
	presentScript    = newScript("present")
	releaseScript    = newScript("release")
	snapshotScript   = newScript("snapshot")
	scanScript       = newScript("scan")
	seekScript       = newScript("seek")
	trimScript       = newScript("wrote", "trim")
)

// newScript joins the parts of a script, given by the names of their files, when it
// is first run, and computes its digest for Redis: most commands run no script.
func newScript(names ...string) func() *goredis.Script {
	return sync.OnceValue(func() *goredis.Script {
		var script strings.Builder
		for _, name := range names {
			part, err := lua.ReadFile("lua/" + name + ".lua")
			if err != nil {
				panic(fmt.Sprintf("a part of a script is not in the program: %v", err))
			}
			script.Write(part)
		}
		return goredis.NewScript(script.String())
	})
}
