package world

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/replay"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/sharedstore"
)

// slow is a host's access to a shared journal that hangs, returns missed entries in
// small pieces, or refuses commits.
type slow struct {
	*sharedstore.Host
	// hangs makes every call block until its context ends.
	hangs atomic.Bool
	// full refuses commits while everything else works.
	full atomic.Bool
	// unfit refuses commits for a reason that does not pass.
	unfit   atomic.Bool
	commits atomic.Int64
	// patience is the time left to the last caller of Load, in nanoseconds.
	patience atomic.Int64
	piece    int
	// gate blocks commits until it is closed; nil for none.
	gate atomic.Pointer[chan struct{}]
}

var (
	errFull  error = &store.FaultError{Reason: "its memory is full"}
	errUnfit error = &store.FaultError{Reason: "it evicts keys", Err: store.ErrUnfit}
)

func (s *slow) hang(ctx context.Context) error {
	if !s.hangs.Load() {
		return nil
	}
	<-ctx.Done()
	return errors.Join(store.ErrUnavailable, ctx.Err())
}

func (s *slow) Commit(ctx context.Context, b *store.Batch) (store.Tip, error) {
	s.commits.Add(1)
	if gate := s.gate.Load(); gate != nil {
		<-*gate
	}
	if err := s.hang(ctx); err != nil {
		return store.Tip{}, err
	}
	switch {
	case s.unfit.Load():
		return store.Tip{}, errUnfit
	case s.full.Load():
		return store.Tip{}, errFull
	}
	tip, err := s.Host.Commit(ctx, b)
	if missed, ok := errors.AsType[*store.OvertakenError](err); ok {
		return tip, &store.OvertakenError{Entries: s.cut(missed.Entries)}
	}
	return tip, err
}

func (s *slow) Load(ctx context.Context) (store.State, error) {
	if ends, bounded := ctx.Deadline(); bounded {
		s.patience.Store(int64(timeLeft(ends)))
	}
	return s.Host.Load(ctx)
}

func (s *slow) cut(entries []store.Entry) []store.Entry { return entries[:min(s.piece, len(entries))] }

func (s *slow) EntriesAfter(ctx context.Context, after store.Tip) ([]store.Entry, error) {
	if err := s.hang(ctx); err != nil {
		return nil, err
	}
	entries, err := s.Host.EntriesAfter(ctx, after)
	return s.cut(entries), err
}

func (s *slow) Get(ctx context.Context, table store.Table, key []byte) ([]byte, error) {
	if err := s.hang(ctx); err != nil {
		return nil, err
	}
	return s.Host.Get(ctx, table, key)
}

func (s *slow) GetAll(ctx context.Context, list []store.Lookup) ([][]byte, error) {
	if err := s.hang(ctx); err != nil {
		return nil, err
	}
	return s.Host.GetAll(ctx, list)
}

func openSlow(t *testing.T) (c *cluster, way *slow, agent string) {
	t.Helper()
	c = &cluster{t: t, clock: newClock()}
	c.server = sharedstore.NewServer(store.DefaultRetention(), c.clock.Now)
	way = &slow{Host: c.server.Host(), piece: 3}
	w, err := Open(context.Background(), Options{
		Journal: way, RootKey: testRootKey, Now: c.clock.Now, Random: rand.NewChaCha8([32]byte{1}),
	})
	if err != nil {
		t.Fatal(err)
	}
	<-way.Following
	c.worlds = append(c.worlds, w)
	t.Cleanup(c.close)
	agent = c.agent(0, 45)
	return c, way, agent
}

// A batch whose reply is lost and whose entries arrive in pieces is answered when
// all of it is visible, and carried out once.
func TestBatchReadInPiecesIsAnsweredOnce(t *testing.T) {
	c, way, a := openSlow(t)
	w := c.worlds[0]
	way.NoFollow.Store(true)
	gate := make(chan struct{})
	way.gate.Store(&gate)
	jobs := []*job{}
	for n := range 30 {
		j := &job{ctx: t.Context(), req: Request{Caller: Caller{NodeID: a}}, command: line(a, fmt.Sprint(n)), done: make(chan struct{})}
		jobs = append(jobs, j)
		if err := w.queue.send(w.registry.queueAccount(&j.req.Caller), j); err != nil {
			t.Fatal(err)
		}
	}
	// The first command is committed alone, the others in one batch, whose reply is
	// lost.
	way.gate.Store(nil)
	way.After.Store(2)
	close(gate)
	for _, j := range jobs {
		<-j.done
		if j.err != nil {
			t.Fatalf("%v", j.err)
		}
		if v := w.View(); v.Seq < j.reply.Seq || v.Rev < j.reply.Rev {
			t.Fatalf("event %d was acknowledged while the view was at %d", j.reply.Seq, v.Seq)
		}
	}
	c.agree()
	if texts := c.texts(0); len(texts) != 30 {
		t.Errorf("%d lines are stored, want 30", len(texts))
	}
	for text, times := range c.texts(0) {
		if times != 1 {
			t.Errorf("%q is stored %d times", text, times)
		}
	}
}

