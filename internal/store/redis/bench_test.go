package redis_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/test/redistest"
	"github.com/playctl/playctl/test/storetest"
)

// BenchmarkCommit commits batches of one and of 64 entries, each with two records,
// and reports the server's time for a script and its memory for an entry.
func BenchmarkCommit(b *testing.B) {
	for _, size := range []int{0, 1, 64} {
		b.Run(fmt.Sprint(size, " entries"), func(b *testing.B) { benchCommit(b, size) })
	}
}

func benchCommit(b *testing.B, size int) {
	server := redistest.Start(b)
	j := open(b, at(b, server.URL()))
	var feed storetest.Feed
	var tip store.Tip
	before := infoNumber(b, server, "memory", "used_memory:")
	server.Do("config", "resetstat")
	for b.Loop() {
		next := &store.Batch{After: tip, Commit: store.CommitID{1, byte(tip.Position), byte(tip.Position >> 8)}}
		for k := range size {
			e := feed.Next(true, 1)
			e.Records = []store.Record{
				{Table: store.Leases, Key: fmt.Append(nil, "agent ", k), Value: []byte("lease")},
				{Table: store.Idempotency, Key: fmt.Append(nil, e.Seq), Value: make([]byte, 200)},
			}
			next.Entries = append(next.Entries, e)
		}
		var err error
		if tip, err = j.Commit(context.Background(), next); err != nil {
			b.Fatal(err)
		}
	}
	stat := infoNumber(b, server, "commandstats", "cmdstat_evalsha:calls=")
	if stat > 0 {
		spent := infoNumber(b, server, "commandstats", fmt.Sprintf("cmdstat_evalsha:calls=%.0f,usec=", stat))
		b.ReportMetric(spent/stat, "server-us/commit")
	}
	if tip.Position > 0 {
		b.ReportMetric((infoNumber(b, server, "memory", "used_memory:")-before)/float64(tip.Position), "B/entry")
	}
}

// infoNumber reads the number after a text in a section of the server's INFO output.
func infoNumber(b *testing.B, server *redistest.Server, section, after string) float64 {
	b.Helper()
	_, rest, _ := strings.Cut(fmt.Sprint(server.Do("info", section)), after)
	end := strings.IndexFunc(rest, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if end < 0 {
		return 0
	}
	n, _ := strconv.ParseFloat(rest[:end], 64)
	return n
}

// BenchmarkGetAll looks up the records that a full batch of commands needs for
// planning: 512 records, a tenth of which exist.
func BenchmarkGetAll(b *testing.B) {
	ctx := context.Background()
	j := open(b, at(b, redistest.Start(b).URL()))
	var feed storetest.Feed
	e := feed.Next(false, 1)
	lookups := make([]store.Lookup, 512)
	for i := range lookups {
		lookups[i] = store.Lookup{Table: store.Idempotency, Key: fmt.Append(nil, "key ", i)}
		if i%10 == 0 {
			e.Records = append(e.Records, store.Record{Table: store.Idempotency, Key: lookups[i].Key, Value: make([]byte, 200)})
		}
	}
	if _, err := j.Commit(ctx, &store.Batch{Commit: store.CommitID{1}, Entries: []store.Entry{e}}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := j.GetAll(ctx, lookups); err != nil {
			b.Fatal(err)
		}
	}
}
