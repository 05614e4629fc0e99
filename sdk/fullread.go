package sdk

import (
	"fmt"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/protocol"
)

// readAll reads the whole world. What fails is reported and read again after a
// while.
func (f *follower) readAll() {
	f.settle.stop()
	snapshot, stated, err := f.snapshot()
	if err != nil {
		if f.ctx.Err() == nil {
			f.sub.report(fmt.Errorf("the whole world could not be read: %w", err))
			f.later()
		}
		if protocol.HasCode(err, protocol.CodeBehind) {
			f.atLeast = 0 // a rev that never comes must not keep the copy from healing
		}
		return
	}
	mismatch := f.copy.replace(snapshot, stated)
	f.fresh = true
	f.sub.count(func(s *Stats) {
		s.FullReads++
		if mismatch == nil && f.healing {
			s.Heals++
		}
		if f.copy.known == Verified {
			s.Verifications++
		}
	})
	f.show(nil)
	if mismatch != nil {
		f.healing = true
		f.sub.report(fmt.Errorf("%w: %w", ErrUnmended, mismatch))
		f.later()
		return
	}
	f.mended = f.healing
	f.unread, f.healing, f.atLeast = false, false, 0
	if !f.mended {
		f.failures = 0
	}
}

// snapshot reads a snapshot that is behind nothing that is known.
func (f *follower) snapshot() (*chain.Snapshot, chain.Stated, error) {
	text, _, err := f.client.WorldSnapshotFrom(f.ctx, f.atLeast)
	if err != nil {
		return nil, chain.Stated{}, err
	}
	s, stated, err := chain.ParseSnapshot(text)
	if err != nil {
		return nil, stated, err
	}
	if seq := s.Head().Seq; seq != nil && f.cursor != nil && *seq < *f.cursor {
		return nil, stated, fmt.Errorf("the snapshot is of event %d, the stream is at %d", *seq, *f.cursor)
	}
	if f.client.Service() != protocol.ServicePlay {
		s, err = f.withGenesis(s)
	}
	return s, stated, err
}

// withGenesis gives a snapshot of the older service the genesis text that its
// host has; the snapshot itself names something else.
func (f *follower) withGenesis(s *chain.Snapshot) (*chain.Snapshot, error) {
	reply, err := f.client.ChainNode(f.ctx, chain.GenesisStableKey, client.At{})
	if err != nil {
		return nil, fmt.Errorf("read the genesis node: %w", err)
	}
	if err := chain.AnswersFor(reply.Node, chain.GenesisStableKey); err != nil {
		return nil, err
	}
	return s.WithGenesis(reply.Node.Text), nil
}
