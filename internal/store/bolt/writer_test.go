package bolt

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/test/property"
)

// testSegment is the length of a segment of a log in a random run: a few commits.
const testSegment = 700

// machine runs writers, one after the other, on a disk that keeps their files.
type machine interface {
	// start starts a writer, which reads the files.
	start() (*writer, error)
	// kill ends a writer without warning; cut also cuts the power.
	kill(w *writer) error
	cut(w *writer) error
	// entries returns the entries that readers find, in their order.
	entries(w *writer) ([]store.Place, [][]byte, error)
	removeLog()
}

// idleFlusher is a flusher without a goroutine: the test flushes.
func idleFlusher() flusher {
	done := make(chan struct{})
	close(done)
	return flusher{some: make(chan struct{}, 1), enough: make(chan struct{}, 1), stop: func() {}, done: done}
}

// run is a random sequence of commits, faults, kills and restarts, with what has to be
// in the store at any moment.
type run struct {
	*faults
	machine machine
	w       *writer
	// acked are the contents of the entries that were acknowledged, in their order.
	acked [][]byte
	// refused are the commits after acked that failed: one of them may be there until
	// another commit is acknowledged. last is that of this writer whose outcome was not
	// asked for yet.
	refused [][][]byte
	last    [][]byte
	// written counts the entries, so that each is another one.
	written int
	// tail is the position of the last entry, as the writer says.
	tail store.Position
	log  []string
}

// randomRun checks a sequence. If it fails, the error has the steps.
func randomRun(seed uint64, newMachine func(*faults) (machine, error)) error {
	f := &faults{Rand: rand.New(rand.NewPCG(seed, 0))}
	m, err := newMachine(f)
	if err != nil {
		return err
	}
	r := &run{faults: f, machine: m}
	if err := r.all(); err != nil {
		return fmt.Errorf("seed %d: %w, after %s", seed, err, strings.Join(r.log, ", "))
	}
	return nil
}

func (r *run) all() error {
	if err := r.start(); err != nil {
		return err
	}
	rate := []int{0, 1, 5, 30}[r.IntN(4)]
	for range 10 + r.IntN(30) {
		if r.rate = rate; r.IntN(6) == 0 {
			r.rate = []int{0, 100}[r.IntN(2)]
		}
		if err := r.step(); err != nil {
			return err
		}
	}
	r.rate = 0
	for range 2 {
		// When the cause is gone, the next commit goes on.
		if err := r.commit(); err != nil || r.refused != nil {
			return fmt.Errorf("a commit without a fault: %w", err)
		}
	}
	return errors.Join(r.close(), r.machine.kill(r.w))
}

func (r *run) step() error {
	switch n := r.IntN(100); {
	case n < 75:
		return r.commit()
	case n < 84:
		r.note("flush", r.w.flush(context.Background()))
		return r.check()
	case n < 90:
		r.note("kill", nil)
		return errors.Join(r.machine.kill(r.w), r.start())
	case n < 94:
		r.note("cut", nil)
		return errors.Join(r.machine.cut(r.w), r.start())
	case n < 97:
		r.note("remove log", nil)
		r.machine.removeLog()
		r.w.looked, r.rate = time.Time{}, 0
		return r.commit()
	default:
		return r.close()
	}
}

func (r *run) note(step string, err error) {
	if err != nil {
		step += " (" + err.Error() + ")"
	}
	r.log = append(r.log, step)
}

// start starts a writer. If that fails, it must succeed without faults.
func (r *run) start() error {
	w, err := r.machine.start()
	r.note("start", err)
	if errors.Is(err, store.ErrCorrupt) {
		return err
	}
	if err != nil {
		r.rate = 0
		if w, err = r.machine.start(); err != nil {
			return fmt.Errorf("the start without faults: %w", err)
		}
	}
	if w.leftLog != "" {
		return fmt.Errorf("a start finds a log of another store: %s", w.leftLog)
	}
	r.w, r.last = w, nil
	return r.check()
}

// close stops the writer as a host does, and starts the next one.
func (r *run) close() error {
	r.w.appending.Lock()
	err := r.w.leave(context.Background())
	err = errors.Join(err, r.w.stop())
	r.w.appending.Unlock()
	r.note("close", err)
	if r.rate == 0 && err != nil {
		return fmt.Errorf("close without faults: %w", err)
	}
	return errors.Join(r.machine.kill(r.w), r.start())
}

