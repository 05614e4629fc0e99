package redis

import (
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/test/redistest"
	"github.com/playctl/playctl/test/storetest"
)

// TestTrimAfterLoss has the server lose entries that a host has listed to be removed, and
// get others at their positions, before the host removes them.
func TestTrimAfterLoss(t *testing.T) {
	server := redistest.Start(t)
	address, err := ParseAddress(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	j, err := Open(t.Context(), Options{Address: address, HostID: "trim", RootKey: storetest.RootKey, Timeout: time.Minute, Retention: store.DefaultRetention()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = j.Close() }()
	var tip store.Tip
	commitMore := func(feed *storetest.Feed, branch byte, n int) {
		for range n {
			b := &store.Batch{After: tip, Commit: store.CommitID{branch, byte(tip.Position)}, Entries: []store.Entry{feed.Next(false, 0)}}
			if tip, err = j.Commit(t.Context(), b); err != nil {
				t.Fatal(err)
			}
		}
	}
	trim := func(head headPlace, want uint64) {
		t.Helper()
		kept, err := j.trim(t.Context(), head, &store.Trim{Entries: []store.Place{{Position: 4}}, Kept: store.Kept{Entries: 5}})
		if err != nil {
			t.Fatal(err)
		}
		if n := server.Do("xlen", j.key("journal")); n != int64(want) || kept.Entries != want {
			t.Errorf("the journal has %v entries, and %d are reported, want %d", n, kept.Entries, want)
		}
		if weight, _, err := j.Size(t.Context()); err != nil || kept.Bytes != 0 && (kept.Bytes != weight || kept.UpTo != tip.Position) {
			t.Errorf("%d bytes up to %d are reported, want %d: %v", kept.Bytes, kept.UpTo, weight, err)
		}
	}
	var feed storetest.Feed
	commitMore(&feed, 1, 3)
	lose := server.Save(j.head(), j.key("journal"))
	before, lost := tip, feed
	commitMore(&lost, 1, 2)
	_, listed, err := j.marks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lose()
	tip = before
	commitMore(&feed, 2, 3)
	trim(listed, 6)
	if _, listed, err = j.marks(t.Context()); err != nil {
		t.Fatal(err)
	}
	trim(listed, 5)
}
