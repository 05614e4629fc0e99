package sdk

import (
	"context"
	"fmt"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/protocol"
)

// readAll reads the whole world. A failure is reported and retried after a while.
func (f *follower) readAll() {
	f.settle.stop()
	snapshot, stated, err := f.snapshot()
	if err != nil {
		if f.ctx.Err() == nil {
			f.report(fmt.Errorf("the whole world could not be read: %w", err))
			f.later()
		}
		if protocol.HasCode(err, protocol.CodeBehind) {
			f.atLeast = 0 // a rev that never comes must not prevent the repair of the copy
			f.older++
		}
		return
	}
	f.older = 0
	f.saw(f.witness.Whole(snapshot, stated))
	mismatch := f.copy.Replace(snapshot, stated)
	if f.copy.Verification() == Verified {
		f.witness.Verified(f.copy.Snapshot())
	}
	f.fresh = true
	f.count(func(s *Stats) {
		s.FullReads++
		if mismatch == nil && f.repairing {
			s.Heals++
		}
		if f.copy.Verification() == Verified {
			s.Verifications++
		}
	})
	f.show(nil)
	if mismatch != nil {
		f.repairing = true
		f.report(fmt.Errorf("%w: %w", ErrUnmended, mismatch))
		f.later()
		return
	}
	f.repaired = f.repairing
	f.unread, f.repairing, f.atLeast = false, false, 0
	if !f.repaired {
		f.failures = 0
	}
}

// snapshot reads a snapshot that is not behind the known position and rev.
func (f *follower) snapshot() (*chain.Snapshot, chain.Stated, error) {
	text, _, err := f.client.WorldSnapshotFrom(f.ctx, f.atLeast)
	if err != nil {
		return nil, chain.Stated{}, err
	}
	s, stated, err := chain.ParseSnapshot(text)
	if err != nil {
		return nil, stated, err
	}
	if err := f.checkAge(s); err != nil {
		return nil, stated, err
	}
	s, err = f.client.WithGenesis(f.ctx, s)
	return s, stated, err
}

// maxFetch is how many rows of one event are fetched; from there a full read is
// cheaper.
const maxFetch = 4 * protocol.MaxStableKeys

// fetched are the rows of one event.
type fetched struct {
	nodes []protocol.ChainNode
	// rev is the highest rev of the rows; nil if that of any row is unknown.
	rev *uint64
}

// rowsOf returns the rows that an event changed: those within the event, or from
// one batch read, or read one by one.
func rowsOf(ctx context.Context, c *client.Client, e *chain.EventState) (fetched, error) {
	if e.Inline != nil {
		return fetched{e.Inline, e.Rev}, e.CheckInline()
	}
	if n := len(e.Notify.Nodes); n > maxFetch {
		return fetched{}, fmt.Errorf("%w: an event changes %d rows", chain.ErrTooMany, n)
	}
	at := client.At{}
	if e.Rev != nil {
		at = client.At{Rev: *e.Rev, Set: c.Has(protocol.CapChainAtRev)}
	}
	refs := chain.SortNodeRefsForSerializedFetch(e.Notify.Nodes)
	for _, ref := range refs {
		if _, err := chain.NodeKind(ref.StableKey); err != nil {
			return fetched{}, err
		}
	}
	if c.Has(protocol.CapChainNodes) {
		return fetchBatches(ctx, c, refs, at)
	}
	return fetchEach(ctx, c, refs, at)
}

// fetchBatches reads the rows in as few reads as they need, mostly one.
func fetchBatches(ctx context.Context, c *client.Client, refs []protocol.NodeRef, at client.At) (fetched, error) {
	var all fetched
	for len(refs) > 0 {
		batch := refs[:min(len(refs), protocol.MaxStableKeys)]
		refs = refs[len(batch):]
		keys := make([]string, len(batch))
		for i := range batch {
			keys[i] = batch[i].StableKey
		}
		reply, err := c.ChainNodes(ctx, keys, at)
		if err != nil {
			return fetched{}, err
		}
		if len(reply.Nodes) != len(keys) {
			return fetched{}, fmt.Errorf("%w: %d nodes answer for %d keys", chain.ErrNode, len(reply.Nodes), len(keys))
		}
		for i, node := range reply.Nodes {
			if err := all.add(node, keys[i], reply.Rev); err != nil {
				return fetched{}, err
			}
		}
	}
	return all, nil
}

// fetchEach reads the rows one by one, in the order of refs.
func fetchEach(ctx context.Context, c *client.Client, refs []protocol.NodeRef, at client.At) (fetched, error) {
	var all fetched
	for _, ref := range refs {
		reply, err := c.ChainNode(ctx, ref.StableKey, at)
		if err != nil {
			return fetched{}, err
		}
		if err := all.add(reply.Node, ref.StableKey, reply.Rev); err != nil {
			return fetched{}, err
		}
	}
	return all, nil
}

// add adds the row of a key.
func (f *fetched) add(node protocol.ChainNode, key string, rev *uint64) error {
	if err := chain.AnswersFor(node, key); err != nil {
		return err
	}
	first := len(f.nodes) == 0
	f.nodes = append(f.nodes, node)
	switch {
	case rev == nil:
		f.rev = nil
	case first, f.rev != nil && *f.rev < *rev:
		f.rev = rev
	}
	return nil
}
