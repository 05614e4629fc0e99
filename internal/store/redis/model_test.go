package redis_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/test/redistest"
	"github.com/playctl/playctl/test/sharedstore"
)

// pair is the same shared journal twice: on a Redis server, and in memory, as in
// tests of hosts. Each has two handles.
type pair struct {
	t       *rapid.T
	redis   [2]store.Journal
	memory  [2]store.Journal
	restart func()

	// tips are all acknowledged tips, places the places of their entries.
	tips   []store.Tip
	places map[store.Tip]store.Place
	ids    int
	// fences are the locks as acquired in both journals, whose tokens differ.
	fences [][2]store.Fence
}

// both runs a call on the same handle of both, and compares the kinds of their
// errors.
func (p *pair) both(what string, call func(j store.Journal, which int) error) error {
	h := rapid.IntRange(0, 1).Draw(p.t, "handle")
	one, two := call(p.redis[h], 0), call(p.memory[h], 1)
	if kind(one) != kind(two) {
		p.t.Fatalf("%s: Redis returns %q (%v), memory %q (%v)", what, kind(one), one, kind(two), two)
	}
	return one
}

// kind returns the kind of an error, as far as callers distinguish errors.
func kind(err error) string {
	var notDue *store.NotDueError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &notDue):
		return fmt.Sprint("not due: ", notDue.Deadlines)
	}
	for _, known := range []error{store.ErrConflict, store.ErrDiverged, store.ErrRestarted, store.ErrFenced, store.ErrTrimmed, store.ErrUnavailable} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return "refused"
}

var (
	modelTables = []store.Table{store.Leases, store.Journeys, store.Idempotency}
	modelKeys   = []string{"a", "b", "c"}
)

func (p *pair) deadline() store.Deadline {
	return store.Deadline{
		Table: rapid.SampledFrom(modelTables).Draw(p.t, "table"),
		Key:   rapid.SampledFrom(modelKeys).Draw(p.t, "key"),
	}
}

func (p *pair) record() store.Record {
	d := p.deadline()
	r := store.Record{Table: d.Table, Key: []byte(d.Key)}
	switch rapid.IntRange(0, 5).Draw(p.t, "change") {
	case 0:
	case 1:
		r.Key = nil
	case 2:
		r.Value, r.Term = []byte("timed"), time.Hour
	default:
		r.Value = fmt.Append(nil, "value ", p.ids)
	}
	return r
}

// batch returns a batch, mostly on the newest tip, or on an older one.
func (p *pair) batch() *store.Batch {
	after := p.tips[len(p.tips)-1]
	if rapid.IntRange(0, 4).Draw(p.t, "late") == 0 {
		after = rapid.SampledFrom(p.tips).Draw(p.t, "after")
	}
	p.ids++
	b := &store.Batch{After: after, Commit: store.CommitID{byte(p.ids), byte(p.ids >> 8), 1}}
	if rapid.IntRange(0, 7).Draw(p.t, "resumed") == 0 {
		b.Resumed = "an earlier run"
	}
	at := p.places[after]
	for range rapid.IntRange(0, 3).Draw(p.t, "entries") {
		at.Position++
		at.Seq++
		e := store.Entry{Position: at.Position, Seq: at.Seq, Rev: at.Rev, Events: []store.Event{{Kind: "k", Data: fmt.Append(nil, p.ids)}}}
		for range rapid.IntRange(0, 3).Draw(p.t, "records") {
			e.Records = append(e.Records, p.record())
		}
		b.Entries = append(b.Entries, e)
	}
	for range rapid.IntRange(0, 2).Draw(p.t, "renewals") {
		b.Renewals = append(b.Renewals, store.Renewal{Deadline: p.deadline(), Term: time.Hour})
	}
	if rapid.IntRange(0, 4).Draw(p.t, "expired") == 0 {
		b.Expired = []store.Deadline{p.deadline()}
	}
	return b
}

// commit commits a batch on both.
func (p *pair) commit() {
	b := p.batch()
	var fence *[2]store.Fence
	if len(p.fences) > 0 && rapid.IntRange(0, 2).Draw(p.t, "fenced") == 0 {
		fence = new(rapid.SampledFrom(p.fences).Draw(p.t, "fence"))
	}
	var tips [2]store.Tip
	err := p.both("Commit", func(j store.Journal, which int) error {
		copied := *b
		copied.Entries = append([]store.Entry{}, b.Entries...)
		if fence != nil {
			copied.Fence = &fence[which]
		}
		var err error
		tips[which], err = j.Commit(context.Background(), &copied)
		return err
	})
	if tips[0] != tips[1] {
		p.t.Fatalf("Commit: the tips are %v and %v", tips[0], tips[1])
	}
	if err == nil && len(b.Entries) > 0 {
		p.tips = append(p.tips, tips[0])
		p.places[tips[0]] = b.Entries[len(b.Entries)-1].Place()
	}
}

