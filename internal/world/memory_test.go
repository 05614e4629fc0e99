package world

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/worldtest"
)

// openLarge opens a world with a memory budget.
func openLarge(t *testing.T, budget int) *fixture {
	return open(t, func(o *Options) { o.MemoryBudget, o.Limits.Occupants, o.NoRepository = budget, 10_000, true })
}

// longJourney returns a journey that makes the agent's row about n bytes long.
func longJourney(playerID string, n int) RecordJourney {
	r := journey(playerID, "search")
	r.Journey.Steps[0].Content = strings.Repeat("x", n/2)
	return r
}

// fillLong registers n agents with rows of about 200 KiB and one with a short row,
// and returns the id of that one.
func (f *fixture) fillLong(n int) string {
	for i := range n {
		f.as("", registration(id(fmt.Sprint(i))))
		f.as("", longJourney(id(fmt.Sprint(i)), 200<<10))
	}
	small := id("small")
	f.as("", registration(small))
	return small
}

func (f *fixture) rename(agent string, to int) {
	r := registration(agent)
	r.Name = fmt.Sprint("name ", to)
	f.as("", r)
}

// A snapshot read after each change leaves no encoded snapshots in memory, and a
// stopped reader keeps only a piece of one.
func TestSnapshotsOfPastRevsAreNotRetained(t *testing.T) {
	f := openLarge(t, 4<<20)
	small := f.fillLong(20)
	for range 16 {
		f.as("", line(small, strings.Repeat("fills the ring ", 200)))
	}
	size := len(snapshotOf(f.View()))
	before, stalled := worldtest.LiveHeap(), 0
	var ended sync.WaitGroup
	defer ended.Wait()
	for i := range 60 {
		f.rename(small, i)
		view := f.View()
		text := view.Snapshot()
		if n, err := text.WriteTo(io.Discard); err != nil || int(n) < size-100 {
			t.Fatalf("the snapshot has %d bytes, it had %d, %v", n, size, err)
		}
		if i%3 == 0 {
			reader, writer := io.Pipe()
			defer func() { _ = reader.Close() }()
			ended.Go(func() {
				text := view.Snapshot()
				if _, err := text.WriteTo(writer); !errors.Is(err, io.ErrClosedPipe) {
					t.Errorf("an unread snapshot: %v", err)
				}
			})
			if _, err := io.ReadFull(reader, make([]byte, 1000)); err != nil {
				t.Fatal(err)
			}
			stalled++
		}
	}
	grown := worldtest.LiveHeap() - before
	t.Logf("a snapshot has %d bytes, the heap grew by %d with %d readers", size, grown, stalled)
	if grown > 2*size {
		t.Errorf("60 changes with a reader each, %d of which stopped, added %d bytes to a world whose snapshot has %d", stalled, grown, size)
	}
}

// writerFunc implements io.Writer with a function.
type writerFunc func([]byte) (int, error)

func (w writerFunc) Write(b []byte) (int, error) { return w(b) }

// A change of a long map followed by a read leaves no copy of the map in memory.
func TestReadOfLongMapRetainsNoCopy(t *testing.T) {
	f := openLarge(t, 4<<20)
	small := f.fillLong(10)
	size := len(snapshotOf(f.View()))
	const rounds = 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range rounds {
		f.rename(small, i)
		for range 2 {
			text := f.View().Snapshot()
			if n, err := text.WriteTo(io.Discard); err != nil || int(n) < size-100 {
				t.Fatalf("a read returned %d bytes of %d, %v", n, size, err)
			}
		}
	}
	runtime.ReadMemStats(&after)
	if each := int(after.TotalAlloc-before.TotalAlloc) / rounds; each > size/4 {
		t.Errorf("a change and two reads allocate %d bytes where the map has %d", each, size)
	}
}

// A reader gets the complete snapshot of one rev, even if the map changes before
// the first byte or during the read.
func TestSnapshotIsCompleteDuringChanges(t *testing.T) {
	for _, size := range []int{7 * chunkBytes / 2, 11 * chunkBytes / 2} {
		f := openLarge(t, 0)
		a := id("a")
		f.as("", registration(a))
		f.as("", longJourney(a, size))
		for passesAfter := range 8 {
			readWhile(t, f, a, passesAfter)
		}
	}
}

// readWhile reads a snapshot. After some of its writes the map changes.
func readWhile(t *testing.T, f *fixture, agent string, passesAfter int) {
	t.Helper()
	view := f.View()
	want := snapshotOf(&View{Map: view.Map})
	if passesAfter == 0 {
		f.rename(agent, int(view.Rev))
	}
	text := view.Snapshot()
	var got []byte
	writes := 0
	_, err := text.WriteTo(writerFunc(func(b []byte) (int, error) {
		if writes++; writes == passesAfter {
			f.rename(agent, int(view.Rev))
		}
		got = append(got, b...)
		return len(b), nil
	}))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("a change before or in write %d: %d bytes differ from %d, %v", passesAfter, len(got), len(want), err)
	}
}

