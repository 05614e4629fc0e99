package chain

import (
	"fmt"

	"github.com/playctl/playctl/protocol"
)

// Verification is the state of knowledge about a copy of the world.
type Verification int

// The states of knowledge about a copy.
const (
	// Unread: there is no copy yet.
	Unread Verification = iota
	// Verified: root and leaf count were rebuilt from the copy and equal those that
	// the host stated for this rev.
	Verified
	// CatchingUp: some rows are newer than the last event; the copy can be verified
	// when the events have reached that rev.
	CatchingUp
	// Mismatched: the copy differs from the host's. One full read repairs it.
	Mismatched
	// Unverifiable: the host states no root, or verifying is turned off.
	Unverifiable
)

// String returns the verification's name for people.
func (v Verification) String() string {
	names := [...]string{"unread", "verified", "catching up", "mismatched", "unverifiable"}
	if v < 0 || int(v) >= len(names) {
		return fmt.Sprintf("Verification(%d)", int(v))
	}
	return names[v]
}

// Copy is a copy of the world that is verified as it is updated: the subscriber of
// the protocol reference's section "A live, verified copy" without streams,
// requests and time, which its owner provides. The owner
//  1. reads a snapshot and passes it to [Copy.Replace];
//  2. asks [Copy.Need] about each event, in order;
//  3. gets the rows of an event that changed some, from the event itself or
//     from the host, and passes them to [Copy.Merge], or compares with
//     [Copy.Compare] if nothing changed. [Copy.Apply] does all of that for
//     events with inline nodes;
//  4. reads a snapshot again after a [Mismatch], and if an [Unsettled] copy
//     stays so.
//
// The zero value is an empty copy that verifies. Assigning a Copy duplicates it:
// its content never changes. It is not safe for concurrent use; the Snapshots that
// it returns are.
type Copy struct {
	// Trusting turns verifying off: the copy is merged and never compared.
	Trusting bool

	snapshot *Snapshot
	known    Verification
	// ahead is the highest rev of any row or snapshot merged so far.
	ahead uint64
	// loose says that rows of unknown rev were merged since the copy was last known to
	// be right: a different root may then be temporary.
	loose bool
}

// Snapshot returns the present state of the copy, nil before the first Replace.
func (c *Copy) Snapshot() *Snapshot { return c.snapshot }

// Verification returns what is known about the copy.
func (c *Copy) Verification() Verification { return c.known }

// Rev returns the rev of the copy; known is false before the first Replace and if
// the host states no revs.
func (c *Copy) Rev() (rev uint64, known bool) {
	if c.snapshot == nil || c.snapshot.head.Rev == nil {
		return 0, false
	}
	return *c.snapshot.head.Rev, true
}

// Need says what the owner of a copy has to do for an event.
type Need int

// The needs of an event.
const (
	// NeedNothing: the copy is at or beyond the event.
	NeedNothing Need = iota
	// NeedCompare: the event changed no row; its root is that of the copy. See
	// Copy.Compare.
	NeedCompare
	// NeedMerge: the event changed rows. See Copy.Merge.
	NeedMerge
)

// Need returns what an event needs. Without revs every event is new.
func (c *Copy) Need(e *EventState) Need {
	have, known := c.Rev()
	switch both := known && e.Rev != nil; {
	case both && *e.Rev < have, both && *e.Rev == have && e.Notify != nil:
		return NeedNothing
	case e.Notify == nil:
		return NeedCompare
	}
	return NeedMerge
}

// Replace replaces the copy by a full read. The error is a *MismatchError if the
// snapshot's rows do not have the root and count that the host stated for them; the
// copy is then Mismatched.
func (c *Copy) Replace(s *Snapshot, stated Stated) error {
	c.snapshot, c.ahead, c.loose = s, 0, false
	if rev := s.head.Rev; rev != nil {
		c.ahead = *rev
	}
	if c.Trusting || stated.MerkleRootHex == "" {
		c.known = Unverifiable
		return nil
	}
	if err := s.Verify(stated.MerkleRootHex, stated.MerkleLeafCount); err != nil {
		c.known = Mismatched
		return err
	}
	c.known = Verified
	return nil
}

