package host

import (
	"context"
	"errors"
	"strconv"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// replay sends what the ring no longer has, up to the log's present end, from
// the journal. What is added meanwhile comes from the ring, or from the next
// replay.
func (s *stream) replay(ctx context.Context) endReason {
	from := s.cursor
	batch := s.events[:0]
	for e, err := range s.host.world.History(ctx, s.cursor, s.host.world.Events().Head()) {
		if errors.Is(err, store.ErrTrimmed) {
			return s.resync(world.ResyncTooOld)
		}
		if err != nil {
			s.host.log.Warn("a stream ends because the journal cannot be read", "after", s.cursor, "error", err)
			return endStore
		}
		if batch = append(batch, e); len(batch) < maxDispatch {
			continue
		}
		if end := s.send(batch); end != "" {
			return end
		}
		if batch = batch[:0]; ctx.Err() != nil {
			return endClient
		}
	}
	if end := s.send(batch); end != "" {
		return end
	}
	if s.cursor == from {
		// The journal has nothing after the cursor and the ring is past it.
		return s.resync(world.ResyncGap)
	}
	return ""
}

// resync tells the client to read everything anew, and goes on live.
func (s *stream) resync(reason string) endReason {
	s.cursor = s.host.world.Events().Head()
	return s.writeAll(s.appendResync(nil, reason))
}

// appendResync is the frame of a resync at the cursor. The view is taken after
// the cursor was, so that a snapshot read now has everything up to it.
func (s *stream) appendResync(b []byte, reason string) []byte {
	v := s.host.world.View()
	data, err := protocol.EncodeEventData(&protocol.SessionResyncData{Reason: reason}, &protocol.EventHead{
		Rev: &v.Rev, MerkleRootHex: v.Tree.Root().String(), MerkleLeafCount: v.Tree.Len(),
	})
	if err != nil {
		// Plain values always marshal.
		panic(err)
	}
	b = append(b, "id: "...)
	b = strconv.AppendUint(b, s.cursor, 10)
	b = append(b, "\nevent: "...)
	b = append(b, protocol.EventSessionResync...)
	b = append(b, "\ndata: "...)
	b = append(b, data...)
	return append(b, "\n\n"...)
}
