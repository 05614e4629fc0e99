package store

import (
	"fmt"
	"slices"
)

// MaxKeyLen is the length in bytes that a record's key may have.
const MaxKeyLen = 4096

// CheckBatch tells why a journal whose last entry is head refuses the entries: a
// position that does not follow, a rev or seq that goes back, a record without a
// known table or a key. A backend calls it before it writes anything.
func CheckBatch(head Place, entries []Entry) error {
	for i := range entries {
		e := &entries[i]
		m := e.Place()
		if m.Position != head.Position+1 {
			return fmt.Errorf("the entry of position %d cannot follow position %d", m.Position, head.Position)
		}
		if m.Seq < head.Seq || m.Seq-head.Seq < m.Events {
			return fmt.Errorf("entry %d of %d events ends at seq %d, before it stood at %d", m.Position, m.Events, m.Seq, head.Seq)
		}
		if m.Rev < head.Rev || m.MapChanged && m.Rev == head.Rev {
			return fmt.Errorf("entry %d has rev %d, before it stood at %d", m.Position, m.Rev, head.Rev)
		}
		if err := checkRecords(e); err != nil {
			return err
		}
		head = m
	}
	return nil
}

func checkRecords(e *Entry) error {
	for i := range e.Records {
		r := &e.Records[i]
		if n := len(r.Key); n == 0 && r.Value != nil || n > MaxKeyLen {
			return fmt.Errorf("entry %d has a record of table %q with a key of %d bytes, allowed are 1 to %d", e.Position, r.Table, n, MaxKeyLen)
		}
		if !slices.Contains(tables, r.Table) {
			return fmt.Errorf("entry %d has a record of an unknown table %q", e.Position, r.Table)
		}
	}
	return nil
}

// CheckState tells why a journal refuses the checkpoint s: it is past the head,
// or older than newest, the last one that was stored.
func CheckState(head Position, newest Mark, s *State) error {
	if s.Position > head {
		return fmt.Errorf("a checkpoint of position %d is past the head, which is %d", s.Position, head)
	}
	if s.Position < newest.Position || s.Rev < newest.Rev {
		return fmt.Errorf("a checkpoint of position %d and rev %d is older than the last one, of position %d and rev %d",
			s.Position, s.Rev, newest.Position, newest.Rev)
	}
	return nil
}
