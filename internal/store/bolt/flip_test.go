package bolt_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/bolt"
	"github.com/playctl/playctl/test/property"
	"github.com/playctl/playctl/test/storetest"
)

// TestFlippedBits changes one bit of a store. It is refused, or whatever is read is
// unchanged or missing with an error that names it.
func TestFlippedBits(t *testing.T) {
	o := bolt.Options{Path: t.TempDir() + "/world.db", RootKey: rootKey}
	want := fillForFlips(t, o)
	whole := content(t, o.Path)
	cases := 150
	if property.Full {
		cases = 3000
	}
	outcomes := map[string]int{}
	for seed := range cases {
		random := rand.New(rand.NewPCG(uint64(seed), 9))
		at := random.IntN(len(whole))
		flipped := bytes.Clone(whole)
		flipped[at] ^= 1 << random.IntN(8)
		overwrite(t, o.Path, flipped)
		for _, o.ReadOnly = range []bool{true, false} {
			outcome, err := want.compare(o)
			if outcomes[outcome]++; err != nil {
				t.Errorf("byte %d changed from %#x to %#x (read-only: %t): %v", at, whole[at], flipped[at], o.ReadOnly, err)
			}
		}
	}
	t.Logf("outcomes: %v", outcomes)
	if outcomes["refused"] == 0 || outcomes["whole"] == 0 || outcomes["left out"] == 0 {
		t.Errorf("an outcome never occurred: %v", outcomes)
	}
}

// contents is what a store holds.
type contents struct {
	records map[store.Table]map[string]string
	entries []store.Entry
	state   store.State
}

// fillForFlips creates a store without unused pages, and returns its content.
func fillForFlips(t *testing.T, o bolt.Options) contents {
	t.Helper()
	c := contents{records: map[store.Table]map[string]string{}}
	put := func(e *store.Entry, table store.Table, key, value string) {
		e.Records = append(e.Records, store.Record{Table: table, Key: []byte(key), Value: []byte(value)})
		if c.records[table] == nil {
			c.records[table] = map[string]string{}
		}
		c.records[table][key] = value
	}
	j := open(t, o)
	var feed storetest.Feed
	for i := range 120 {
		e := feed.Next(i%10 == 0, 1)
		seq := string(binary.BigEndian.AppendUint64(nil, e.Seq))
		owner := fmt.Sprintf("agent-%d", i%3)
		put(&e, store.Interactions, owner+"\x00"+seq, fmt.Sprintf(`{"text":"line %d"}`, i))
		put(&e, store.InteractionOrder, seq, owner)
		if i%20 == 0 {
			put(&e, store.Nodes, owner, `{"id":"`+owner+`"}`)
			put(&e, store.Meta, fmt.Sprint("number ", i), "")
		}
		appendTo(t, j, e)
		e.Records = nil
		c.entries = append(c.entries, e)
		if i == 60 {
			c.state = feed.State()
			_, err := j.Checkpoint(t.Context(), c.state)
			must(t, err)
		}
	}
	closeStore(t, j)
	if _, _, err := bolt.Compact(t.Context(), o.Path); err != nil {
		t.Fatal(err)
	}
	return c
}

// compare opens a store and reads it in every way. It returns an error if anything
// differs, or is missing without an error that is store.ErrCorrupt.
func (c *contents) compare(o bolt.Options) (outcome string, err error) {
	j, err := bolt.Open(context.Background(), o)
	if err != nil {
		return "refused", isDamage(err)
	}
	outcome = "whole"
	for _, read := range []func(store.Journal) error{c.compareEntries, c.compareSeeks, c.compareState, c.compareRecords, c.compareScans} {
		err := read(j)
		if errors.Is(err, errLeftOut) {
			outcome, err = "left out", nil
		}
		if err != nil {
			return "wrong", errors.Join(err, j.Close())
		}
	}
	// A damaged store may fail to close cleanly.
	_ = j.Close()
	return outcome, nil
}

// errLeftOut means that a part of a store was not read, and an error named it.
var errLeftOut = errors.New("left out")

// isDamage returns an error that does not say that a store is damaged.
func isDamage(err error) error {
	if errors.Is(err, store.ErrCorrupt) || errors.Is(err, store.ErrFormat) {
		return nil
	}
	return err
}

