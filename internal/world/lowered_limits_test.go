package world

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/sharedstore"
)

// accountWithLines creates an account with agents that each have a number of lines.
func (f *fixture) accountWithLines(account string, agents, lines int) (owner string, ids []string) {
	f.t.Helper()
	owner = f.main(account)
	for n := range agents {
		a := f.agent(owner, fmt.Sprint(account, " agent ", n))
		f.as(owner, registration(a))
		ids = append(ids, a)
		for l := range lines {
			f.as(a, line(a, fmt.Sprint("l", l)))
		}
	}
	return owner, ids
}

// shrink runs a command repeatedly until the count is within the limit, and fails
// if the count is greater after a command than before. It returns how much each
// command removed.
func (f *fixture) shrink(limit int, used func() int, nodeID string, c Command) (took []int) {
	f.t.Helper()
	for had := used(); had > limit; had = used() {
		f.as(nodeID, c)
		if now := used(); now >= had {
			f.t.Fatalf("%d after a command, %d before it, where the limit is %d", now, had, limit)
		}
		took = append(took, had-used())
	}
	recount(f.t, f.World, f.journal)
	return took
}

func (f *fixture) usedBy(account string, q Quota) func() int {
	return func() int {
		f.t.Helper()
		used, err := f.Usage(f.t.Context(), account)
		if err != nil {
			f.t.Fatal(err)
		}
		return used[account][q]
	}
}

// Each command drops a part of the excess over a lowered limit.
func TestLoweredLineLimitIsReachedInSteps(t *testing.T) {
	f := open(t)
	owner, agents := f.accountWithLines("owner", 2, 750)
	limitOf(t, f.World, owner, protocol.Amounts{Lines: new(uint64(10))})
	took := f.shrink(10, f.usedBy(owner, Lines), agents[0], line(agents[0], "new"))
	if len(took) < 2 || took[0] > 16*manyRoomReads {
		t.Errorf("lines removed by the commands: %v", took)
	}
	if got := f.lines(); !strings.Contains(got, " l748 l749 new new") || len(strings.Fields(got)) != 10 {
		t.Errorf("kept: %s", got)
	}
}

func TestLoweredByteLimitIsReachedInSteps(t *testing.T) {
	f := open(t)
	owner, agents := f.accountWithLines("owner", 1, 0)
	long := journey(agents[0], strings.Repeat("x", 120_000))
	for range 80 {
		f.as(agents[0], long)
	}
	limitOf(t, f.World, owner, protocol.Amounts{Bytes: new(uint64(500_000))})
	took := f.shrink(500_000, f.usedBy(owner, Bytes), agents[0], long)
	if len(took) < 2 || took[0] > 2*manyBytesForRoom {
		t.Errorf("bytes removed by the commands: %v", took)
	}
}

// A long line removes as many short ones as together exceed its length.
func TestAccountAboveLimitDoesNotGrow(t *testing.T) {
	f := open(t)
	owner, agents := f.accountWithLines("owner", 2, 750)
	long := line(agents[0], strings.Repeat("x", 700_000))
	f.as(agents[0], long)
	limitOf(t, f.World, owner, protocol.Amounts{Bytes: new(uint64(750_000))})
	f.shrink(750_000, f.usedBy(owner, Bytes), agents[0], long)
}

func TestLoweredWorldLimitIsReachedInSteps(t *testing.T) {
	f := open(t)
	f.accountWithLines("loud", 2, 750)
	_, quiet := f.accountWithLines("quiet", 1, 1)
	f.options.Limits.World[Lines] = 10
	f.reopen()
	took := f.shrink(10, func() int { return f.Used()[Lines] }, quiet[0], line(quiet[0], "new"))
	if len(took) < 2 || took[0] > 16*manyRoomReads {
		t.Errorf("lines removed by the commands: %v", took)
	}
}

// A write that alone exceeds the limit is refused, even if less than before would
// remain, and removes nothing.
func TestWriteBeyondLoweredLimitIsRefused(t *testing.T) {
	f := open(t)
	owner, agents := f.accountWithLines("owner", 2, 750)
	limitOf(t, f.World, owner, protocol.Amounts{Bytes: new(uint64(1000))})
	had := f.usedBy(owner, Bytes)()
	_, err := f.try(agents[0], line(agents[0], strings.Repeat("x", 1000)))
	wantCode(t, err, protocol.CodeStorageLimit)
	if now := f.usedBy(owner, Bytes)(); now != had {
		t.Errorf("%d bytes after the refusal, %d before it", now, had)
	}
}

// remoteHost is a host's access to a shared journal that reads records slowly.
type remoteHost struct {
	*sharedstore.Host
	delay atomic.Int64
}

func (d *remoteHost) GetAll(ctx context.Context, list []store.Lookup) ([][]byte, error) {
	if !pause.For(ctx, time.Duration(d.delay.Load())) {
		return nil, store.ErrUnavailable
	}
	return d.Host.GetAll(ctx, list)
}

// Over a network, too, a command of an account far above its limit is answered in
// time, as are the other commands of its batch.
func TestLoweredLimitIsReachedOverNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := newClock()
		way := &remoteHost{Host: sharedstore.NewServer(store.DefaultRetention(), clock.Now).Host()}
		f := &fixture{t: t, clock: clock, journal: way, options: Options{
			Journal: way, RootKey: testRootKey, Now: clock.Now, Random: rand.NewChaCha8([32]byte{1}),
		}}
		f.start()
		defer f.stop()
		owner, agents := f.accountWithLines("owner", 2, 1000)
		limitOf(t, f.World, owner, protocol.Amounts{Lines: new(uint64(10))})
		way.delay.Store(int64(8 * time.Millisecond))
		answers := make(chan error)
		for range 4 {
			go func() {
				_, err := f.try(agents[0], line(agents[0], "new"))
				answers <- err
			}()
		}
		for range 4 {
			if err := <-answers; err != nil {
				t.Error(err)
			}
		}
		way.delay.Store(0)
		f.shrink(10, f.usedBy(owner, Lines), agents[0], line(agents[0], "new"))
	})
}