// While the store hangs, every command is answered within one second, also those
// queued behind hundreds of others; when the store is back, immediately.
func TestHangingStoreIsReportedInTime(t *testing.T) { synctest.Test(t, hangingStore) }

func hangingStore(t *testing.T) {
	c, way, a := openSlow(t)
	way.hangs.Store(true)
	ask := map[string]func() error{
		"a line": func() error {
			_, err := c.do(0, a, line(a, "x"))
			return err
		},
		"one with a key": func() error {
			_, err := c.keyed(0, a, "key", line(a, "y"))
			return err
		},
		"a look-up of a key": func() error {
			_, _, err := c.worlds[0].Repeated(t.Context(), &Idempotency{})
			return err
		},
		"a space": func() error {
			_, err := c.worlds[0].Space(t.Context(), "nowhere")
			return err
		},
		"a cursor": func() error {
			_, err := c.worlds[0].ResumeCheck(t.Context(), 1<<40)
			return err
		},
	}
	var asking sync.WaitGroup
	for name, f := range ask {
		for range 300 {
			asking.Go(func() {
				wantUnavailable(t, name, f)
			})
		}
	}
	asking.Wait()
	way.hangs.Store(false)
	eventually(t, "a command works again", func() bool {
		_, err := c.do(0, a, line(a, "back"))
		return err == nil
	})
}

// The first reply for a key is read immediately, then the store hangs: the caller
// waits only for the rest of its second, and the error names the store.
func TestRepeatWaitsNoLongerThanCommand(t *testing.T) { synctest.Test(t, hangingRepeat) }

func hangingRepeat(t *testing.T) {
	c, way, a := openSlow(t)
	if _, err := c.keyed(0, a, "key", line(a, "x")); err != nil {
		t.Fatal(err)
	}
	gate := make(chan struct{})
	way.gate.Store(&gate)
	w := c.worlds[0]
	for name, ctx := range map[string]context.Context{"a request": w.WithStoreWait(t.Context()), "a call": t.Context()} {
		wantUnavailable(t, name, func() error {
			_, _, err := w.Repeated(ctx, keyOf("key"))
			return err
		})
	}
	way.gate.Store(nil)
	close(gate)
}

// A store that answers but refuses commits is not called continuously.
func TestStoreThatRefusesCommitsIsNotFlooded(t *testing.T) {
	c, way, a := openSlow(t)
	way.full.Store(true)
	way.commits.Store(0)
	_, err := c.do(0, a, line(a, "refused"))
	wantCode(t, err, protocol.CodeStoreUnavailable)
	if n := way.commits.Load(); n > 20 {
		t.Errorf("the store got %d commits within a second", n)
	}
	eventually(t, "the world reports that it is stale", func() bool { return c.worlds[0].Stale() != nil })
	way.full.Store(false)
	eventually(t, "a sweep detects that the store accepts commits again", func() bool {
		return c.worlds[0].Sweep(t.Context()) == nil && c.worlds[0].Stale() == nil
	})
}

// A caller learns why a store refuses commits: at once where waiting does not help.
func TestReasonOfRefusedCommits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, way, a := openSlow(t)
		ask := func(reason string) time.Duration {
			elapsed := pause.Stopwatch()
			_, err := c.do(0, a, line(a, "refused"))
			if store.Reason(err) != reason || !strings.Contains(err.Error(), reason) {
				t.Errorf("got %v, want the reason %q", err, reason)
			}
			return elapsed()
		}
		way.full.Store(true)
		if took := ask("its memory is full"); took > patience {
			t.Errorf("a caller waited %v for a full store", took)
		}
		way.unfit.Store(true)
		if took := ask("it evicts keys"); took > 0 {
			t.Errorf("a caller waited %v for a store that must not be used", took)
		}
	})
}

// A jump that the store refused for a long time is committed as soon as the store
// accepts it, without another write.
func TestJumpIsCommittedWhenStoreAcceptsIt(t *testing.T) {
	c := openCluster(t, 2)
	defer c.close()
	a := c.agent(0, 45)
	c.must(0, a, line(a, "before"))
	c.agree()
	before := c.worlds[0].View()
	for _, h := range c.hosts {
		h.Before.Store(1 << 40)
	}
	c.server.Restart(1)
	eventually(t, "the worlds report that they are stale", func() bool { return c.worlds[0].Stale() != nil && c.worlds[1].Stale() != nil })
	for _, h := range c.hosts {
		h.Before.Store(0)
	}
	for i, w := range c.worlds {
		eventually(t, "the world is past the jump", func() bool { return w.View().Seq > before.Seq+replay.MinJump/2 && w.Stale() == nil })
		if got := c.texts(i); len(got) != 0 {
			t.Errorf("world %d has the lost lines %v", i, got)
		}
	}
}

// A world is read again even if that takes longer than a caller waits.
func TestRereadOfWorldHasNoShortDeadline(t *testing.T) {
	c, way, a := openSlow(t)
	c.must(0, a, line(a, "lost"))
	c.server.Restart(1)
	c.must(0, a, line(a, "after"))
	if got := time.Duration(way.patience.Load()); got < 10*patience {
		t.Errorf("the deadline for reading the world was %v", got)
	}
}
