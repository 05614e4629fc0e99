package redis

import (
	"sync"
	"time"
)

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