func leftOut(err error) error { return cmp.Or(isDamage(err), errLeftOut) }

func (c *contents) compareEntries(j store.Journal) error {
	i := 0
	for e, err := range j.Read(context.Background(), 0) {
		if err != nil {
			return leftOut(err)
		}
		if i >= len(c.entries) || !reflect.DeepEqual(e, c.entries[i]) {
			return fmt.Errorf("entry %d is %+v", i+1, e)
		}
		i++
	}
	if head, err := j.Head(context.Background()); err != nil {
		return leftOut(err)
	} else if i != len(c.entries) || int(head) != i {
		return fmt.Errorf("%d entries are read up to the head %d, not %d", i, head, len(c.entries))
	}
	return nil
}

func (c *contents) compareSeeks(j store.Journal) (result error) {
	for i := range c.entries {
		at, err := j.Seek(context.Background(), c.entries[i].Seq-1)
		switch {
		case err != nil:
			if result = leftOut(err); !errors.Is(result, errLeftOut) {
				return result
			}
		case int(at) != i:
			return fmt.Errorf("seek %d leads to %d", c.entries[i].Seq-1, at)
		}
	}
	return result
}

func (c *contents) compareState(j store.Journal) error {
	state, err := j.Load(context.Background())
	if err != nil {
		return leftOut(err)
	}
	if !reflect.DeepEqual(state, c.state) {
		return fmt.Errorf("the checkpoint is %+v", state)
	}
	return nil
}

func (c *contents) compareRecords(j store.Journal) (result error) {
	for table, records := range c.records {
		for key, want := range records {
			got, err := j.Get(context.Background(), table, []byte(key))
			switch {
			case err != nil:
				if result = leftOut(err); !errors.Is(result, errLeftOut) {
					return result
				}
			case got == nil || string(got) != want:
				return fmt.Errorf("%s/%q is %q", table, key, got)
			}
			for _, missing := range []string{key + "x", key[:len(key)-1]} {
				got, err := j.Get(context.Background(), table, []byte(missing))
				if got != nil || err != nil && isDamage(err) != nil {
					return fmt.Errorf("%s/%q, which is missing, is %q, %w", table, missing, got, err)
				}
			}
		}
	}
	return result
}

func (c *contents) compareScans(j store.Journal) (result error) {
	for table, records := range c.records {
		ranges := []store.Range{{}, {Prefix: []byte("agent-1")}, {From: []byte("agent-1"), Before: []byte("agent-2")}}
		for key := range records {
			if len(ranges) > 12 {
				break // any of them
			}
			ranges = append(ranges, store.Range{From: []byte(key)}, store.Range{Before: []byte(key)})
		}
		for _, r := range ranges {
			for _, r.Reverse = range []bool{false, true} {
				for _, r.KeysOnly = range []bool{false, true} {
					err := compareScan(j, table, r, records)
					if err != nil && !errors.Is(err, errLeftOut) {
						return fmt.Errorf("%s, %+v: %w", table, r, err)
					}
					result = cmp.Or(result, err)
				}
			}
		}
	}
	return result
}

// compareScan reads a range. Every record of it is yielded once, in order, or named.
func compareScan(j store.Journal, table store.Table, r store.Range, records map[string]string) (result error) {
	missing := map[string]string{}
	for key, value := range records {
		if r.Holds(key) {
			missing[key] = value
		}
	}
	var before []byte
	for pair, err := range j.Scan(context.Background(), table, r) {
		if err != nil {
			result = leftOut(err)
			damaged, is := errors.AsType[*store.DamagedError](err)
			if !errors.Is(result, errLeftOut) || !is {
				return result
			}
			delete(missing, string(damaged.Key))
			continue
		}
		want, there := missing[string(pair.Key)]
		delete(missing, string(pair.Key))
		if !there || !r.KeysOnly && string(pair.Value) != want {
			return fmt.Errorf("%q is %q", pair.Key, pair.Value)
		}
		if order := bytes.Compare(before, pair.Key); before != nil && (order < 0) == r.Reverse {
			return fmt.Errorf("%q comes after %q", pair.Key, before)
		}
		before = pair.Key
	}
	if len(missing) > 0 {
		return fmt.Errorf("%d records are missing, such as %v", len(missing), missing)
	}
	return result
}
