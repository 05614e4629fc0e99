package redis

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/playctl/playctl/internal/store"
)

// Open opens a world on a server, and creates it if it is missing and
// Options.RootKey is set. It fails with store.ErrFormat or store.ErrRootKey if it
// has another format or belongs to another world, with store.ErrImporting until an import
// of it is finished, and with an error that is fs.ErrNotExist if it is missing. It
// refuses a server that is too old or evicts keys.
func Open(ctx context.Context, o Options) (*Journal, error) {
	return openWith(ctx, o, worldHead, (*Journal).found)
}

// openWith connects to a server, checks that it is fit for a world, and calls
// begin.
func openWith(ctx context.Context, o Options, headName string, begin func(*Journal, context.Context) error) (*Journal, error) {
	o = o.withDefaults()
	quiet()
	if strings.ContainsAny(o.HostID, "{}") {
		return nil, fmt.Errorf("the host id %q has a brace; choose one without", o.HostID)
	}
	connections := newConnTracker()
	j := &Journal{
		options: o, prefix: "play:{" + o.HostID + "}:", headName: headName,
		client:  connect(o, o.Timeout, connections),
		fitness: fitness{dialed: connections.dialed},
	}
	keys, _ := j.everyKey()
	j.counted = keys[:2*len(store.Tables())]
	err := j.inspect(ctx)
	if err == nil {
		err = begin(j, ctx)
	}
	if err != nil {
		return nil, errors.Join(err, j.client.Close())
	}
	return j, nil
}

// inspect refuses servers that would lose a world.
func (j *Journal) inspect(ctx context.Context) error {
	info, err := j.info(ctx)
	if err != nil {
		return err
	}
	var major, minor int
	if _, err := fmt.Sscanf(info["redis_version"], "%d.%d", &major, &minor); err != nil || major < 6 || major == 6 && minor < 2 {
		return fmt.Errorf("%s is Redis %s; use 6.2 or later", j.Path(), info["redis_version"])
	}
	if fault := j.evicts(info); fault != nil {
		return fault.Err
	}
	return j.recordDurability(ctx, info)
}

// info requests the server's description: on a Cluster, the description of the
// world's node.
func (j *Journal) info(ctx context.Context) (map[string]string, error) {
	var text string
	err := j.read(ctx, "opening", func() error {
		start := time.Now()
		return j.onNode(ctx, func(node goredis.Cmdable) (err error) {
			text, err = node.Info(ctx).Result()
			if err != nil {
				return fmt.Errorf("asking for its description: %w", err)
			}
			now, err := node.Time(ctx).Result()
			if err != nil {
				return fmt.Errorf("asking for its time: %w", err)
			}
			j.clock.observe(start, time.Now(), now, "")
			return nil
		})
	})
	info := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			info[name] = value
		}
	}
	return info, err
}

// onNode runs a command without keys on the node that holds the world's keys.
func (j *Journal) onNode(ctx context.Context, run func(goredis.Cmdable) error) error {
	if cluster, ok := j.client.(*goredis.ClusterClient); ok {
		node, err := cluster.MasterForKey(ctx, j.head())
		if err != nil {
			return fmt.Errorf("finding the world's node: %w", err)
		}
		return run(node)
	}
	return run(j.client)
}

// recordDurability stores the server's run id if its restarts lose nothing. A server that does
// not report how it writes to its disk may lose data; if it cannot be reached now,
// nothing is decided. Other goroutines read the result meanwhile: it changes once.
func (j *Journal) recordDurability(ctx context.Context, info map[string]string) error {
	synced := ""
	never := strings.Trim(info["master_replid2"], "0") == ""
	if info["aof_enabled"] == "1" && info["role"] == "master" && never {
		fsync, err := j.fsync(ctx)
		if err != nil {
			return err
		}
		if fsync == "always" {
			synced = info["run_id"]
		}
	}
	j.synced.Store(synced)
	return nil
}

