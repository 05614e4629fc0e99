package bench

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/test/hostprocess"
	"github.com/playctl/playctl/test/redistest"
)

// storeSetup is the store of a world, and the number of its hosts.
type storeSetup struct {
	name string
	// hosts are on one Redis server; 0 means one host on the embedded store.
	hosts int
}

func stores() []storeSetup {
	return []storeSetup{{"store=embedded", 0}, {"store=redis/hosts=1", 1}, {"store=redis/hosts=3", 3}}
}

// deployment is a world with four agents, at hosts that are real processes.
type deployment struct {
	tb    testing.TB
	dir   string
	hosts []*process
	// redis is nil if the store is embedded.
	redis  *redistest.Server
	people *served
}

// deploy starts hosts. Redis syncs its log once a second, which is its default with
// a log, or with every write as the embedded store does.
func deploy(tb testing.TB, k storeSetup, fsync string) *deployment {
	tb.Helper()
	d := &deployment{tb: tb, dir: tb.TempDir()}
	rootKey := creds.GenerateRootKey()
	must(tb, creds.WriteRootFile(filepath.Join(d.dir, "root"), rootKey, false))
	if k.hosts == 0 {
		d.hosts = []*process{start(tb, d.dir)}
	} else {
		d.redis = redistest.Start(tb, redistest.AOF(fsync)...)
		for range k.hosts {
			d.hosts = append(d.hosts, d.join())
		}
	}
	d.people = &served{tb: tb, addr: d.hosts[0].addr(), derive: creds.DeriveNodeID}
	d.people.populate(rootKey, 4)
	return d
}

// join starts another host of the world on Redis.
func (d *deployment) join() *process {
	d.tb.Helper()
	return &process{hostprocess.Start(d.tb, hostprocess.Options{Args: []string{
		"--store", d.redis.URL(), "--root-file", filepath.Join(d.dir, "root"), "--log-level", "error", "--rate-history", "0",
	}})}
}

// cost is the resources used by hosts and Redis so far.
type cost struct {
	hosts, redis time.Duration
	// trips is how often Redis read from a connection: once for each request, and
	// for each group of requests sent together.
	trips uint64
}

func (d *deployment) cost() cost {
	d.tb.Helper()
	var c cost
	for _, h := range d.hosts {
		used, err := hostprocess.CPU(h.PID())
		must(d.tb, err)
		c.hosts += used
	}
	if d.redis != nil {
		used, err := hostprocess.CPU(int(d.info("process_id")))
		must(d.tb, err)
		c.redis, c.trips = used, d.info("total_reads_processed")
	}
	return c
}

// info returns a number in Redis' INFO output.
func (d *deployment) info(name string) uint64 {
	d.tb.Helper()
	text := fmt.Sprint(d.redis.Do("info", "everything"))
	for line := range strings.Lines(text) {
		if value, found := strings.CutPrefix(strings.TrimSpace(line), name+":"); found {
			n, err := strconv.ParseUint(value, 10, 64)
			must(d.tb, err)
			return n
		}
	}
	d.tb.Fatalf("the INFO output of Redis has no %s", name)
	return 0
}
