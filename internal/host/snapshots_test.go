package host

import (
	"bytes"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/playctl/playctl/internal/world"
)

// Readers of one view share one reply; those of a newer view get a new one.
func TestReadersShareLatestReply(t *testing.T) {
	f := newFixture(t)
	main := f.main()
	for range 20 {
		f.player(main)
	}
	var encoded atomic.Int32
	replies := newLatestReplies(f.world, func(v *world.View) world.SnapshotJSON {
		encoded.Add(1)
		return v.Snapshot()
	})
	older := f.world.View()
	for round := range int32(2) {
		view := f.world.View()
		var want bytes.Buffer
		snapshot := view.Snapshot()
		if _, err := snapshot.WriteTo(&want); err != nil {
			t.Fatal(err)
		}
		var readers sync.WaitGroup
		for range 16 {
			readers.Go(func() {
				if r := replies.of(view, false); !bytes.Equal(r.body, want.Bytes()) || r.zipped || r.rev != view.Rev || r.sid != view.SID {
					t.Errorf("the reply of rev %d is %s", r.rev, r.body)
				}
				if r := replies.of(view, true); !r.zipped || 2*len(r.body) > want.Len() || r.rev != view.Rev {
					t.Errorf("the reply in gzip has %d bytes of %d", len(r.body), want.Len())
				}
			})
		}
		readers.Wait()
		if n := encoded.Load(); n != 2*(round+1) {
			t.Errorf("after %d views there were %d encodings, want one for each view, plain and in gzip", round+1, n)
		}
		if r := replies.of(older, true); r.rev != view.Rev {
			t.Errorf("a reader that waited since rev %d gets rev %d, want the newest, %d", older.Rev, r.rev, view.Rev)
		}
		f.player(main)
	}
	late := newLatestReplies(f.world, (*world.View).Snapshot)
	if r := late.of(older, false); r.rev != f.world.View().Rev {
		t.Errorf("a reader that waited since rev %d encodes rev %d, want the newest, %d", older.Rev, r.rev, f.world.View().Rev)
	}
}

// A reader whose replies fill their budget gets the snapshot uncompressed, and holds none of it.
func TestSnapshotWithoutBudgetIsNotShared(t *testing.T) {
	f := newFixture(t)
	main := f.main()
	for range 20 {
		f.player(main)
	}
	want := f.get(f.play("/snapshot"), as(main)).ok()
	f.host.replies.held = f.host.replies.limit
	got := f.get(f.play("/snapshot"), as(main), with("Accept-Encoding", "gzip")).ok()
	if got.header.Get("Content-Encoding") != "" || got.header.Get("Etag") != want.header.Get("Etag") || !bytes.Equal(got.body, want.body) {
		t.Errorf("%v\n%s\nwant\n%s", got.header, got.body, want.body)
	}
}
