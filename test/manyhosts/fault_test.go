//go:build full

package manyhosts

import (
	"context"
	"math/rand/v2"
	"os"
	"time"
)

// faultInjector causes faults at a site, one after another, and repairs them.
type faultInjector struct {
	*site
	random  *rand.Rand
	history *history
	// restarts are the times at which Redis was killed, and losses how many of these
	// cut off the end of its log.
	restarts []time.Duration
	losses   int
	// whole is the size of Redis' log when the scenario began.
	whole int
}

// fault is one kind of fault.
type fault struct {
	name string
	run  func(b *faultInjector, ctx context.Context)
	// loses is set if acknowledged writes may be lost.
	loses bool
}

var faults = []fault{
	{name: "a host is killed", run: (*faultInjector).killHost},
	{name: "a host is stopped", run: (*faultInjector).stopHost},
	{name: "Redis is killed", run: (*faultInjector).killRedis},
	{name: "Redis and a host are killed", run: (*faultInjector).killBoth},
	{name: "connections are cut", run: (*faultInjector).cut},
	{name: "a reply is lost", run: (*faultInjector).loseNext},
	{name: "replies are lost for a while", run: (*faultInjector).lose},
	{name: "a host cannot reach Redis for a while", run: (*faultInjector).refuse},
	{name: "no host can reach Redis for a while", run: (*faultInjector).refuseAll},
	{name: "Redis loses the end of its log", run: (*faultInjector).cutLog, loses: true},
}

// run causes n faults.
func (b *faultInjector) run(ctx context.Context, n int) {
	for range n {
		b.pause(ctx, 20, 150)
		f := faults[b.random.IntN(len(faults))]
		for f.loses && b.synced {
			f = faults[b.random.IntN(len(faults))]
		}
		b.history.fault("%s", f.name)
		f.run(b, ctx)
	}
	b.pause(ctx, 50, 150)
}

// pause waits a number of milliseconds.
func (b *faultInjector) pause(ctx context.Context, least, most int) {
	wait := time.NewTimer(time.Duration(least+b.random.IntN(most-least+1)) * time.Millisecond)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
	}
}

func (b *faultInjector) any() int { return b.random.IntN(hosts) }

func (b *faultInjector) killHost(ctx context.Context) {
	h := b.hosts[b.any()]
	h.Kill()
	b.pause(ctx, 0, 100)
	h.Start()
}

func (b *faultInjector) stopHost(context.Context) {
	h := b.hosts[b.any()]
	h.Stop()
	h.Start()
}

func (b *faultInjector) killRedis(ctx context.Context) {
	b.restarts = append(b.restarts, b.history.now())
	b.redis.Kill()
	b.pause(ctx, 0, 300)
	b.restartRedis()
}

func (b *faultInjector) killBoth(ctx context.Context) {
	h := b.hosts[b.any()]
	b.restarts = append(b.restarts, b.history.now())
	b.redis.Kill()
	h.Kill()
	b.pause(ctx, 0, 200)
	b.restartRedis()
	h.Start()
}

func (b *faultInjector) cut(ctx context.Context) {
	for range 3 {
		b.proxies[b.any()].Cut()
		b.pause(ctx, 1, 20)
	}
}

func (b *faultInjector) loseNext(ctx context.Context) {
	for range 3 {
		b.proxies[b.any()].LoseNext()
		b.pause(ctx, 1, 30)
	}
}

func (b *faultInjector) lose(ctx context.Context) {
	p := b.proxies[b.any()]
	p.LoseReplies(true)
	b.pause(ctx, 50, 250)
	p.LoseReplies(false)
}

func (b *faultInjector) refuse(ctx context.Context) {
	p := b.proxies[b.any()]
	p.Refuse(true)
	b.pause(ctx, 50, 400)
	p.Refuse(false)
}

func (b *faultInjector) refuseAll(ctx context.Context) {
	for _, p := range b.proxies {
		p.Refuse(true)
	}
	b.pause(ctx, 50, 300)
	for _, p := range b.proxies {
		p.Refuse(false)
	}
}

// cutLog kills Redis and cuts up to 4 KiB from the end of its log, as a power
// failure does with data that was not synced yet.
func (b *faultInjector) cutLog(ctx context.Context) {
	b.restarts = append(b.restarts, b.history.now())
	b.losses++
	b.redis.Kill()
	path := b.redis.Log()
	text, err := os.ReadFile(path)
	b.must(err)
	b.must(os.Truncate(path, int64(max(len(text)-b.random.IntN(4<<10), min(b.whole, len(text))))))
	b.pause(ctx, 0, 200)
	b.restartRedis()
}

// restartRedis starts Redis after a kill, as docs/redis.md says.
func (b *faultInjector) restartRedis() {
	b.redis.RepairLog()
	b.redis.Restart()
}
