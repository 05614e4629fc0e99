package world

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/memory"
)

// reported reads events up to the log's head and lists them.
func (f *fixture) reported(reader *EventReader) []string {
	f.t.Helper()
	var out []string
	for reader.Cursor().Seq < f.Events().Head() {
		events, err := reader.Next(context.Background())
		if err != nil {
			f.t.Fatalf("Next after %d: %v", reader.Cursor().Seq, err)
		}
		for _, e := range events {
			at := reader.After(e)
			reader.Advance(at)
			out = append(out, fmt.Sprintf("%d %s %s", at.Seq, e.Kind, at.SID))
		}
	}
	return out
}

// want lists events in the format of reported.
func (f *fixture) want(events []*Event, sid func(seq uint64) string) []string {
	out := make([]string, len(events))
	for i, e := range events {
		out[i] = fmt.Sprintf("%d %s %s", e.Seq, e.Kind, sid(e.Seq))
	}
	return out
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("the reader returned\n%q\nwant\n%q", got, want)
	}
}

// A reader reads every event once with its session, including events that are no
// longer in memory, across a reset and a restart.
func TestEventReaderReturnsEveryEventWithSession(t *testing.T) {
	f := open(t, func(o *Options) { o.RingEvents = 8 })
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(a, registration(a))
	reader := f.ReadEvents(Cursor{SID: f.View().SID})
	first := f.View().SID
	for i := range 200 {
		f.as(a, line(a, fmt.Sprint("line ", i)))
	}
	reset, err := f.Do(context.Background(), Request{Caller: Caller{Admin: true}}, ResetSession{Reason: "admin"})
	if err != nil {
		t.Fatal(err)
	}
	second := f.View().SID
	f.as(a, registration(a))
	want := f.want(f.events(0), func(seq uint64) string {
		if seq < reset.Seq {
			return first
		}
		return second
	})
	same(t, f.reported(reader), want)
	half := len(want) / 2
	f.reopen()
	same(t, f.reported(f.ReadEvents(Cursor{Seq: uint64(half), SID: first})), want[half:])
}

func TestEventReaderWaitsForNextEvent(t *testing.T) {
	f := open(t)
	reader := f.ReadEvents(f.Cursor())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := reader.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("Next without an event: %v", err)
	}
	owner := f.main("owner")
	a := f.agent(owner, "a")
	received := make(chan []string)
	go func() {
		events, err := reader.Next(context.Background())
		if err != nil {
			t.Error(err)
		}
		received <- f.want(events, func(uint64) string { return "" })
	}()
	f.as(a, registration(a))
	same(t, <-received, []string{"1 world:player_added "})
}

// Only events that are no longer kept are skipped. The sessions of the following
// events are known again from the next reset, or immediately if there was none.
func TestEventReaderSkipsTrimmedEvents(t *testing.T) {
	f := open(t, func(o *Options) {
		o.RingEvents = 4
		o.Journal = memory.Open(store.Retention{Events: 20, Revs: 1})
	})
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(a, registration(a))
	reader := f.ReadEvents(Cursor{SID: f.View().SID})
	for i := range 100 {
		f.as(a, line(a, fmt.Sprint("line ", i)))
	}
	f.reopen() // a checkpoint trims
	reader = f.ReadEvents(reader.Cursor())
	if _, err := reader.Next(context.Background()); !errors.Is(err, store.ErrTrimmed) {
		t.Fatalf("Next of a trimmed event: %v", err)
	}
	by, err := reader.Skip(context.Background())
	if head := f.Events().Head(); err != nil || by != head-20 {
		t.Fatalf("Skip: %d, %v; the head is %d and 20 events are kept", by, err, head)
	}
	if again, err := reader.Skip(context.Background()); err != nil || again != 0 {
		t.Fatalf("a second Skip: %d, %v", again, err)
	}
	sid := f.View().SID
	kept := f.events(by)
	same(t, f.reported(reader), f.want(kept, func(uint64) string { return sid }))

	if _, err := f.Do(context.Background(), Request{Caller: Caller{Admin: true}}, ResetSession{}); err != nil {
		t.Fatal(err)
	}
	lost := f.ReadEvents(Cursor{Seq: by})
	same(t, f.reported(lost), f.want(f.events(by), func(seq uint64) string {
		if seq < f.resetSeq.Load() {
			return ""
		}
		return f.View().SID
	}))
}

func TestBridgeCursorIsKept(t *testing.T) {
	f := open(t)
	ctx := context.Background()
	if at, known, err := f.BridgeCursor(ctx, "b"); known || err != nil {
		t.Fatalf("a new world has a bridge cursor: %v, %v", at, err)
	}
	f.as("", SaveBridgeCursor{Name: "other", At: Cursor{Seq: 1}})
	f.as("", SaveBridgeCursor{Name: "b", At: Cursor{Seq: 7, SID: "s"}})
	rev, head := f.View().Rev, f.Events().Head()
	f.reopen()
	if at, known, err := f.BridgeCursor(ctx, "b"); !known || err != nil || at != (Cursor{Seq: 7, SID: "s"}) {
		t.Fatalf("the bridge's cursor is %v, %v, %v", at, known, err)
	}
	if f.View().Rev != rev || f.Events().Head() != head {
		t.Error("saving a cursor caused a rev or an event")
	}
}
