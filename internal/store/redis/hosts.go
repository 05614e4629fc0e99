package redis

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/playctl/playctl/internal/store"
)

// Acquire implements store.Hosts.
func (j *Journal) Acquire(ctx context.Context, name, holder string, term time.Duration) (store.Fence, bool, error) {
	reply, err := j.readScript(ctx, "locking", acquireScript(), []string{j.key("fence:" + name)}, name, holder, milliseconds(term))
	if err != nil || len(reply) == 1 {
		return store.Fence{}, false, err
	}
	token, err := strconv.ParseUint(text(reply.at(1)), 10, 64)
	if err != nil {
		return store.Fence{}, false, fmt.Errorf("%w: the lock %s of %s has no token", store.ErrCorrupt, name, j.Path())
	}
	return store.Fence{Name: name, Token: token}, true, nil
}

// Release implements store.Hosts.
func (j *Journal) Release(ctx context.Context, fence store.Fence) error {
	_, err := j.readScript(ctx, "unlocking", releaseScript(), []string{j.key("fence:" + fence.Name)}, fence.Name, fence.Token)
	return err
}

// SoleHost implements store.Hosts.
func (j *Journal) SoleHost() bool { return false }

// HostStarted implements store.Hosts. The server knows the deadlines. A crashed host
// counts as gone when its connections are closed.
func (j *Journal) HostStarted(ctx context.Context, _ []store.Renewal) error {
	j.fitness.begin(j.recheck)
	hosts, err := j.Hosts(ctx)
	if err != nil || hosts > 0 {
		return err
	}
	var keys []string
	var tables []any
	for _, table := range store.Tables() {
		keys, tables = append(keys, j.tableKeys(table)[2:]...), append(tables, string(table))
	}
	_, err = j.readScript(ctx, "starting at", arriveScript(), keys, tables...)
	return err
}

// Heartbeat implements store.Hosts.
func (j *Journal) Heartbeat(ctx context.Context, id, name string, term time.Duration) (map[string]string, error) {
	reply, err := j.readScript(ctx, "counting the hosts of", presentScript(), []string{j.key("hosts")}, id, name, milliseconds(term))
	hosts := make(map[string]string, len(reply)/2)
	for i := 0; i+1 < len(reply); i += 2 {
		hosts[text(reply[i])] = text(reply[i+1])
	}
	return hosts, err
}

// grace is the time without a request for due deadlines after which every deadline
// gets its full term: agents cannot renew while all hosts or the server are down. A
// server's clock that went back by as much has the same effect: the deadlines are another
// clock's.
const grace = 5 * time.Second

// Expired implements store.Hosts.
func (j *Journal) Expired(ctx context.Context, table store.Table, limit int) ([]string, error) {
	if err := j.fitness.fault(); err != nil {
		return nil, err
	}
	reply, err := j.readScript(ctx, "reading", dueScript(), append(j.tableKeys(table)[2:], j.key("asked"), j.key("local")),
		string(table), limit, grace.Milliseconds(), j.synced.Load())
	keys := make([]string, 0, len(reply))
	for _, key := range reply {
		keys = append(keys, text(key))
	}
	return keys, err
}

// clockAge is how long an observation of the server's time is preferred to a newer
// one with a longer round trip: clocks drift by less than a millisecond meanwhile.
const clockAge = 30 * time.Second

// clock is the server's time as far as this host knows it: the recent observation
// with the shortest round trip, and the time since then on a monotonic clock.
type clock struct {
	mu     sync.Mutex
	run    string
	server time.Time
	local  time.Time
	trip   time.Duration
}

// observe records that the server with that run id reported its time between two
// local times.
func (c *clock) observe(start, ended, server time.Time, run string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	trip := ended.Sub(start)
	if !c.local.IsZero() && c.run == run && trip > c.trip && ended.Sub(c.local) < clockAge {
		return
	}
	c.run, c.server, c.local, c.trip = run, server, start.Add(trip/2), trip
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server.Add(time.Since(c.local))
}

// Clock implements store.Hosts: the time is the server's.
func (j *Journal) Clock(func() time.Time) func() time.Time { return j.clock.now }
