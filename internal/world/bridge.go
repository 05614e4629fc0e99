package world

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// KeepBridge keeps how far a remote bridge has been told of the events. It is
// for the process itself and no caller's.
type KeepBridge struct {
	// Name is the bridge's key in the store.
	Name string
	// At is the place after the last event that it was told of.
	At Cursor
	// Fence is the lock that says whose host tells the bridge; nil where only
	// one host does.
	Fence *store.Fence
}

func (c KeepBridge) plan(p *planner) (any, error) {
	if p.round != nil && c.Fence != nil {
		if p.round.fenced {
			return nil, protocol.WrapError(protocol.CodeInternal, store.ErrFenced, "another host tells the bridge now")
		}
		p.fence = c.Fence
	}
	return struct{}{}, p.put(store.BridgePositions, c.Name, c.At)
}

// BridgeCursor is the place that KeepBridge kept last; known is false where
// there is none.
func (w *World) BridgeCursor(ctx context.Context, name string) (at Cursor, known bool, err error) {
	value, err := w.options.Journal.Get(ctx, store.BridgePositions, []byte(name))
	if err != nil {
		return Cursor{}, false, unavailable(err)
	}
	if value == nil {
		return Cursor{}, false, nil
	}
	if err := json.Unmarshal(value, &at); err != nil {
		return Cursor{}, false, fmt.Errorf("record %s/%s: %w: %w", store.BridgePositions, name, store.ErrCorrupt, err)
	}
	return at, true, nil
}
