package host

import (
	"container/list"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/playctl/playctl/protocol"
)

// maxAddresses bounds a limiter's table. An evicted address starts with a full
// burst again, so evicting the one that was quiet for longest weakens the limit
// least.
const maxAddresses = 16_384

// limiter bounds the requests of each address. The size of its table is bounded as well.
type limiter struct {
	perSecond rate.Limit
	burst     int
	// sites bounds IPv6 sites, each of which may have many networks; nil in that limiter
	// itself.
	sites *limiter
	// loopback is limited as well.
	loopback bool

	mu      sync.Mutex
	buckets map[netip.Addr]*list.Element
	// recent has the addresses, the one of the last request in front.
	recent *list.List
}

type bucket struct {
	addr  netip.Addr
	limit *rate.Limiter
}

// siteShare is how many times the rate of one address an IPv6 site may use.
const siteShare = 4

// newLimiter returns a limiter; a negative rate limits nothing, and returns nil.
func newLimiter(perSecond float64, burst int, loopback bool) *limiter {
	if perSecond < 0 {
		return nil
	}
	l := newBuckets(perSecond, burst)
	l.sites, l.loopback = newBuckets(siteShare*perSecond, siteShare*burst), loopback
	return l
}

func newBuckets(perSecond float64, burst int) *limiter {
	return &limiter{
		perSecond: rate.Limit(perSecond), burst: burst,
		buckets: map[netip.Addr]*list.Element{}, recent: list.New(),
	}
}

// wait returns how long an address has to wait before its next request; 0 lets
// this one through and counts it. Loopback and connections over no network never
// wait.
func (l *limiter) wait(addr netip.Addr) time.Duration {
	if l == nil || !addr.IsValid() || addr.IsLoopback() && !l.loopback {
		return 0
	}
	buckets := []*bucket{l.bucket(networkOf(addr))}
	if addr.Is6() {
		buckets = append(buckets, l.sites.bucket(siteOf(addr)))
	}
	for _, b := range buckets {
		// The site counts only requests that the network's limit lets through, because
		// only a reservation that waits can be canceled: otherwise one network over its
		// limit would use up the limit of its site.
		reserved := b.limit.Reserve()
		if delay := reserved.Delay(); delay > 0 {
			reserved.Cancel()
			return delay
		}
	}
	return 0
}

func (l *limiter) bucket(addr netip.Addr) *bucket {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, known := l.buckets[addr]; known {
		l.recent.MoveToFront(e)
		return e.Value.(*bucket) //nolint:forcetypeassert // The list holds nothing else.
	}
	if l.recent.Len() >= maxAddresses {
		oldest := l.recent.Back()
		delete(l.buckets, l.recent.Remove(oldest).(*bucket).addr) //nolint:forcetypeassert // As above.
	}
	b := &bucket{addr: addr, limit: rate.NewLimiter(l.perSecond, l.burst)}
	l.buckets[addr] = l.recent.PushFront(b)
	return b
}

// networkOf returns the prefix that counts as one address: for IPv6 the /64 that a
// subscriber commonly gets as a whole.
func networkOf(addr netip.Addr) netip.Addr { return prefixOf(addr, 64) }

// siteOf returns the IPv6 /48, the largest prefix of a subscriber, which may hold
// many networks, or an IPv4 address.
func siteOf(addr netip.Addr) netip.Addr { return prefixOf(addr, 48) }

func prefixOf(addr netip.Addr, bits int) netip.Addr {
	if !addr.Is6() {
		return addr
	}
	p, err := addr.Prefix(bits)
	if err != nil {
		return addr
	}
	return p.Addr()
}

// checkRate refuses a request of an address that sends too many.
func (h *Host) checkRate(c *call) error {
	return tooOften(h.requests.wait(c.peer), "requests", "%d a second (--rate-requests)", h.options.Limits.RequestsPerSecond)
}

// checkCreationRate refuses an address that creates nodes too fast, each of which
// costs a key derivation.
func (c *call) checkCreationRate() error {
	return tooOften(c.host.creation.wait(c.peer), "new nodes", "%d a minute (--rate-nodes)", c.host.options.Limits.CreationsPerMinute)
}

func tooOften(wait time.Duration, what, limit string, most int) error {
	if wait <= 0 {
		return nil
	}
	e := protocol.Errorf(protocol.CodeRateLimited, "too many %s from this address; the limit is "+limit+": retry after the time in Retry-After", what, most)
	e.RetryAfter = wait
	return e
}
