package sdk

import (
	"errors"
	"fmt"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/protocol"
)

// saw handles a finding of the witness and reports whether there is one: the host
// contradicts what it stated before, so nothing that it stated then still holds.
func (f *follower) saw(finding error) bool {
	if finding == nil {
		return false
	}
	f.atLeast = 0
	f.count(func(s *Stats) { s.Rollbacks++ })
	f.report(finding)
	return true
}

// lost ends a connection; err is nil where the host ended it cleanly.
func (f *follower) lost(err error) {
	f.headers.stop()
	f.readable = false
	f.publish(func(s *State) { s.Connected = false })
	if backwards, is := errors.AsType[*client.BackwardsError](err); is {
		if f.saw(f.witness.Position(backwards.Seq)) {
			return
		}
	}
	if err != nil {
		f.report(err)
	}
}

// sawState compares the rev and the root that an event states with those that were
// verified. After a repair, events that do not agree with the host's own snapshot are
// reported as ErrUnmended instead.
func (f *follower) sawState(seq *uint64, state *chain.EventState) {
	if f.repaired || !f.saw(f.witness.Event(seq, state)) {
		return
	}
	if f.copy.Need(state) == chain.NeedNothing {
		f.unread = true // no comparison follows that would find it
	}
}

// maxOlderReads is how many consecutive full reads may be behind the known position or
// rev, which takes 4 to 8 s: the host may not have received them from another host yet. One
// more means that it went back.
const maxOlderReads = 4

// checkAge returns an error for a snapshot that is behind the known position, or behind
// the known rev while the host may still have a newer one.
func (f *follower) checkAge(s *chain.Snapshot) error {
	rev, seq, newest := s.Head().Rev, s.Head().Seq, f.witness.Rev(s.SID())
	switch {
	case seq != nil && f.cursor != nil && *seq < *f.cursor:
		f.newer(&newest)
		if f.older++; f.older == maxOlderReads+1 {
			f.saw(f.witness.Position(*seq))
		}
		return fmt.Errorf("the snapshot is of event %d, the stream is at %d", *seq, *f.cursor)
	case rev != nil && *rev < newest && f.older < maxOlderReads:
		f.older++
		f.newer(&newest)
		return fmt.Errorf("the snapshot is of rev %d, the events are at %d", *rev, newest)
	}
	return nil
}

// recheck asks for the root of a rev that the copy had when it was verified, after an event
// did not match: if the host states another root for it now, not the copy is wrong, but
// the host went back and continued from there.
func (f *follower) recheck(rev uint64) {
	if !f.client.Has(protocol.CapChainAtRev) || !f.client.Has(protocol.CapChainNodes) {
		return
	}
	reply, err := f.client.ChainNodes(f.ctx, []string{chain.HeaderStableKey}, client.At{Rev: rev, Set: true})
	if err != nil || reply.Rev == nil || *reply.Rev != rev {
		return // the full read that is due reports what is wrong
	}
	f.saw(f.witness.Root(reply.Rev, reply.MerkleRootHex, reply.MerkleLeafCount))
}