// A reader gets the same snapshot in small chunks if there is no memory for a large
// one.
func TestSnapshotWithoutBudgetUsesSmallChunks(t *testing.T) {
	f := openLarge(t, 0)
	for i := range 400 {
		f.as("", registration(id(fmt.Sprint(i))))
	}
	want := snapshotOf(f.View())
	for room, size := range map[bool]int{true: chunkBytes, false: smallChunkBytes} {
		text := f.View().Snapshot()
		requested, longest := 0, 0
		text.Hold = func(n int) bool { requested += n; return room }
		var got []byte
		if _, err := text.WriteTo(writerFunc(func(b []byte) (int, error) {
			got, longest = append(got, b...), max(longest, len(b))
			return len(b), nil
		})); err != nil || !bytes.Equal(got, want) || requested != chunkBytes || longest != size {
			t.Errorf("room %t: %d bytes for %d in chunks of %d, %d requested, %v; want chunks of %d", room, len(got), len(want), longest, requested, err, size)
		}
	}
}

// A slow reader keeps the rows of a rev that is no longer in memory only if they count
// as its own.
func TestSnapshotOfDroppedRevIsCut(t *testing.T) {
	for _, room := range []bool{false, true} {
		f := openLarge(t, 0)
		a := id("a")
		f.as("", registration(a))
		f.as("", longJourney(a, 3*chunkBytes))
		text := f.View().Snapshot()
		want, counted := snapshotOf(f.View()), 0
		var got []byte
		writes := 0
		text.Hold = func(n int) bool {
			if n == chunkBytes {
				return true
			}
			counted += n
			return room
		}
		_, err := text.WriteTo(writerFunc(func(b []byte) (int, error) {
			if writes++; writes == 1 {
				for i := range recentRevs {
					f.rename(a, i)
				}
			}
			got = append(got, b...)
			return len(b), nil
		}))
		if counted == 0 || counted > len(want) {
			t.Errorf("%d bytes count as the reader's own, of %d", counted, len(want))
		}
		if room && (err != nil || !bytes.Equal(got, want)) {
			t.Errorf("with room a snapshot of %d bytes has %d, %v", len(want), len(got), err)
		}
		if !room && !errors.Is(err, ErrDropped) {
			t.Errorf("without room a snapshot whose rev was dropped ends after %d bytes with %v, want ErrDropped", len(got), err)
		}
	}
}

// TestDeletedAccountsUseNoMemory creates accounts, spaces and agents and removes
// them again: the host then keeps no more than a newly started one.
func TestDeletedAccountsUseNoMemory(t *testing.T) {
	f := open(t, func(o *Options) { o.Limits.Account[Lines] = 2 })
	for i := range 20 {
		owner := f.main(fmt.Sprint("owner ", i))
		space := RegisterSpace{protocol.RegisterSpaceRequest{
			ID: fmt.Sprint("space-", i), Name: "Corner", DesignKey: "plain",
			Owner: protocol.SpaceOwnerRequest{DisplayName: "Ada"}, Amenities: []string{"shop"},
		}}
		f.as(owner, space)
		f.as(owner, RemoveSpace{protocol.SpaceRequest{SpaceID: space.ID}})
		silent, agent := f.agent(owner, fmt.Sprint("silent ", i)), f.agent(owner, fmt.Sprint("agent ", i))
		f.as(owner, registration(agent))
		for range 4 {
			f.as(agent, line(agent, "hello"))
		}
		f.as(agent, journey(agent))
		f.as(owner, DeleteAgent{AgentID: agent})
		f.as(owner, DeleteAgent{AgentID: silent})
		f.as(owner, DeleteNode{NodeID: owner})
	}
	f.stop()
	kept := f.state
	// A world reads its journal until it is closed.
	f.start()
	f.stop()
	have, want := reflect.ValueOf(kept).Elem(), reflect.ValueOf(f.state).Elem()
	for i := range have.NumField() {
		if have.Field(i).Kind() == reflect.Map && have.Field(i).Len() > want.Field(i).Len() {
			t.Errorf("%s has %d entries, want %d", have.Type().Field(i).Name, have.Field(i).Len(), want.Field(i).Len())
		}
	}
}

// A host sweeps each second: an idle one must not allocate much for it. The minimum
// of several sweeps counts, since other goroutines allocate as well.
func TestSweepOfIdleWorldAllocatesLittle(t *testing.T) {
	f := open(t)
	least := uint64(math.MaxUint64)
	for range 10 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := f.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	if least > 16<<10 {
		t.Errorf("a sweep allocates %d bytes", least)
	}
	t.Logf("a sweep allocates %d bytes", least)
}
