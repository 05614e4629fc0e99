package world

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/protocol"
)

// faulty is a real journal whose next commits or reads fail.
type faulty struct {
	store.Journal
	// before is the number of the next commits that fail without effect; after, of
	// those that fail although they were carried out; down makes all calls fail.
	before, after atomic.Int64
	down          atomic.Bool
	// unreadable makes reads of records fail.
	unreadable atomic.Bool
	// room is the number of bytes of records that a commit may have; 0 for any.
	room atomic.Int64
	// beforeCommit is called before a commit; it simulates another writer.
	beforeCommit func()
}

var errDisk error = syscall.ENOSPC

func (f *faulty) Commit(ctx context.Context, batch *store.Batch) (store.Tip, error) {
	if f.beforeCommit != nil {
		f.beforeCommit()
	}
	if f.down.Load() || f.before.Add(-1) >= 0 || f.full(batch) {
		return store.Tip{}, errors.Join(store.ErrUnavailable, errDisk)
	}
	p, err := f.Journal.Commit(ctx, batch)
	if f.after.Add(-1) >= 0 {
		return store.Tip{}, errors.Join(store.ErrUnavailable, errDisk)
	}
	return p, err
}

func (f *faulty) full(batch *store.Batch) bool {
	size, room := 0, f.room.Load()
	for i := range batch.Entries {
		for k := range batch.Entries[i].Records {
			size += len(batch.Entries[i].Records[k].Value)
		}
	}
	return room > 0 && int64(size) > room
}

func (f *faulty) Head(ctx context.Context) (store.Position, error) {
	if f.down.Load() {
		return 0, store.ErrUnavailable
	}
	return f.Journal.Head(ctx)
}

func (f *faulty) Get(ctx context.Context, table store.Table, key []byte) ([]byte, error) {
	if f.down.Load() || f.unreadable.Load() {
		return nil, store.ErrUnavailable
	}
	return f.Journal.Get(ctx, table, key)
}

func (f *faulty) GetAll(ctx context.Context, list []store.Lookup) ([][]byte, error) {
	if f.down.Load() || f.unreadable.Load() {
		return nil, store.ErrUnavailable
	}
	return f.Journal.GetAll(ctx, list)
}

func (f *faulty) Scan(ctx context.Context, table store.Table, r store.Range) store.Pairs {
	if f.down.Load() || f.unreadable.Load() {
		return func(yield func(store.Pair, error) bool) { yield(store.Pair{}, store.ErrUnavailable) }
	}
	return f.Journal.Scan(ctx, table, r)
}

func openFaulty(t *testing.T) (*fixture, *faulty) {
	journal := &faulty{Journal: memory.Open(store.DefaultRetention())}
	return open(t, func(o *Options) { o.Journal = journal }), journal
}

func TestFailedCommitChangesNothing(t *testing.T) {
	f, journal := openFaulty(t)
	owner := f.main("owner")
	a, b := f.agent(owner, "a"), f.agent(owner, "b")
	f.as(a, leasedRegistration(a, "c", 45))
	before := f.View()

	journal.before.Store(1)
	_, err := f.try(b, registration(b))
	wantCode(t, err, protocol.CodeStoreUnavailable)
	if f.View().Rev != before.Rev || f.View().Seq != before.Seq {
		t.Error("a failed write is visible")
	}
	f.as(b, registration(b))
	f.as(a, heartbeat(a, "c"))
	f.check()
	if got := f.events(before.Seq); len(got) != 1 {
		t.Errorf("%d events after the repeat, want 1", len(got))
	}
}

func TestCommittedWriteIsFoundAfterLostReply(t *testing.T) {
	f, journal := openFaulty(t)
	owner := f.main("owner")
	before := f.View()
	journal.after.Store(1)
	_, err := f.try(owner, CreateAgentNode{AgentNodeID: id("a")})
	wantCode(t, err, protocol.CodeStoreUnavailable)
	_, err = f.try(owner, CreateAgentNode{AgentNodeID: id("a")})
	wantCode(t, err, protocol.CodeNodeExists)
	if f.Registry().Node(id("a")) == nil {
		t.Error("the committed node is not in the registry")
	}
	journal.after.Store(1)
	_, err = f.try(id("a"), registration(id("a")))
	wantCode(t, err, protocol.CodeStoreUnavailable)
	if !f.isOnMap(owner, id("a")) {
		t.Error("the committed registration is not visible")
	}
	if events, _, err := f.Events().Since(before.Seq, nil); err != nil || len(events) != 1 {
		t.Errorf("the stream has %d events (%v), want 1", len(events), err)
	}
	f.check()
}

