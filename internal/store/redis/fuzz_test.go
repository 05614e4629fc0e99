package redis

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
)

// reply decodes bytes into a possible reply of a script: texts, numbers, nil and
// lists of them. It returns the rest of the bytes.
func reply(b []byte, depth int) (any, []byte) {
	if len(b) == 0 {
		return nil, nil
	}
	kind, b := b[0], b[1:]
	switch {
	case kind < 8:
		return nil, b
	case kind < 16:
		return int64(kind), b
	case kind < 48 && depth < 4:
		var list []any
		for range kind % 12 {
			var one any
			one, b = reply(b, depth+1)
			list = append(list, one)
		}
		return list, b
	}
	n := min(int(kind%64), len(b))
	return string(b[:n]), b[n:]
}

// wantKnownError fails for an error that callers cannot classify.
func wantKnownError(t *testing.T, what string, err error, allowed ...error) {
	t.Helper()
	if err == nil {
		return
	}
	for _, one := range allowed {
		if errors.Is(err, one) {
			return
		}
	}
	t.Errorf("%s: %v is not one of %v", what, err, allowed)
}

// FuzzReply passes every possible reply of a server to every decoder of replies.
func FuzzReply(f *testing.F) {
	f.Add([]byte("\x14\x42OK\x411\x412\x43run\x42ab"))
	f.Add([]byte("\x16\x48CONFLICT\x411\x412\x43run\x411\x11\x12\x431-0\x12\x41e\x41x"))
	f.Add([]byte("\x15\x46NOTDUE\x411\x412\x43run\x12\x41t\x41k"))
	f.Add([]byte("\x12\x12\x41k\x41l\x12\x41v\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		j := &Journal{options: Options{HostID: "h"}}
		top, _ := reply(b, 0)
		list, _ := top.([]any)
		given := parts(list)
		corrupt := []error{store.ErrCorrupt}

		a, err := j.parse(time.Now(), given)
		wantKnownError(t, "parse", err, corrupt...)
		batch := &store.Batch{Entries: []store.Entry{{Position: 1}}, Fence: &store.Fence{Name: "f"}}
		if err == nil && a.status != "NOTDUE" && a.status != "REFUSED" {
			wantKnownError(t, "commit error", j.commitError(a, batch),
				store.ErrCorrupt, store.ErrConflict, store.ErrFenced, store.ErrDiverged, store.ErrRestarted, store.ErrTrimmed, store.ErrFormat)
		} else if err == nil {
			_ = j.commitError(a, batch)
		}
		wantKnownError(t, "importVerdict", j.importVerdict(given), store.ErrCorrupt, store.ErrNotEmpty, store.ErrImporting, store.ErrUnavailable)
		_, err = place(given)
		wantKnownError(t, "place", err, corrupt...)
		_, err = j.parseHead(given)
		wantKnownError(t, "parseHead", err, corrupt...)
		pairs, err := decodePairs(given)
		wantKnownError(t, "decodePairs", err, corrupt...)
		if keys, _ := given.at(0).([]any); err == nil && len(pairs) != len(keys) {
			t.Errorf("%d pairs of %d keys", len(pairs), len(keys))
		}
		_, err = after(fromReply(top), store.Tip{})
		wantKnownError(t, "after", err, store.ErrCorrupt, store.ErrTrimmed, store.ErrDiverged, store.ErrFormat)
		texts := make([]string, 0, len(list))
		for _, one := range list {
			texts = append(texts, text(one))
		}
		_, err = j.decodeState(7, texts)
		wantKnownError(t, "decodeState", err, store.ErrCorrupt, store.ErrFormat)
	})
}

// FuzzStored decodes entries of a stream: an accepted entry agrees with its fields
// and its id.
func FuzzStored(f *testing.F) {
	e := store.Entry{Position: 7, Rev: 2, Seq: 9, MapChanged: true, Rows: []store.Row{{Key: "k", JSON: []byte("{}")}}}
	records := store.Entry{Position: 7, Records: []store.Record{{Table: store.Leases, Key: []byte("k"), Value: []byte("v")}}}
	id := strings.Repeat("c", 16)
	f.Add("7-0", store.AppendEntry(nil, &e), id, id, store.AppendEntry(nil, &records))
	f.Add("8-0", store.AppendEntry(nil, &e), id, id, []byte(nil))
	f.Add("", []byte(nil), "", "", []byte{1})
	f.Fuzz(func(t *testing.T, id string, entry []byte, commit, prev string, records []byte) {
		s := stored{id: id, fields: map[string]string{"e": string(entry), "c": commit, "p": prev, "r": string(records)}}
		if e, err := store.DecodeEntry(bytes.Clone(entry)); err == nil {
			s.fields["s"], s.fields["v"] = strconv.FormatUint(e.Seq, 10), strconv.FormatUint(e.Rev, 10)
			s.fields["n"], s.fields["m"] = strconv.Itoa(len(e.Events)), bit(e.MapChanged)
		}
		e, err := s.decode(true)
		wantKnownError(t, "decode", err, store.ErrCorrupt, store.ErrFormat)
		if err != nil {
			return
		}
		if at, err := s.position(); err != nil || at != e.Position || string(e.Commit[:]) != commit || string(e.Prev[:]) != prev {
			t.Fatalf("%q, %q after %q became %d, %q, %q", id, commit, prev, e.Position, e.Commit, e.Prev)
		}
		e.Records = nil
		if !bytes.Equal(store.AppendEntry(nil, &e), entry) {
			t.Fatalf("entry %d does not encode to its original bytes", e.Position)
		}
	})
}
