package redis_test

import (
	"errors"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/test/redistest"
	"github.com/playctl/playctl/test/storetest"
)

// A changed value, values that changed places, and a key without a value are reported as
// damage of these records; the others are read.
func TestDamagedRecords(t *testing.T) {
	server := redistest.Start(t)
	o := at(t, server.URL())
	j := open(t, o)
	var feed storetest.Feed
	e := feed.Next(true, 1)
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		e.Records = append(e.Records, store.Record{Table: store.Nodes, Key: []byte(key), Value: []byte("value of " + key)})
	}
	if err := storetest.Append(t.Context(), j, 0, e); err != nil {
		t.Fatal(err)
	}
	table := "play:{" + o.HostID + "}:table:nodes"
	c, d := server.Do("hget", table, "c"), server.Do("hget", table, "d")
	server.Do("hset", table, "b", "value of x", "c", d.(string), "d", c.(string))
	server.Do("hdel", table, "e")

	damaged := map[string]bool{}
	for pair, err := range j.Scan(t.Context(), store.Nodes, store.Range{}) {
		found, is := errors.AsType[*store.DamagedError](err)
		switch {
		case is && found.Table == store.Nodes && errors.Is(err, store.ErrCorrupt):
			damaged[string(found.Key)] = true
		case err != nil || string(pair.Key) != "a" || string(pair.Value) != "value of a":
			t.Errorf("%q is %q, %v", pair.Key, pair.Value, err)
		}
	}
	if len(damaged) != 4 {
		t.Errorf("the damaged records are %v", damaged)
	}
	for _, key := range []string{"b", "c", "d"} {
		_, err := j.Get(t.Context(), store.Nodes, []byte(key))
		if _, is := errors.AsType[*store.DamagedError](err); !is {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// Fields of an entry that scripts read have to be those of its content.
func TestDamagedFieldsOfEntry(t *testing.T) {
	server := redistest.Start(t)
	o := at(t, server.URL())
	j := open(t, o)
	var feed storetest.Feed
	if err := storetest.Append(t.Context(), j, 0, feed.Next(true, 1)); err != nil {
		t.Fatal(err)
	}
	journal := "play:{" + o.HostID + "}:journal"
	server.Do("eval", `local e = redis.call('XRANGE', KEYS[1], '-', '+')[1]
		for i = 1, #e[2], 2 do if e[2][i] == 's' then e[2][i + 1] = '7' end end
		redis.call('DEL', KEYS[1])
		return redis.call('XADD', KEYS[1], e[1], unpack(e[2]))`, "1", journal)
	for _, err := range j.Read(t.Context(), 0) {
		if damaged, is := errors.AsType[*store.DamagedError](err); !is || damaged.Position != 1 {
			t.Errorf("the entry is read with %v", err)
		}
	}
}

// A world that a host of another format restored under this one is not damage.
func TestFormatThatChangesUnderHost(t *testing.T) {
	server := redistest.Start(t)
	o := at(t, server.URL())
	j := open(t, o)
	server.Do("hset", "play:{"+o.HostID+"}:head", "format", "77")
	if _, err := j.Head(t.Context()); !errors.Is(err, store.ErrFormat) || errors.Is(err, store.ErrCorrupt) {
		t.Errorf("the head is read with %v", err)
	}
	if _, err := j.Load(t.Context()); !errors.Is(err, store.ErrFormat) {
		t.Errorf("the checkpoint is read with %v", err)
	}
}
