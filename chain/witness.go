package chain

import "fmt"

// maxVerifiedRevs is how many roots a Witness remembers: as many revs as a host keeps
// readable (protocol reference, `atRev`).
const maxVerifiedRevs = 1024

// WentBackError says that a host contradicts what it stated before in the same session:
// its world went back to an earlier state. A host never does that by itself, even when it
// restarts, is restored from a backup, or loses events; an older copy of its store that
// was put in place does.
type WentBackError struct {
	// What is the number that went back: "event" or "rev".
	What string
	// From is the highest one before, To the one that the host states now. They are equal
	// if it states another root for a rev than the one that was verified.
	From, To uint64
}

// Error implements error.
func (e *WentBackError) Error() string {
	if e.From == e.To {
		return fmt.Sprintf("the host states another root for rev %d than before, in the same session", e.To)
	}
	return fmt.Sprintf("the host went back from %s %d to %d in the same session", e.What, e.From, e.To)
}

// Witness remembers what a host stated about its world, and finds statements that
// contradict each other: "rev and seq never go back" (protocol reference, "Words"). It
// finds a world that went back even if what the host states now verifies.
//
// The zero value has seen nothing. It is not safe for concurrent use.
type Witness struct {
	sid    string
	seq    uint64
	hasSeq bool
	// revs are the roots of the last verified revs, by ascending rev.
	revs []verifiedRoot
	// revSeq is a position at which the newest of them was reached; nil if unknown.
	revSeq *uint64
}

// verifiedRoot is the root and the leaf count of a rev.
type verifiedRoot struct {
	rev   uint64
	root  string // as hosts state it: comparing costs nothing at each event
	count int
}

// Session sets the session of the following statements. Those of another session are
// forgotten: a new one may begin anywhere.
func (w *Witness) Session(sid string) {
	if w.sid != "" && w.sid != sid {
		*w = Witness{}
	}
	w.sid = sid
}

// Rev returns the highest verified rev of a session, 0 for none.
func (w *Witness) Rev(sid string) uint64 {
	if len(w.revs) == 0 || w.sid != sid {
		return 0
	}
	return w.revs[len(w.revs)-1].rev
}

// Position takes a position at which the events continue, or the id of an event. If it is
// below an earlier one, Position returns a *WentBackError, and everything before it is
// forgotten.
func (w *Witness) Position(seq uint64) error {
	if w.hasSeq && seq < w.seq {
		err := &WentBackError{What: "event", From: w.seq, To: seq}
		*w = Witness{sid: w.sid, seq: seq, hasSeq: true}
		return err
	}
	w.seq, w.hasSeq = seq, true
	return nil
}

// Event takes what an event states: its id, nil if it has none, and its rev with root and
// leaf count. A later event has no lower rev than an earlier one: if it has, or if Root
// finds a contradiction, Event returns a *WentBackError. Position takes the id before.
func (w *Witness) Event(seq *uint64, e *EventState) error {
	newest := w.Rev(w.sid)
	if seq != nil && w.revSeq != nil && *seq > *w.revSeq && e.Rev != nil && *e.Rev < newest {
		w.revs = nil
		return &WentBackError{What: "rev", From: newest, To: *e.Rev}
	}
	return w.Root(e.Rev, e.MerkleRootHex, e.MerkleLeafCount)
}

// Root takes the root and leaf count that the host states for a rev. If others were
// verified for it, Root returns a *WentBackError, and the verified ones are forgotten. A
// nil rev or an empty root states nothing.
func (w *Witness) Root(rev *uint64, root string, count int) error {
	if rev == nil || root == "" {
		return nil
	}
	for i := len(w.revs) - 1; i >= 0 && w.revs[i].rev >= *rev; i-- {
		if known := &w.revs[i]; known.rev == *rev && (known.count != count || known.root != root) {
			w.revs = nil
			return &WentBackError{What: "rev", From: *rev, To: *rev}
		}
	}
	return nil
}

// Whole takes what a full read states: its session, and its rev with root and leaf count.
// Unlike an event, it is of the present: a rev below a verified one is a contradiction
// too.
func (w *Witness) Whole(s *Snapshot, stated Stated) error {
	w.Session(s.SID())
	rev, newest := s.Head().Rev, w.Rev(s.SID())
	if rev != nil && *rev < newest {
		w.revs = nil
		return &WentBackError{What: "rev", From: newest, To: *rev}
	}
	return w.Root(rev, stated.MerkleRootHex, stated.MerkleLeafCount)
}

// Verified remembers the rev, root and leaf count of a verified copy. The oldest one is
// forgotten if there are too many.
func (w *Witness) Verified(s *Snapshot) {
	rev := s.Head().Rev
	if rev == nil || *rev <= w.Rev(w.sid) && len(w.revs) > 0 {
		return
	}
	if len(w.revs) >= maxVerifiedRevs {
		w.revs = append(w.revs[:0], w.revs[1:]...)
	}
	w.revs = append(w.revs, verifiedRoot{*rev, s.Root().Hex(), s.LeafCount()})
	w.revSeq = s.Head().Seq
}