// commit appends entries, once it is known what became of those before.
func (r *run) commit() error {
	ctx := context.Background()
	if !r.known() {
		return nil
	}
	// A refused commit that is there after a restart is acknowledged with the next one.
	_, stored, err := r.machine.entries(r.w)
	if err != nil {
		return err
	}
	entries, contents := r.next()
	contents = slices.Concat(stored[len(r.acked):], contents)
	err = r.w.append(ctx, r.tail, entries)
	r.note(fmt.Sprintf("append %d", len(entries)), err)
	switch {
	case errors.Is(err, store.ErrCorrupt), errors.Is(err, store.ErrConflict):
		return err
	case err == nil:
		r.ack(contents)
	default:
		r.refused, r.last = append(r.refused, contents), contents
		r.known()
	}
	return r.check()
}

// known asks for the outcome of the last commit, as store.OneHost does, and reports
// whether there is an answer.
func (r *run) known() bool {
	at, _, err := r.w.tail(context.Background())
	r.note(fmt.Sprintf("tail %d", at.Position), err)
	if err != nil {
		return false
	}
	if r.last != nil && int(at.Position) == len(r.acked)+len(r.last) {
		r.ack(r.last)
	}
	r.last, r.tail = nil, at.Position
	return true
}

func (r *run) ack(contents [][]byte) {
	r.acked, r.refused, r.last = append(r.acked, contents...), nil, nil
}

func (r *run) next() (entries []store.Entry, contents [][]byte) {
	for range 1 + r.IntN(3) {
		r.written++
		at := uint64(r.tail) + uint64(len(entries)+1)
		size := r.IntN(80)
		if r.IntN(20) == 0 {
			size = testSegment
		}
		e := store.Entry{Position: store.Position(at), Rev: at, Seq: at, MapChanged: true, Events: []store.Event{{
			Kind: "k", Data: fmt.Appendf(nil, `"%d %s"`, r.written, strings.Repeat("x", size)),
		}}}
		entries, contents = append(entries, e), append(contents, store.AppendEntry(nil, &e))
	}
	return entries, contents
}

// check compares the entries that readers find with those that were acknowledged.
func (r *run) check() error {
	places, stored, err := r.machine.entries(r.w)
	if err != nil {
		return err
	}
	for i := range places {
		if places[i].Position != store.Position(i+1) {
			return fmt.Errorf("entry %d is in place of %d", places[i].Position, i+1)
		}
	}
	n := len(r.acked)
	same := func(x, y [][]byte) bool { return slices.EqualFunc(x, y, slices.Equal[[]byte]) }
	switch {
	case len(stored) < n || !same(stored[:n], r.acked):
		return fmt.Errorf("of %d acknowledged entries, those of %d are not there", n, len(stored))
	case len(stored) == n || slices.ContainsFunc(r.refused, func(c [][]byte) bool { return same(stored[n:], c) }):
		return nil
	}
	return fmt.Errorf("there are %d entries after those that were acknowledged, which none of %d refused commits wrote", len(stored)-n, len(r.refused))
}

// Whatever operation of the log or the database fails, once or often, before or after it
// was carried out, and whenever the process is killed or the power is cut: no
// acknowledged entry is lost, a refused one appears at most once, the store opens, and
// it goes on when the cause is gone.
func TestFaultsLoseNothing(t *testing.T) {
	runs := uint64(500)
	if property.Full {
		runs = 10_000
	}
	for seed := range runs {
		if err := randomRun(seed, func(f *faults) (machine, error) { return newMemoryMachine(f), nil }); err != nil {
			t.Fatal(err)
		}
	}
}

// The same with files and the real database.
func TestFaultsWithFilesLoseNothing(t *testing.T) {
	runs := uint64(10)
	if property.Full {
		runs = 300
	}
	folder := filepath.Join(t.TempDir(), "data")
	for seed := range runs {
		if err := randomRun(seed, func(f *faults) (machine, error) { return newFileMachine(folder, f) }); err != nil {
			t.Fatal(err)
		}
	}
}
