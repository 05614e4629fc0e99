package sdk

import (
	"fmt"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/protocol"
)

// Verification says what is known about a copy of the world.
type Verification int

// What is known about a copy.
const (
	// Unread: there is no copy yet.
	Unread Verification = iota
	// Verified: root and leaf count were rebuilt from the copy and equal what
	// the host stated for this rev.
	Verified
	// CatchingUp: some rows are newer than the last event; whether the copy is
	// right shows when the events have got that far.
	CatchingUp
	// Mismatched: the copy is not the host's. It is being read again.
	Mismatched
	// Unverifiable: the host states no root, or verifying is turned off.
	Unverifiable
)

// String names the verification for people.
func (v Verification) String() string {
	names := [...]string{"unread", "verified", "catching up", "mismatched", "unverifiable"}
	if v < 0 || int(v) >= len(names) {
		return fmt.Sprintf("Verification(%d)", int(v))
	}
	return names[v]
}

// worldCopy is a copy of the world and what is known about it. It is the
// subscriber of the protocol's section 9 without streams, requests and time.
type worldCopy struct {
	snapshot *chain.Snapshot
	known    Verification
	// trusting turns verifying off.
	trusting bool
	// ahead is the highest rev of any row or snapshot merged so far.
	ahead uint64
	// loose says that rows of unknown rev were merged since the copy was last
	// known to be right: unequal roots may then be only a matter of time.
	loose bool
}

// eventUse is what an event means for the copy.
type eventUse int

const (
	// useNothing: the copy has it already.
	useNothing eventUse = iota
	// useCheck: nothing changed; the event's root is that of the copy.
	useCheck
	// useMerge: rows changed.
	useMerge
)

// rev is the last rev that the copy has; known is false where the host gives
// none.
func (c *worldCopy) rev() (rev uint64, known bool) {
	if c.snapshot == nil || c.snapshot.Head().Rev == nil {
		return 0, false
	}
	return *c.snapshot.Head().Rev, true
}

// use decides about an event. Without revs every event is new.
func (c *worldCopy) use(e *chain.EventState) eventUse {
	have, known := c.rev()
	switch old := known && e.Rev != nil; {
	case old && *e.Rev < have, old && *e.Rev == have && e.Notify != nil:
		return useNothing
	case e.Notify == nil:
		return useCheck
	}
	return useMerge
}

// replace takes a full read. The error is a *chain.MismatchError where the
// snapshot's own root or count is not that of its rows.
func (c *worldCopy) replace(s *chain.Snapshot, stated chain.Stated) error {
	c.snapshot, c.ahead, c.loose = s, 0, false
	if rev := s.Head().Rev; rev != nil {
		c.ahead = *rev
	}
	if c.trusting || stated.MerkleRootHex == "" {
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

// finding is what a comparison with an event gave.
type finding int

const (
	// foundNothing: there was nothing to compare, or it was too early.
	foundNothing finding = iota
	// foundEqual: root and count are those of the event.
	foundEqual
	// foundUnsettled: they differ, which is a mismatch only if it stays so.
	foundUnsettled
	// foundMismatch: they differ.
	foundMismatch
)

// merge takes the rows of an event, in the order in which they are to be merged;
// nodesRev is the highest rev that they are of, nil where the host gave none.
// The error is a *chain.MismatchError with a finding, or says with foundNothing
// that a row cannot be read, and then nothing was merged.
func (c *worldCopy) merge(
	e *chain.EventState, seq *uint64, nodes []protocol.ChainNode, nodesRev *uint64,
) (finding, error) {
	next, err := c.snapshot.Merge(nodes...)
	if err != nil {
		return foundNothing, err
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

// check compares the copy with an event that changed nothing.
func (c *worldCopy) check(e *chain.EventState, seq *uint64) (finding, error) {
	c.move(c.snapshot, e, seq)
	return c.compare(e)
}

// move takes the copy to an event's place in the world's history.
func (c *worldCopy) move(s *chain.Snapshot, e *chain.EventState, seq *uint64) {
	head := c.snapshot.Head()
	if e.Rev != nil {
		head.Rev = e.Rev
	}
	if seq != nil {
		head.Seq = seq
	}
	c.snapshot = s.At(head.Rev, head.Seq)
}

// compare finds out whether the copy is what the event says it is.
func (c *worldCopy) compare(e *chain.EventState) (finding, error) {
	if c.trusting || e.MerkleRootHex == "" {
		return foundNothing, nil
	}
	exact := e.Rev != nil && !c.loose
	if exact && *e.Rev < c.ahead {
		c.known = CatchingUp
		return foundNothing, nil
	}
	err := c.snapshot.Verify(e.MerkleRootHex, e.MerkleLeafCount)
	switch {
	case err == nil:
		c.known, c.loose = Verified, false
		return foundEqual, nil
	case exact:
		c.known = Mismatched
		return foundMismatch, err
	default:
		c.known = CatchingUp
		return foundUnsettled, err
	}
}

// settled takes the time that was left for the rest of a change to arrive: a
// copy that still differs is not the host's.
func (c *worldCopy) settled() { c.known = Mismatched }

// checkInline tells whether an event's inline nodes are those of its notify.
func checkInline(e *chain.EventState) error {
	if len(e.Inline) != len(e.Notify.Nodes) {
		return fmt.Errorf("%w: there are %d inline nodes for %d refs", chain.ErrNode, len(e.Inline), len(e.Notify.Nodes))
	}
	for i := range e.Inline {
		if err := chain.AnswersFor(e.Inline[i], e.Notify.Nodes[i].StableKey); err != nil {
			return err
		}
	}
	return nil
}
