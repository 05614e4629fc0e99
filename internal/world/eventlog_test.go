package world

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
)

func eventsWithSeqs(seqs ...uint64) []*Event {
	out := make([]*Event, len(seqs))
	for i, seq := range seqs {
		out[i] = &Event{Seq: seq}
	}
	return out
}

func seqsOf(events []*Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "%d ", e.Seq)
	}
	return strings.TrimSpace(b.String())
}

func TestRingReturnsEventsAfterSeq(t *testing.T) {
	l := newEventLog(4, DefaultMemoryBudget, 10)
	l.add(eventsWithSeqs(11, 12, 13, 1<<20, 1<<20+1))
	for _, c := range []struct {
		after uint64
		want  string
		err   error
	}{
		{10, "", ErrBehind},
		{11, "12 13 1048576 1048577", nil},
		{13, "1048576 1048577", nil},
		{500, "1048576 1048577", nil},
		{1 << 20, "1048577", nil},
		{1<<20 + 1, "", nil},
		{1<<20 + 9, "", nil},
	} {
		got, wake, err := l.Since(c.after, nil)
		if !errors.Is(err, c.err) || seqsOf(got) != c.want {
			t.Errorf("Since(%d) = %q, %v; want %q, %v", c.after, seqsOf(got), err, c.want, c.err)
		}
		if (wake != nil) != (c.want == "" && c.err == nil) {
			t.Errorf("Since(%d): want either a wake-up channel or events", c.after)
		}
	}
	if got, _, _ := l.Since(11, make([]*Event, 0, 2)); seqsOf(got) != "12 13" {
		t.Errorf("Since returns %q for a capacity of two", seqsOf(got))
	}
	for seq, want := range map[uint64][2]bool{
		10: {false, false}, 11: {true, true}, 12: {true, true}, 500: {false, true}, 1 << 20: {true, true},
		1<<20 + 1: {true, true}, 1<<20 + 2: {false, true},
	} {
		if ok, sure := l.known(seq); [2]bool{ok, sure} != want {
			t.Errorf("known(%d) = %v, %v; want %v", seq, ok, sure, want)
		}
	}
}

func TestRingIsBoundedInBytes(t *testing.T) {
	const budget = 1 << 20
	l := newEventLog(1000, budget, 0)
	big := make([]byte, budget/10)
	for seq := uint64(1); seq <= 30; seq++ {
		l.add([]*Event{{Seq: seq, frame: big}})
	}
	if l.bytes > budget {
		t.Errorf("the ring holds %d bytes", l.bytes)
	}
	if _, _, err := l.Since(5, nil); !errors.Is(err, ErrBehind) {
		t.Errorf("a dropped event: %v, want ErrBehind", err)
	}
	if got, _, err := l.Since(28, nil); err != nil || seqsOf(got) != "29 30" {
		t.Errorf("the newest events are %q, %v", seqsOf(got), err)
	}
}

func TestNextEventWakesWaiter(*testing.T) {
	l := newEventLog(4, DefaultMemoryBudget, 0)
	_, wake, _ := l.Since(0, nil)
	l.add(eventsWithSeqs(1))
	<-wake
}

// TestCursorIsCheckedAgainstJournal uses cursors older than the ring.
func TestCursorIsCheckedAgainstJournal(t *testing.T) {
	f := open(t, func(o *Options) { o.RingEvents = 2 })
	a := f.agent(f.main("owner"), "a")
	f.as(a, registration(a))
	f.as(a, journey(a, "find"))
	for range 5 {
		f.as(a, line(a, "x"))
	}
	head := f.Events().Head()
	for seq, want := range map[uint64]string{0: "", 1: "", 2: "", 3: "", head: "", head + 1: ResyncAhead} {
		if reason, err := f.ResumeCheck(t.Context(), seq); err != nil || reason != want {
			t.Errorf("ResumeCheck(%d) = %q, %v; want %q", seq, reason, err, want)
		}
	}
	if _, err := f.Do(t.Context(), Request{Caller: Caller{Admin: true}}, ResetSession{Reason: "test"}); err != nil {
		t.Fatal(err)
	}
	f.reopen()
	for seq, want := range map[uint64]string{0: ResyncBeforeReset, head: ResyncBeforeReset, head + 1: "", head + 2: ResyncAhead} {
		if reason, err := f.ResumeCheck(t.Context(), seq); err != nil || reason != want {
			t.Errorf("after the reset: ResumeCheck(%d) = %q, %v; want %q", seq, reason, err, want)
		}
	}
}

// A view is shown just before its events: who has its seq resumes from there.
func TestCursorOfShownViewIsNotAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, func(o *Options) { o.NoRepository = true })
		shown := f.View().Map
		shown.Seq++
		f.view.Store(&View{Map: shown})
		found := make(chan string)
		go func() {
			reason, err := f.ResumeCheck(t.Context(), shown.Seq)
			if err != nil {
				t.Error(err)
			}
			found <- reason
		}()
		synctest.Wait()
		f.log.add([]*Event{{Seq: shown.Seq}})
		if reason := <-found; reason != "" {
			t.Errorf("a stream cannot resume there: %s", reason)
		}
	})
}
