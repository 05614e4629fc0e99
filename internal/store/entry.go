package store

import (
	"iter"
	"slices"
	"time"
)

// Position counts the entries of a journal: the first has position 1. It increases
// with every commit, even one without an event, so it is not an event's seq.
type Position uint64

// Entry is the effect of one command, all of it or nothing. Entries are
// effects, not commands, so that every reader of a journal reaches the same
// state whatever its version, clock or randomness.
type Entry struct {
	Position Position
	// Commit is the batch that wrote the entry, and Prev the batch of the entry before
	// it. A store of one host does not keep them.
	Commit CommitID
	Prev   CommitID
	// At is the commit's time in milliseconds since the Unix epoch.
	At int64
	// Rev and Seq are the numbers of the world after this entry. The entry's events
	// have the consecutive seqs that end at Seq.
	Rev uint64
	Seq uint64
	// Root and LeafCount are the player chain's after this entry.
	Root      [32]byte
	LeafCount uint32
	// MapChanged reports whether Rev is this entry's own.
	MapChanged bool
	// Cleared removes every occupant and space before Rows are applied.
	Cleared bool
	// Header is the new header if the sid or the bounds changed, else nil.
	Header *Header
	// Rows are the changed occupants and spaces.
	Rows []Row
	// Notify is the `playerChainNotify` JSON of the first event; empty if it
	// has none.
	Notify []byte
	Events []Event
	// Records are the changes of tables, committed with the rest. A journal keeps
	// them in the tables only: entries that it yields have none, so that a secret
	// or a line that was deleted from a table is gone.
	Records []Record
}

// FirstSeq is the seq of the entry's first event; Seq+1 if it has none.
func (e *Entry) FirstSeq() uint64 { return e.Seq + 1 - uint64(len(e.Events)) }

// Size returns about how many bytes the entry takes in a store, with the parts of its
// records that other hosts get.
func (e *Entry) Size() uint64 {
	const fixed = 64
	size := fixed + len(e.Notify)
	for i := range e.Rows {
		size += len(e.Rows[i].Key) + len(e.Rows[i].JSON)
	}
	for i := range e.Events {
		size += len(e.Events[i].Kind) + len(e.Events[i].Data)
		for _, who := range e.Events[i].Audience {
			size += len(who)
		}
	}
	for i := range e.Records {
		if r := &e.Records[i]; r.Table.Mirror() != MirrorNothing {
			size += len(r.Key)
			if r.Table.Mirror() == MirrorAll {
				size += len(r.Value)
			}
		}
	}
	return uint64(size)
}

// Header is the content of the chain's header leaf.
type Header struct {
	SID                    string
	MinX, MinY, MaxX, MaxY int64
}

// Row is one changed leaf: its canonical JSON, or nil when it was removed.
type Row struct {
	Key  string
	JSON []byte
}

// Event is one event of the stream, without the fields that every event has
// (rev, root, leaf count, notify): those are the entry's.
type Event struct {
	Kind string
	// Data is the JSON object of the event's own fields.
	Data []byte
	// Audience lists who may see the event (node ids, viewer labels); empty
	// means everybody.
	Audience []string
}

// Table names a table of records.
type Table string

// The tables. Keys and values are the world's; a store only orders keys by
// their bytes.
const (
	Nodes              Table = "nodes"
	Leases             Table = "leases"
	Aggregates         Table = "aggregates"
	Idempotency        Table = "idempotency"
	IdempotencyTimes   Table = "idempotency_times"
	IdempotencyCallers Table = "idempotency_callers"
	Interactions       Table = "interactions"
	InteractionOrder   Table = "interaction_order"
	Journeys           Table = "journeys"
	JourneyOrder       Table = "journey_order"
	Spaces             Table = "spaces"
	SpaceLogs          Table = "space_logs"
	Intercom           Table = "intercom"
	Usage              Table = "usage"
	WatchTokens        Table = "watch_tokens"
	Invitations        Table = "invitations"
	BridgePositions    Table = "bridge_positions"
	Meta               Table = "meta"
)

var tables = []Table{
	Nodes, Leases, Aggregates, Idempotency, IdempotencyTimes, IdempotencyCallers, Interactions, InteractionOrder,
	Journeys, JourneyOrder, Spaces, SpaceLogs, Usage, Intercom, WatchTokens, Invitations,
	BridgePositions, Meta,
}

// Tables lists every table, in the order in which a backup writes them.
func Tables() []Table { return slices.Clone(tables) }

// Known reports whether the table is one of Tables.
func (t Table) Known() bool { return slices.Contains(tables, t) }

// Mirroring says which parts of a table's changes other hosts get.
type Mirroring int

// How tables are mirrored.
const (
	// MirrorNothing: the table is read from the store when it is needed.
	MirrorNothing Mirroring = iota
	// MirrorKeys: hosts know which records exist; values are read from the store.
	MirrorKeys
	// MirrorAll: hosts keep the records in memory.
	MirrorAll
)

// Mirror returns which parts of a table's records the entries of EntriesAfter and Follow
// have; for MirrorKeys, values are empty but not nil.
func (t Table) Mirror() Mirroring {
	switch t {
	case Nodes, Leases, Aggregates, Spaces, Usage, Intercom, Invitations:
		return MirrorAll
	case Interactions, Journeys, SpaceLogs, WatchTokens:
		return MirrorKeys
	}
	return MirrorNothing
}

// Mirrored returns the parts of an entry's records that other hosts get, without
// their Terms.
func Mirrored(records []Record) []Record {
	var kept []Record
	for _, r := range records {
		r.Term = 0
		switch r.Table.Mirror() {
		case MirrorNothing:
			continue
		case MirrorKeys:
			if r.Value != nil {
				r.Value = []byte{}
			}
		case MirrorAll:
		}
		kept = append(kept, r)
	}
	return kept
}

// ResetSeqKey is the record of Meta that holds the seq of the event that began
// the session, 8 bytes big-endian: no cursor before it can be resumed. It is
// written with a reset and with a restore.
const ResetSeqKey = "reset_seq"

// Record is one change of a table: a put, or a deletion when Value is nil. An
// empty Key with a nil Value clears the whole table. Records apply in order.
type Record struct {
	Table Table
	Key   []byte
	Value []byte
	// Term gives the record a deadline, by Hosts.Clock, that goes with the record; 0
	// for none.
	Term time.Duration
}

// Clears reports whether the record empties its table.
func (r *Record) Clears() bool { return len(r.Key) == 0 && r.Value == nil }

// State is a checkpoint: the whole map after the entry at Position. Tables are
// not in it; a store keeps them current with every commit.
type State struct {
	Position Position
	// Commit is the batch of that entry, where the store keeps commits.
	Commit    CommitID
	At        int64
	Rev       uint64
	Seq       uint64
	Root      [32]byte
	LeafCount uint32
	Header    Header
	// Rows are all occupants and spaces in chain order.
	Rows []Row
}

// Pair is one record of a Scan.
type Pair struct {
	Key   []byte
	Value []byte
}

// Range selects records of a table.
type Range struct {
	// Prefix is the prefix of every key; empty selects all.
	Prefix []byte
	// From is the least key (inclusive) and Before the bound above (exclusive),
	// in either direction; empty means none.
	From   []byte
	Before []byte
	// Reverse walks from the greatest key to the least.
	Reverse bool
	// KeysOnly omits the values, which are then nil.
	KeysOnly bool
}

// Pairs is a walk over records; the receiver may keep the slices.
type Pairs = iter.Seq2[Pair, error]