func TestReadsContinueWithoutStore(t *testing.T) {
	f, journal := openFaulty(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(a, registration(a))
	journal.down.Store(true)
	for range 3 {
		_, err := f.try(a, line(a, "lost"))
		wantCode(t, err, protocol.CodeStoreUnavailable)
	}
	if err := f.Healthy(context.Background()); protocol.CodeOf(err) != protocol.CodeStoreUnavailable {
		t.Errorf("Healthy returns %v while the store is down", err)
	}
	if !f.isOnMap(owner, a) {
		t.Error("the view is empty without the store")
	}
	// Reads of the store fail, and no caller gets a result or a key.
	_, err := f.Interactions(context.Background(), protocol.ListRequest{Limit: 10})
	wantCode(t, err, protocol.CodeStoreUnavailable)
	_, spaceErr := f.Space(context.Background(), "s")
	wantCode(t, spaceErr, protocol.CodeStoreUnavailable)
	if text := err.Error() + spaceErr.Error(); strings.Contains(text, "idempotency") {
		t.Errorf("reads return %q", text)
	}
	journal.down.Store(false)
	f.sweep()
	f.as(a, line(a, "replicated"))
	if err := f.Healthy(context.Background()); err != nil {
		t.Errorf("Healthy returns %v after the store recovered", err)
	}
	lines, err := f.Interactions(context.Background(), protocol.ListRequest{Limit: 10})
	if err != nil || len(lines.Records) != 1 {
		t.Errorf("%d lines are kept (%v), want the acknowledged one", len(lines.Records), err)
	}
}

func TestCommandIsReplannedAfterConcurrentWrite(t *testing.T) {
	f, journal := openFaulty(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(a, registration(a))

	other := openFor(t, f.clock, journal.Journal)
	t.Cleanup(func() { closeWorld(t, other) })
	raced := false
	journal.beforeCommit = func() {
		if !raced {
			raced = true
			if _, err := other.Do(context.Background(), Request{Caller: Caller{NodeID: a}}, line(a, "first")); err != nil {
				t.Errorf("the other writer: %v", err)
			}
		}
	}
	seq := f.View().Seq
	reply := f.as(a, line(a, "second"))
	if reply.Seq != seq+2 {
		t.Errorf("the overtaken line has seq %d, want %d", reply.Seq, seq+2)
	}
	if got := f.events(seq); len(got) != 2 {
		t.Errorf("%d events, want both lines", len(got))
	}
	f.check()
}

func TestSweepDetectsStoreRecovery(t *testing.T) {
	f, journal := openFaulty(t)
	journal.before.Store(1)
	_, err := f.try("", CreateMainNode{NodeID: id("lost")})
	wantCode(t, err, protocol.CodeStoreUnavailable)
	if f.Healthy(context.Background()) == nil {
		t.Error("the world is healthy although its last write failed")
	}
	seq := f.View().Seq
	f.sweep()
	if err := f.Healthy(context.Background()); err != nil || f.View().Seq != seq {
		t.Errorf("after a sweep: %v, and %d events", err, f.View().Seq-seq)
	}
}

// A caller that gets a reply after an outage of the store finds the host healthy,
// however soon it checks.
func TestHostIsHealthyBeforeItReplies(t *testing.T) {
	f, journal := openFaulty(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(owner, registration(a))
	for n := range 200 {
		journal.down.Store(true)
		_, err := f.try(a, line(a, "lost"))
		wantCode(t, err, protocol.CodeStoreUnavailable)
		journal.down.Store(false)
		f.as(a, line(a, "kept"))
		if err := f.Stale(); err != nil {
			t.Fatalf("after reply %d the world is stale: %v", n, err)
		}
	}
}

// On a disk that has room for short writes only, a host that refused a long one is not
// ready until a long one succeeds, whatever short ones succeed in between.
func TestShortWritesDoNotHideFullDisk(t *testing.T) {
	f, journal := openFaulty(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(a, registration(a))
	long := func() error {
		_, err := f.Do(t.Context(), Request{Caller: Caller{NodeID: a}, BodyBytes: 4100}, line(a, strings.Repeat("x", 3900)))
		return err
	}
	journal.room.Store(3000)
	err := long()
	wantCode(t, err, protocol.CodeStoreUnavailable)
	if !strings.Contains(err.Error(), "no space left on device") {
		t.Errorf("the error %q does not name the cause", err)
	}
	for range 3 {
		f.as(a, line(a, "short"))
		if why := store.Reason(f.Healthy(t.Context())); why != "no space left on device" {
			t.Errorf("after a short write the reason is %q", why)
		}
		if f.Sweep(t.Context()) == nil {
			t.Error("a sweep succeeded on a full disk")
		}
	}
	journal.room.Store(0)
	f.sweep()
	if err := f.Healthy(t.Context()); err != nil {
		t.Errorf("with room again: %v", err)
	}
	journal.room.Store(3000)
	wantCode(t, long(), protocol.CodeStoreUnavailable)
	journal.room.Store(0)
	if err := errors.Join(long(), f.Healthy(t.Context())); err != nil {
		t.Errorf("after a long write: %v", err)
	}
}

// A write needs more room in a store than it is long: a host that refused a short one on
// a full disk is not ready because there is room for some pages.
func TestRoomForSomePagesIsNotEnough(t *testing.T) {
	f, journal := openFaulty(t)
	journal.before.Store(1)
	_, err := f.try("", CreateMainNode{NodeID: id("lost")})
	wantCode(t, err, protocol.CodeStoreUnavailable)
	journal.room.Store(64 << 10)
	if f.Sweep(t.Context()) == nil || f.Healthy(t.Context()) == nil {
		t.Error("the host is ready")
	}
	journal.room.Store(0)
	f.sweep()
	if err := f.Healthy(t.Context()); err != nil {
		t.Errorf("with room again: %v", err)
	}
	if left, err := journal.Get(t.Context(), store.Meta, []byte("probe")); err != nil || left != nil {
		t.Errorf("the store keeps %d bytes: %v", len(left), err)
	}
}

// A write that failed because the store could not be read is a failed write: a command
// that writes nothing does not make the host ready.
func TestHostThatCannotReadForWriteIsNotReady(t *testing.T) {
	for name, key := range map[string]*Idempotency{"in a plan": nil, "before the plans": {}, "before the job": {}} {
		f, journal := openFaulty(t)
		owner := f.main("owner")
		a := f.agent(owner, "a")
		f.as(a, leasedRegistration(a, "c", 45))
		journal.unreadable.Store(true)
		var err error
		if name == "before the job" {
			_, _, err = f.Repeated(t.Context(), key)
		} else {
			_, err = f.Do(t.Context(), Request{Caller: Caller{NodeID: a}, Idempotency: key}, line(a, "lost"))
		}
		wantCode(t, err, protocol.CodeStoreUnavailable)
		_ = f.Sweep(t.Context())
		if f.Healthy(t.Context()) == nil {
			t.Errorf("%s: a sweep made the host ready, although no record can be read", name)
		}
		journal.unreadable.Store(false)
		f.as(a, heartbeat(a, "c"))
		if f.Healthy(t.Context()) == nil {
			t.Errorf("%s: a heartbeat, which writes nothing, made the host ready", name)
		}
		f.sweep()
		if err := f.Healthy(t.Context()); err != nil {
			t.Errorf("%s: after a sweep: %v", name, err)
		}
	}
}

// unwritten is a journal with commits of a crash that could not be written yet.
type unwritten struct{ *faulty }

func (unwritten) Unwritten() error { return errors.Join(store.ErrUnavailable, errDisk) }

// A world on a disk that was full when it was opened can be read, but is not healthy
// until a write succeeds, which the sweep tries.
func TestOpenOnFullDiskIsNotHealthy(t *testing.T) {
	journal := &faulty{Journal: memory.Open(store.DefaultRetention())}
	f := open(t, func(o *Options) { o.Journal = unwritten{journal} })
	journal.before.Store(1)
	for _, full := range []bool{true, false} {
		if err := f.Healthy(t.Context()); store.Reason(err) != errDisk.Error() {
			t.Errorf("Healthy: %v", err)
		}
		if f.View().SID == "" {
			t.Error("the world cannot be read")
		}
		if err := f.Sweep(t.Context()); (err != nil) != full {
			t.Errorf("Sweep (full: %t): %v", full, err)
		}
	}
	if err := f.Healthy(t.Context()); err != nil {
		t.Errorf("Healthy after a write: %v", err)
	}
}
