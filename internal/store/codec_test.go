package store_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/playctl/playctl/internal/store"
)

// richEntry uses every field.
func richEntry() store.Entry {
	return store.Entry{
		Position: 300, At: -1, Rev: 1 << 40, Seq: math.MaxUint64, Root: [32]byte{1, 31: 2}, LeafCount: math.MaxUint32,
		MapChanged: true, Cleared: true,
		Header: &store.Header{SID: "s", MinX: math.MinInt64, MinY: -1, MaxX: 19, MaxY: math.MaxInt64},
		Rows:   []store.Row{{Key: "mcp:a", JSON: []byte(`{}`)}, {Key: "mcp:gone"}, {JSON: []byte{}}},
		Notify: []byte(`{"nodes":[]}`),
		Events: []store.Event{{Kind: "k", Data: []byte(`{"a":1}`), Audience: []string{"x", ""}}, {}},
		Records: []store.Record{
			{Table: store.Nodes, Key: []byte("k"), Value: []byte("v")},
			{Table: store.Leases, Key: []byte("deleted")},
			{Table: store.Spaces},
			{Table: "any", Key: []byte("empty"), Value: []byte{}},
		},
	}
}

func richState() store.State {
	e := richEntry()
	return store.State{
		Position: e.Position, At: e.At, Rev: e.Rev, Seq: e.Seq, Root: e.Root, LeafCount: e.LeafCount,
		Header: *e.Header, Rows: e.Rows,
	}
}

func TestEntryRoundTrip(t *testing.T) {
	for _, want := range []store.Entry{{}, richEntry()} {
		encoded := store.AppendEntry([]byte("before"), &want)
		if !bytes.HasPrefix(encoded, []byte("before")) {
			t.Fatal("AppendEntry changed the existing bytes")
		}
		encoded = encoded[len("before"):]
		got, err := store.DecodeEntry(encoded)
		if err != nil {
			t.Fatalf("DecodeEntry: %v", err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the entry (-want +got):\n%s", diff)
		}
		place, err := store.PeekEntry(encoded)
		if err != nil || place != want.Place() {
			t.Errorf("PeekEntry: %+v, %v; want %+v", place, err, want.Place())
		}
	}
}

func TestStateRoundTrip(t *testing.T) {
	for _, want := range []store.State{{}, richState()} {
		encoded := store.AppendState(nil, &want)
		got, err := store.DecodeState(encoded)
		if err != nil {
			t.Fatalf("DecodeState: %v", err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the state (-want +got):\n%s", diff)
		}
		mark, err := store.PeekState(encoded)
		if err != nil || mark != (store.Mark{Position: want.Position, Rev: want.Rev}) {
			t.Errorf("PeekState: %+v, %v", mark, err)
		}
	}
}

// resign appends a correct checksum to a changed body.
func resign(body []byte) []byte {
	sum := crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli))
	return binary.BigEndian.AppendUint32(bytes.Clone(body), sum)
}

// TestDecodeRefusesEveryChange flips every bit and cuts at every byte.
func TestDecodeRefusesEveryChange(t *testing.T) {
	e, s := richEntry(), richState()
	for name, test := range map[string]struct {
		encoded []byte
		decode  func([]byte) error
	}{
		"entry":      {store.AppendEntry(nil, &e), func(b []byte) error { _, err := store.DecodeEntry(b); return err }},
		"checkpoint": {store.AppendState(nil, &s), func(b []byte) error { _, err := store.DecodeState(b); return err }},
	} {
		for i := range test.encoded {
			if err := test.decode(test.encoded[:i]); !errors.Is(err, store.ErrCorrupt) {
				t.Errorf("%s cut at %d: %v", name, i, err)
			}
			for bit := range 8 {
				damaged := bytes.Clone(test.encoded)
				damaged[i] ^= 1 << bit
				err := test.decode(damaged)
				if !errors.Is(err, store.ErrCorrupt) {
					t.Errorf("%s with bit %d of byte %d changed: %v", name, bit, i, err)
				}
			}
		}
		body := test.encoded[:len(test.encoded)-4]
		if err := test.decode(resign(append(bytes.Clone(body), 0))); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%s with a byte after its end: %v", name, err)
		}
	}
}

func TestDecodeRefusesAbsurdLengths(t *testing.T) {
	huge := binary.AppendUvarint(nil, math.MaxUint64)
	head := []byte{store.Format, 0, 1, 1, 1}
	rest := append(make([]byte, 0, 64), 0)
	rest = append(rest, make([]byte, 32)...)
	rest = append(rest, 2)
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	for name, body := range map[string][]byte{
		"events":           join(head, huge, rest, []byte{0, 0, 0}),
		"rows":             join(head, []byte{0}, rest, huge),
		"a notify":         join(head, []byte{0}, rest, []byte{0}, huge),
		"records":          join(head, []byte{0}, rest, []byte{0, 0}, huge),
		"a key":            join(head, []byte{0}, rest, []byte{1}, huge, []byte("k")),
		"unknown flags":    join([]byte{store.Format, 0x80, 1, 1, 1, 0}, rest, []byte{0, 0, 0}),
		"a long number":    join([]byte{store.Format, 0, 0x81, 0, 1, 1, 0}, rest, []byte{0, 0, 0}),
		"a number too big": join([]byte{store.Format, 0, 1, 1, 1, 0, 0}, make([]byte, 32), huge, []byte{0, 0, 0}),
	} {
		if _, err := store.DecodeEntry(resign(body)); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%s: %v, want ErrCorrupt", name, err)
		}
	}
	// The same parts without the invalid one are an entry.
	if _, err := store.DecodeEntry(resign(join(head, []byte{0}, rest, []byte{0, 0, 0}))); err != nil {
		t.Errorf("a plain entry: %v", err)
	}
}