// fsync returns when the server writes its log to the disk, "" if it does not
// report that.
func (j *Journal) fsync(ctx context.Context) (policy string, err error) {
	err = j.read(ctx, "opening", func() error {
		return j.onNode(ctx, func(node goredis.Cmdable) error {
			setting, err := node.ConfigGet(ctx, "appendfsync").Result()
			if isA[goredis.Error](err) && !goredis.HasErrorPrefix(err, "LOADING") {
				return nil // The server does not allow the command.
			}
			if err != nil {
				return fmt.Errorf("asking for appendfsync: %w", err)
			}
			policy = setting["appendfsync"]
			return nil
		})
	})
	return policy, err
}

// durabilityChecks is how often one call checks a server that restarted: a slow
// concurrent check may store an older result in between.
const durabilityChecks = 3

// retryAfterRestart calls ask, and repeats it while the server restarted without losing
// anything.
func (j *Journal) retryAfterRestart(ctx context.Context, ask func() (answer, error)) (answer, error) {
	a, err := ask()
	for range durabilityChecks {
		if err != nil || a.status != "RESTARTED" {
			break
		}
		safe, unknown := j.recheckDurability(ctx, a.run)
		if unknown != nil {
			return answer{}, unknown
		}
		if !safe {
			break
		}
		a, err = ask()
	}
	return a, err
}

// recheckDurability checks a server that restarted, and reports whether it can have lost
// nothing.
func (j *Journal) recheckDurability(ctx context.Context, run string) (bool, error) {
	info, err := j.info(ctx)
	if err != nil {
		return false, err
	}
	if fault := j.isReplica(info); fault != nil {
		return false, fault
	}
	if err := j.recordDurability(ctx, info); err != nil {
		return false, err
	}
	return j.synced.Load() == run, nil
}

// found finds the world, and creates a missing one if there is a root key for it.
// It creates none while hosts of a world of that name are connected: the server has
// lost that world, and they wait for its data or a backup.
func (j *Journal) found(ctx context.Context) error {
	err := j.find(ctx, "")
	if !errors.Is(err, fs.ErrNotExist) || j.options.RootKey == "" {
		return err
	}
	hosts, err := j.Hosts(ctx)
	if err != nil {
		return err
	}
	if hosts > 0 {
		// One of them may have created it meanwhile.
		if err := j.find(ctx, ""); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return &store.FaultError{Reason: "the Redis server has no world", Err: fmt.Errorf(
			"%w: %s has no world, but %d of its hosts are running: the server lost it; bring its data back, restore a backup, or stop these hosts to start a new world",
			store.ErrUnavailable, j.Path(), hosts)}
	}
	return j.find(ctx, j.options.RootKey)
}

// find reads the head of the world, and creates a missing world with the root key
// unless that is empty.
func (j *Journal) find(ctx context.Context, rootKey string) error {
	keys, types := j.everyKey()
	args := append([]any{store.Format, rootKey, bit(!j.options.ReadOnly), len(j.counted), "hash"}, types...)
	said, err := j.readScript(ctx, "opening", foundScript(), keys, args...)
	if err != nil {
		return err
	}
	switch text(said.at(0)) {
	case "OK":
		return j.known(said[1:])
	case "IMPORTING":
		return fmt.Errorf("%w: a migration or a restore into %s runs or was interrupted; wait for it, or run it again", store.ErrImporting, j.Path())
	case "FOREIGN":
		return fmt.Errorf("%w: opening %s: its key %s belongs to another program, for it is not a %s; choose another host id, or remove that key", store.ErrCorrupt, j.Path(), text(said.at(1)), text(said.at(2)))
	case "DENIED":
		return j.denied("opening", said[1:])
	case "MISSING":
		return fmt.Errorf("%w: opening %s: %s: %s", store.ErrCorrupt, j.Path(), missing(said[1:]), missingAdvice)
	case "REMAINS":
		return fmt.Errorf("%w: opening %s: it has keys of a world, but not its head: they were evicted or deleted; delete the keys %s* and restore a backup, or choose another host id", store.ErrCorrupt, j.Path(), j.prefix)
	}
	return fmt.Errorf("%w: opening %s: its key %s cannot be read: %s", store.ErrUnavailable, j.Path(), text(said.at(1)), text(said.at(3)))
}

