package store

import (
	"fmt"
	"time"
)

// CommitID names one atomic batch of a journal. It is random and chosen by the
// host that creates the batch, so that a host can find out whether a commit
// without a reply is in the journal, and whether the journal still is the one that
// it knows.
type CommitID [16]byte

// Tip is the end of a journal as one host knows it: the position of the last entry
// and the commit that wrote it. A store of one host does not keep commits: the zero
// CommitID is that of an entry that was written before it was opened.
type Tip struct {
	Position Position
	Commit   CommitID
}

// OvertakenError is the ErrConflict of a Commit, with the entries that the host missed.
type OvertakenError struct {
	// Entries are the first ones after the tip, with Records; there may be more.
	Entries []Entry
}

// Error says how far the journal is ahead.
func (e *OvertakenError) Error() string {
	return fmt.Sprintf("%v: at least %d entries are missing here", ErrConflict, len(e.Entries))
}

// Unwrap makes it an ErrConflict.
func (e *OvertakenError) Unwrap() error { return ErrConflict }

// RestartedError is an ErrRestarted with the data that the host needs to continue.
type RestartedError struct {
	// Run names the server's run since its start.
	Run string
	// At is the server's time when it answered.
	At time.Time
}

// Error returns the text of ErrRestarted.
func (e *RestartedError) Error() string { return ErrRestarted.Error() }

// Unwrap makes it an ErrRestarted.
func (e *RestartedError) Unwrap() error { return ErrRestarted }

// NotDueError is the error of a Commit whose Expired deadlines were renewed
// meanwhile. Nothing was written.
type NotDueError struct {
	Deadlines []Deadline
}

// Error states how many deadlines were renewed.
func (e *NotDueError) Error() string {
	return fmt.Sprintf("%d deadlines have not passed", len(e.Deadlines))
}

// Deadline names the deadline of a record.
type Deadline struct {
	Table Table
	Key   string
}

// Lookup names a record.
type Lookup struct {
	Table Table
	Key   []byte
}

// Renewal restarts the term of a record's deadline, or sets one. A renewal of a
// record that does not exist after the batch's entries is ignored.
type Renewal struct {
	Deadline
	Term time.Duration
}

// Fence is a lock as one holder has it. Every holder's token is greater than
// those before it.
type Fence struct {
	Name  string
	Token uint64
}

// Batch is a group of entries and renewals that one host commits at once.
type Batch struct {
	// After is the tip that the batch was planned on: it is committed only if
	// that is the journal's.
	After Tip
	// Commit names the batch.
	Commit CommitID
	// Entries may be empty: then the batch only compares the tip and renews deadlines.
	Entries []Entry
	// Renewals are deadlines that restart. They move no position.
	Renewals []Renewal
	// Expired are the deadlines that must have passed, by the store's time.
	Expired []Deadline
	// Fence is the lock that must still be held; nil for none.
	Fence *Fence
	// Resumed is the RestartedError.Run of the restart that the host knows of, and after
	// which it has moved rev and seq ahead of entries that may be lost; empty for none.
	// A server that restarted again since refuses the batch with ErrRestarted.
	Resumed string
}

// MaxKeyLen is the greatest length of a record's key in bytes.
const MaxKeyLen = 4096

// CheckBatch returns why a journal whose last entry is head refuses the entries: a
// position that does not follow, a rev or seq that decreases, a record without a
// known table or a key. A backend calls it before it writes anything.
func CheckBatch(head Place, entries []Entry) error {
	for i := range entries {
		e := &entries[i]
		m := e.Place()
		if m.Position != head.Position+1 {
			return fmt.Errorf("the entry of position %d cannot follow position %d", m.Position, head.Position)
		}
		if m.Seq < head.Seq || m.Seq-head.Seq < m.Events {
			return fmt.Errorf("entry %d of %d events ends at seq %d, but the entry before it at %d", m.Position, m.Events, m.Seq, head.Seq)
		}
		if m.Rev < head.Rev || m.MapChanged && m.Rev == head.Rev {
			return fmt.Errorf("entry %d has rev %d, but the entry before it has %d", m.Position, m.Rev, head.Rev)
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
			return fmt.Errorf("entry %d has a record of table %q whose key is %d bytes; must be 1 to %d", e.Position, r.Table, n, MaxKeyLen)
		}
		if !r.Table.Known() {
			return fmt.Errorf("entry %d has a record of an unknown table %q", e.Position, r.Table)
		}
	}
	return nil
}

// CheckState returns why a journal refuses the checkpoint s: it is past the head, or
// older than the last of those that are stored, which are oldest first.
func CheckState(head Position, stored []Mark, s *State) error {
	if s.Position > head {
		return fmt.Errorf("a checkpoint of position %d is past the head, which is %d", s.Position, head)
	}
	if len(stored) == 0 {
		return nil
	}
	newest := stored[len(stored)-1]
	if s.Position < newest.Position || s.Rev < newest.Rev {
		return fmt.Errorf("a checkpoint of position %d and rev %d is older than the last one, of position %d and rev %d",
			s.Position, s.Rev, newest.Position, newest.Rev)
	}
	return nil
}
