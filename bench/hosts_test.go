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

// kept is where a world is kept, and by how many hosts it is served.
type kept struct {
	name string
	// hosts are on one Redis; 0 stands for one host on the embedded store.
	hosts int
}

func stores() []kept {
	return []kept{{"store=embedded", 0}, {"store=redis/hosts=1", 1}, {"store=redis/hosts=3", 3}}
}

// deployment is a world with four agents, at hosts that are real processes.
type deployment struct {
	tb    testing.TB
	dir   string
	hosts []*process
	// redis is nil where the store is embedded.
	redis  *redistest.Server
	people *served
}

// deploy starts hosts. Redis syncs its log once a second, which is its default
// with a log, or with every write as the embedded store does.
func deploy(tb testing.TB, k kept, fsync string) *deployment {
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

// cost is what hosts and Redis have used so far.
type cost struct {
	hosts, redis time.Duration
	// trips are the times at which Redis read from a connection: one for each
	// request, and for each group that was sent at once.
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

// info is a number of Redis' description.
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
	d.tb.Fatalf("Redis says nothing of %s", name)
	return 0
}
