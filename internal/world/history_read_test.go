package world

import (
	"context"
	"fmt"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/memory"
)

// listed reads the log page by page, and fails if a page does not continue where
// the previous one ended.
func (f *fixture) listed(c Caller, after *uint64, limit, size int) []*Event {
	f.t.Helper()
	var all []*Event
	for {
		page, err := f.ListEvents(context.Background(), c, after, limit, func(*Event) int { return size })
		if err != nil {
			f.t.Fatal(err)
		}
		if most := min(limit, max(1, maxPageBytes/size)); len(page.Events) > most || after != nil && page.After < min(*after, f.Events().Head()) {
			f.t.Fatalf("a page of %d events after %d, want at most %d", len(page.Events), page.After, most)
		}
		all = append(all, page.Events...)
		if !page.HasMore {
			if page.Last != f.Events().Head() {
				f.t.Errorf("the last page ends at %d, the head is %d", page.Last, f.Events().Head())
			}
			return all
		}
		after = &page.Last
	}
}

func sameEvents(t *testing.T, got, want []*Event) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d events are listed, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i].Seq != want[i].Seq || got[i].At != want[i].At || string(whole(got[i].InlineData())) != string(whole(want[i].InlineData())) {
			t.Fatalf("event %d is listed as %d: %s", want[i].Seq, got[i].Seq, whole(got[i].InlineData()))
		}
	}
}

// Events are listed from the oldest kept one, from memory or the journal, in pages
// bounded by count and by bytes, and never from before a reset.
func TestEventListPages(t *testing.T) {
	f := open(t, func(o *Options) {
		o.RingEvents = 4
		o.Journal = memory.Open(store.Retention{Events: 20, Revs: 1})
	})
	a := f.agent(f.main("owner"), "a")
	f.as(a, registration(a))
	for i := range 100 {
		f.as(a, line(a, fmt.Sprint("line ", i)))
	}
	f.reopen() // a checkpoint trims
	want := f.events(f.Events().Head() - 20)
	for _, limit := range []int{1, 7, 1000} {
		sameEvents(t, f.listed(Caller{NodeID: a}, nil, limit, 100), want)
	}
	sameEvents(t, f.listed(Caller{NodeID: a}, nil, 1000, maxPageBytes/2), want)
	sameEvents(t, f.listed(Caller{NodeID: a}, nil, 1000, 2*maxPageBytes), want)
	sameEvents(t, f.listed(Caller{NodeID: a}, &want[4].Seq, 1000, 100), want[5:])
	ahead := f.Events().Head() + 10
	sameEvents(t, f.listed(Caller{NodeID: a}, &ahead, 1000, 100), nil)

	if _, err := f.Do(context.Background(), Request{Caller: Caller{Admin: true}}, ResetSession{}); err != nil {
		t.Fatal(err)
	}
	f.as(a, registration(a))
	sameEvents(t, f.listed(Caller{NodeID: a}, &want[0].Seq, 1000, 100), f.events(f.Events().Head()-1))
}

// The list omits events that the caller may not see, and the next page continues
// after them.
func TestEventListHonorsAudience(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(a, registration(a))
	for i := range 5 {
		f.as(owner, ask(fmt.Sprint("r", i), owner, a))
	}
	all := f.events(0)
	sameEvents(t, f.listed(Caller{NodeID: owner}, nil, 3, 100), all)
	sameEvents(t, f.listed(Caller{NodeID: f.main("stranger")}, nil, 3, 100), all[:1])
}

// A page ends even if the caller may see none of the events that it scanned.
func TestPageScansBoundedNumberOfEvents(t *testing.T) {
	f := open(t, func(o *Options) { o.RingEvents = 16 })
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(a, registration(a))
	stranger := Caller{NodeID: f.main("stranger")}
	for i := range maxScannedEvents {
		f.as(owner, ask(fmt.Sprint("r", i), owner, a))
	}
	after := uint64(1)
	page, err := f.ListEvents(context.Background(), stranger, &after, 10, func(*Event) int { return 100 })
	if err != nil || len(page.Events) != 0 || !page.HasMore || page.Last < maxScannedEvents || page.Last > maxScannedEvents+2*maxRead {
		t.Fatalf("a page of %d events ends at %d, more %t: %v", len(page.Events), page.Last, page.HasMore, err)
	}
	sameEvents(t, f.listed(stranger, &after, 10, 100), nil)
}