func TestPeekRefuses(t *testing.T) {
	for _, b := range [][]byte{nil, {0}, {store.Format}, {store.Format, 0}, {store.Format, 0, 0x80}, {store.Format + 1, 0}} {
		if _, err := store.PeekEntry(b); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("PeekEntry of %x: %v", b, err)
		}
		if _, err := store.PeekState(b); len(b) < 2 && !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("PeekState of %x: %v", b, err)
		}
	}
}

// An entry or a checkpoint of another format is not damage.
func TestDecodeRefusesOtherFormats(t *testing.T) {
	e, s := richEntry(), richState()
	for format, todo := range map[byte]string{0: "the playctl that wrote it", store.Format - 1: "the playctl that wrote it", store.Format + 1: "a newer playctl"} {
		change := func(encoded []byte) []byte {
			encoded[0] = format
			return resign(encoded[:len(encoded)-4])
		}
		entry, state := change(store.AppendEntry(nil, &e)), change(store.AppendState(nil, &s))
		for what, read := range map[string]func() error{
			"DecodeEntry": func() error { _, err := store.DecodeEntry(entry); return err },
			"PeekEntry":   func() error { _, err := store.PeekEntry(entry); return err },
			"DecodeState": func() error { _, err := store.DecodeState(state); return err },
			"PeekState":   func() error { _, err := store.PeekState(state); return err },
		} {
			err := read()
			if !errors.Is(err, store.ErrFormat) || errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), fmt.Sprintf("has format %d, and this playctl reads format %d only; use %s", format, store.Format, todo)) {
				t.Errorf("%s of format %d: %v", what, format, err)
			}
		}
	}
}

// FuzzDecodeEntry appends a correct checksum to any bytes: decoding them never
// panics, and every accepted entry encodes to the same bytes.
func FuzzDecodeEntry(f *testing.F) {
	for _, e := range []store.Entry{{}, richEntry()} {
		encoded := store.AppendEntry(nil, &e)
		f.Add(encoded[:len(encoded)-4])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		encoded := resign(body)
		e, err := store.DecodeEntry(encoded)
		if err != nil {
			if !errors.Is(err, store.ErrCorrupt) && !errors.Is(err, store.ErrFormat) {
				t.Errorf("DecodeEntry: %v", err)
			}
			return
		}
		if again := store.AppendEntry(nil, &e); !bytes.Equal(again, encoded) {
			t.Errorf("an entry has two encodings:\n%x\n%x", encoded, again)
		}
		if place, err := store.PeekEntry(encoded); err != nil || place != e.Place() {
			t.Errorf("PeekEntry: %+v, %v; want %+v", place, err, e.Place())
		}
	})
}

// FuzzDecodeState is FuzzDecodeEntry for checkpoints.
func FuzzDecodeState(f *testing.F) {
	for _, s := range []store.State{{}, richState()} {
		encoded := store.AppendState(nil, &s)
		f.Add(encoded[:len(encoded)-4])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		encoded := resign(body)
		s, err := store.DecodeState(encoded)
		if err != nil {
			if !errors.Is(err, store.ErrCorrupt) && !errors.Is(err, store.ErrFormat) {
				t.Errorf("DecodeState: %v", err)
			}
			return
		}
		if again := store.AppendState(nil, &s); !bytes.Equal(again, encoded) {
			t.Errorf("a state has two encodings:\n%x\n%x", encoded, again)
		}
	})
}

// TestBounds compares the bounds of a range with the keys in the range.
func TestBounds(t *testing.T) {
	key := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 'a', 0xfe, 0xff}), 0, 3)
	rapid.Check(t, func(t *rapid.T) {
		r := store.Range{Prefix: key.Draw(t, "prefix"), From: key.Draw(t, "from"), Before: key.Draw(t, "before")}
		k := string(key.Draw(t, "key"))
		low, high := r.Bounds()
		within := k >= string(low) && (len(high) == 0 || k < string(high))
		if want := strings.HasPrefix(k, string(r.Prefix)); r.Holds(k) != (within && want) || within && !want {
			t.Fatalf("the bounds of %q are %q and %q; within: %t, held: %t", fmt.Sprintf("%+v", r), low, high, within, r.Holds(k))
		}
	})
}

func BenchmarkAppendEntry(b *testing.B) {
	e := benchEntry()
	buffer := store.AppendEntry(nil, &e)
	b.SetBytes(int64(len(buffer)))
	for b.Loop() {
		buffer = store.AppendEntry(buffer[:0], &e)
	}
}

func BenchmarkDecodeEntry(b *testing.B) {
	e := benchEntry()
	encoded := store.AppendEntry(nil, &e)
	b.SetBytes(int64(len(encoded)))
	for b.Loop() {
		if _, err := store.DecodeEntry(encoded); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPeekEntry(b *testing.B) {
	e := benchEntry()
	encoded := store.AppendEntry(nil, &e)
	for b.Loop() {
		if _, err := store.PeekEntry(encoded); err != nil {
			b.Fatal(err)
		}
	}
}

// benchEntry is a chat line of an agent.
func benchEntry() store.Entry {
	return store.Entry{
		Position: 123_456, At: 1_767_323_045_678, Rev: 4_321, Seq: 130_000, LeafCount: 102,
		Events: []store.Event{{Kind: "world:interaction", Data: bytes.Repeat([]byte("x"), 400)}},
	}
}