// missed reads the entries after a tip, or after one that never existed.
func (p *pair) missed() {
	after := rapid.SampledFrom(p.tips).Draw(p.t, "after")
	if after.Position > 0 && rapid.IntRange(0, 4).Draw(p.t, "wrong") == 0 {
		after.Commit = store.CommitID{0xff}
	}
	var found [2][]store.Entry
	_ = p.both("EntriesAfter", func(j store.Journal, which int) error {
		var err error
		found[which], err = j.EntriesAfter(context.Background(), after)
		return err
	})
	if diff := cmp.Diff(found[0], found[1], cmpopts.EquateEmpty()); diff != "" {
		p.t.Fatalf("EntriesAfter (-Redis +memory):\n%s", diff)
	}
}

// tables compares all records of the tables, and the results of look-ups.
func (p *pair) tables() {
	var lookups []store.Lookup
	for _, table := range modelTables {
		for _, key := range modelKeys {
			lookups = append(lookups, store.Lookup{Table: table, Key: []byte(key)})
		}
	}
	var found [2][][]byte
	if err := p.both("GetAll", func(j store.Journal, which int) error {
		var err error
		found[which], err = j.GetAll(context.Background(), lookups)
		return err
	}); err != nil {
		p.t.Fatal(err)
	}
	for i := range lookups {
		if !bytes.Equal(found[0][i], found[1][i]) || (found[0][i] == nil) != (found[1][i] == nil) {
			p.t.Fatalf("%s %q: Redis has %q, memory %q", lookups[i].Table, lookups[i].Key, found[0][i], found[1][i])
		}
	}
}

// lock acquires or releases a lock.
func (p *pair) lock() {
	if len(p.fences) > 0 && rapid.IntRange(0, 2).Draw(p.t, "release") == 0 {
		fence := rapid.SampledFrom(p.fences).Draw(p.t, "fence")
		_ = p.both("Release", func(j store.Journal, which int) error {
			return j.Release(context.Background(), fence[which])
		})
		return
	}
	holder := rapid.SampledFrom([]string{"x", "y"}).Draw(p.t, "holder")
	var held [2]bool
	var fence [2]store.Fence
	_ = p.both("Acquire", func(j store.Journal, which int) error {
		var err error
		fence[which], held[which], err = j.Acquire(context.Background(), "lock", holder, time.Hour)
		return err
	})
	if held[0] != held[1] {
		p.t.Fatalf("Acquire: Redis returns %v, memory %v", held[0], held[1])
	}
	if held[0] {
		p.fences = append(p.fences, fence)
	}
}

// TestSameAsMemory makes the same calls to a Redis server and to the journal in
// memory: a result of host tests in memory also applies to Redis.
func TestSameAsMemory(t *testing.T) {
	server := redistest.Start(t)
	rapid.Check(t, func(rt *rapid.T) {
		o := at(t, server.URL())
		simple := sharedstore.NewServer(store.DefaultRetention(), time.Now)
		p := &pair{t: rt, tips: []store.Tip{{}}, places: map[store.Tip]store.Place{{}: {}}}
		for i := range p.redis {
			j := open(t, o)
			defer func() { _ = j.Close() }()
			p.redis[i], p.memory[i] = j, simple.Host()
		}
		p.restart = func() {
			// A run id that is not the server's, as after a restart.
			server.Do("hset", "play:{"+o.HostID+"}:head", "run", "0")
			simple.Restart(0)
		}
		rt.Repeat(map[string]func(*rapid.T){
			"commit":       func(rt *rapid.T) { p.t = rt; p.commit() },
			"commit again": func(rt *rapid.T) { p.t = rt; p.commit() },
			"missed":       func(rt *rapid.T) { p.t = rt; p.missed() },
			"tables":       func(rt *rapid.T) { p.t = rt; p.tables() },
			"lock":         func(rt *rapid.T) { p.t = rt; p.lock() },
			"restart": func(rt *rapid.T) {
				if p.t = rt; rapid.IntRange(0, 4).Draw(rt, "really") == 0 {
					p.restart()
				}
			},
		})
	})
}