// everyKey lists the keys of a world besides its head, except for its checkpoints
// and locks, and the type of each. First are those of the records of all tables.
func (j *Journal) everyKey() (keys []string, types []any) {
	for _, table := range store.Tables() {
		keys, types = append(keys, j.tableKeys(table)[:2]...), append(types, "hash", "zset")
	}
	for _, table := range store.Tables() {
		keys, types = append(keys, j.tableKeys(table)[2:]...), append(types, "zset", "hash")
	}
	keys, types = append(keys, j.key("journal"), j.key("local")), append(types, "stream", "string")
	for _, name := range []string{"checkpoints", "asked", "hosts"} {
		keys, types = append(keys, j.key(name)), append(types, "hash")
	}
	return keys, types
}

// denied returns the error of a script that found, before it wrote anything, that
// the user may not run a command.
func (j *Journal) denied(doing string, what parts) error {
	return fmt.Errorf("%w: %s %s: %w: the user may not %s; nothing was written", store.ErrUnavailable, doing, j.Path(), errDenied, text(what.at(0)))
}

// known checks the world's head, and stores its root key.
func (j *Journal) known(said parts) error {
	switch {
	case said.at(0) != nil:
	case j.options.ReadOnly:
		return fmt.Errorf("there is no world at %s: %w", j.Path(), fs.ErrNotExist)
	default:
		return fmt.Errorf("there is no world at %s, and none can be created without a root key: %w", j.Path(), fs.ErrNotExist)
	}
	format, err := strconv.ParseUint(text(said.at(0)), 10, 32)
	j.rootKey = text(said.at(1))
	switch {
	case err == nil && format != store.Format:
		return store.CheckFormat(j.Path(), format)
	case err != nil || j.rootKey == "":
		return fmt.Errorf("%w: opening %s: its head is not what a store writes", store.ErrCorrupt, j.Path())
	case j.options.RootKey != "" && j.options.RootKey != j.rootKey:
		return fmt.Errorf("%w: %s was created with the root key %.12q…, this host has %.12q…; start with the other root file, or choose another host id",
			store.ErrRootKey, j.Path(), j.rootKey, j.options.RootKey)
	}
	return nil
}

// parts are the parts of a script's reply.
type parts []any

// at returns a part; nil if it is missing.
func (p parts) at(i int) any {
	if i >= len(p) {
		return nil
	}
	return p[i]
}

// text returns a text of a reply, "" if the value is not a text.
func text(value any) string {
	s, _ := value.(string)
	return s
}

// errDenied means that the server reported before a write that the user has no
// permission for it.
var errDenied = errors.New("NOPERM")

// passes are the errors of a server that may be temporary: for its other errors
// somebody has to change something.
var passes = []string{
	"LOADING", "READONLY", "OOM", "MISCONF", "NOREPLICAS", "CLUSTERDOWN", "MASTERDOWN", "BUSY", "TRYAGAIN", "MOVED", "ASK",
}

// Passing reports whether an error of Open may be temporary: the server does not
// answer, has just started, is being replaced, is full or has too many clients. An
// error is not temporary if the server refuses the user or a command, if TLS cannot
// be negotiated, or if the server or the world cannot be opened.
func Passing(err error) bool {
	if !errors.Is(err, store.ErrUnavailable) || errors.Is(err, errDenied) || distrusted(err) {
		return false
	}
	return !isA[goredis.Error](err) || begins(err, passes)
}

// distrusted reports whether one side refused the other's TLS.
func distrusted(err error) bool {
	return isA[*tls.CertificateVerificationError](err) || isA[tls.RecordHeaderError](err) || isA[tls.AlertError](err) ||
		isA[x509.UnknownAuthorityError](err) || isA[x509.HostnameError](err) || isA[x509.CertificateInvalidError](err)
}

func isA[E error](err error) bool {
	_, is := errors.AsType[E](err)
	return is
}
