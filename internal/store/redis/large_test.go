package redis_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/test/redistest"
	"github.com/playctl/playctl/test/storetest"
)

// TestLargeReplies uses entries and records so large that one reply cannot hold the
// usual number of them: they are returned in several replies.
func TestLargeReplies(t *testing.T) {
	ctx := t.Context()
	const size, count = 100 << 10, 60
	server := redistest.Start(t)
	j := open(t, at(t, server.URL()))
	var feed storetest.Feed
	var tip store.Tip
	for i := range count {
		e := feed.Next(false, 1)
		e.Events[0].Data = bytes.Repeat([]byte{'a' + byte(i%26)}, size)
		e.Records = []store.Record{{Table: store.Journeys, Key: fmt.Appendf(nil, "key %03d", i), Value: e.Events[0].Data}}
		tip = commit(t, j, &store.Batch{After: tip, Commit: store.CommitID{1, byte(i)}, Entries: []store.Entry{e}})
	}
	missed, err := j.EntriesAfter(ctx, store.Tip{})
	if err != nil || len(missed) == 0 || len(missed)*size > 4<<20 {
		t.Errorf("EntriesAfter: %d entries of %d bytes, %v; want some MB", len(missed), size, err)
	}
	followed := 0
	for entries, err := range j.Follow(ctx, store.Tip{}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if followed++; e.Position != store.Position(followed) || len(e.Events[0].Data) != size {
				t.Fatalf("entry %d arrived as number %d", e.Position, followed)
			}
		}
		if followed == count {
			break
		}
	}
	before, read := rangeCalls(t, server), 0
	for e, err := range j.Read(ctx, 0) {
		if read++; err != nil || e.Position != store.Position(read) || len(e.Events[0].Data) != size {
			t.Fatalf("Read: entry %d arrived as number %d, %v", e.Position, read, err)
		}
	}
	if replies := rangeCalls(t, server) - before; read != count || replies < count*size/(4<<20)+1 {
		t.Errorf("Read: %d entries of %d bytes arrived in %d replies; want some MB in each", read, size, replies)
	}
	if weight, _, err := j.Size(ctx); err != nil || weight < count*size || weight > count*(size+500) {
		t.Errorf("Size: %d bytes, %v; want those of %d entries of %d bytes", weight, err, count, size)
	}
	for _, reverse := range []bool{false, true} {
		found := 0
		for pair, err := range j.Scan(ctx, store.Journeys, store.Range{Reverse: reverse}) {
			i := found
			if reverse {
				i = count - 1 - found
			}
			if err != nil || string(pair.Key) != fmt.Sprintf("key %03d", i) || len(pair.Value) != size {
				t.Fatalf("record %d (reverse %v) is %q with %d bytes, %v", found, reverse, pair.Key, len(pair.Value), err)
			}
			clear(pair.Key)
			found++
		}
		if found != count {
			t.Errorf("Scan (reverse %v) found %d records, want %d", reverse, found, count)
		}
	}
}

// rangeCalls returns how often the server was called for entries of a stream.
func rangeCalls(t *testing.T, server *redistest.Server) int {
	t.Helper()
	match := regexp.MustCompile(`cmdstat_xrange:calls=(\d+)`).FindStringSubmatch(fmt.Sprint(server.Do("info", "commandstats")))
	if match == nil {
		return 0
	}
	n, err := strconv.Atoi(match[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}