// Comparison is the result of comparing a copy with an event.
type Comparison int

// The results of a comparison.
const (
	// NotCompared: there was nothing to compare, or it was too early.
	NotCompared Comparison = iota
	// Equal: root and leaf count are those of the event.
	Equal
	// Unsettled: they differ, and rows of unknown rev were merged. It is a
	// mismatch if they still differ 2 s after the last event: see Copy.GiveUp.
	Unsettled
	// Mismatch: they differ.
	Mismatch
)

// Merge merges the rows of an event for which Need returned NeedMerge, in the order
// given, and compares. seq is the event's id, nil if it has none; nodesRev is the
// highest rev of the rows, nil if the host stated none.
//
// The error is a *MismatchError with Unsettled and Mismatch. Any other error, with
// NotCompared, means that a row cannot be read, that it has another key than its
// node, or that there is no copy; then nothing was merged.
func (c *Copy) Merge(e *EventState, seq *uint64, nodes []protocol.ChainNode, nodesRev *uint64) (Comparison, error) {
	if c.snapshot == nil {
		return NotCompared, errNoCopy
	}
	next, err := c.snapshot.merge(nodes, true)
	if err != nil {
		return NotCompared, err
	}
	c.move(next, e, seq)
	if nodesRev == nil {
		c.loose = true
	} else {
		c.ahead = max(c.ahead, *nodesRev)
	}
	if e.MerkleRootHex == "" {
		c.known = Unverifiable
	}
	return c.compare(e)
}

// Compare compares the copy with an event that changed no row. seq and the error
// are those of Merge.
func (c *Copy) Compare(e *EventState, seq *uint64) (Comparison, error) {
	if c.snapshot == nil {
		return NotCompared, errNoCopy
	}
	c.move(c.snapshot, e, seq)
	return c.compare(e)
}

// Apply does what Need returns, with the inline nodes of the event. An event that
// the copy already includes changes nothing. It fails as Merge does, and with
// ErrNode if the inline nodes are not those of the event's notify.
func (c *Copy) Apply(e *EventState, seq *uint64) (Comparison, error) {
	switch c.Need(e) {
	case NeedCompare:
		return c.Compare(e, seq)
	case NeedMerge:
		if err := e.CheckInline(); err != nil {
			return NotCompared, err
		}
		return c.Merge(e, seq, e.Inline, e.Rev)
	}
	return NotCompared, nil
}

// GiveUp ends the time in which an Unsettled copy could become equal: a copy that
// still differs is Mismatched.
func (c *Copy) GiveUp() { c.known = Mismatched }

// move sets the copy's position in the world's history to an event's.
func (c *Copy) move(s *Snapshot, e *EventState, seq *uint64) {
	head := c.snapshot.head
	if e.Rev != nil {
		head.Rev = e.Rev
	}
	if seq != nil {
		head.Seq = seq
	}
	c.snapshot = s.At(head.Rev, head.Seq)
}

// compare compares the copy with the root and leaf count of the event.
func (c *Copy) compare(e *EventState) (Comparison, error) {
	if c.Trusting || e.MerkleRootHex == "" {
		return NotCompared, nil
	}
	exact := e.Rev != nil && !c.loose
	if exact && *e.Rev < c.ahead {
		c.known = CatchingUp
		return NotCompared, nil
	}
	err := c.snapshot.Verify(e.MerkleRootHex, e.MerkleLeafCount)
	switch {
	case err == nil:
		c.known, c.loose = Verified, false
		return Equal, nil
	case exact:
		c.known = Mismatched
		return Mismatch, err
	default:
		c.known = CatchingUp
		return Unsettled, err
	}
}
