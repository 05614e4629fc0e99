package world

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/test/sharedstore"
)

// checkpointCounter counts the checkpoints of a host.
type checkpointCounter struct {
	*sharedstore.Host
	stored atomic.Int64
	// done receives a value for each checkpoint that was due.
	done chan struct{}
}

func (m *checkpointCounter) Acquire(ctx context.Context, name, holder string, term time.Duration) (store.Fence, bool, error) {
	fence, held, err := m.Host.Acquire(ctx, name, holder, term)
	if !held {
		m.done <- struct{}{}
	}
	return fence, held, err
}

func (m *checkpointCounter) Checkpoint(ctx context.Context, s store.State) (store.Kept, error) {
	kept, err := m.Host.Checkpoint(ctx, s)
	if err == nil {
		m.stored.Add(1)
	}
	m.done <- struct{}{}
	return kept, err
}

// A checkpoint is due at all hosts at the same time; one of them stores it, and
// another one does if that host is down.
func TestOneHostStoresEachCheckpoint(t *testing.T) {
	const every, hosts = 16, 3
	c := &cluster{t: t, clock: newClock()}
	c.server = sharedstore.NewServer(store.DefaultRetention(), c.clock.Now)
	journals := []*checkpointCounter{}
	for i := range hosts {
		j := &checkpointCounter{Host: c.server.Host(), done: make(chan struct{}, 100)}
		w, err := Open(context.Background(), Options{
			Journal: j, RootKey: testRootKey, Now: c.clock.Now, Random: rand.NewChaCha8([32]byte{byte(i + 1)}), CheckpointEvery: every,
		})
		if err != nil {
			t.Fatal(err)
		}
		journals, c.worlds = append(journals, j), append(c.worlds, w)
	}
	for _, j := range journals { // That of the new world.
		<-j.done
		j.stored.Store(0)
	}
	a := c.agent(0, 45)
	stored := func() (counts []int64) {
		for _, j := range journals {
			counts = append(counts, j.stored.Load())
		}
		return counts
	}
	// write makes a checkpoint due and waits until the hosts have handled it.
	write := func(by int, up ...int) {
		for n := range every {
			c.must(by, a, line(a, fmt.Sprint(n)))
			for _, i := range up {
				if err := c.worlds[i].Refresh(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, i := range up {
			<-journals[i].done
		}
	}
	for round := range int64(10) {
		write(int(round)%hosts, 0, 1, 2)
		c.clock.Advance(time.Second)
		if counts := stored(); slices.Max(counts) != round+1 || counts[0]+counts[1]+counts[2] != round+1 {
			t.Fatalf("%d checkpoints were due, the hosts stored %v", round+1, counts)
		}
	}
	before := stored()
	gone := slices.Index(before, 10)
	other, third := (gone+1)%hosts, (gone+2)%hosts
	journals[gone].Down.Store(true)
	c.clock.Advance(checkpointTerm)
	write(other, other, third)
	if now := stored(); now[other]+now[third] != 1 {
		t.Errorf("with that host down the others stored %v", now)
	}
	journals[gone].Down.Store(false)
	c.close()
}
