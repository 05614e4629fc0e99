package world

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// SaveBridgeCursor saves how far the events were delivered to a remote bridge. It is a
// command of the process itself, not of a caller.
type SaveBridgeCursor struct {
	// Name is the bridge's key in the store.
	Name string
	// At is the position after the last event that was delivered.
	At Cursor
	// Fence is the lock of the host that delivers; nil for none. If another host holds
	// it by now, the command fails with store.ErrFenced.
	Fence *store.Fence
	// First saves the position only if none is saved yet.
	First bool
}

func (c SaveBridgeCursor) plan(p *planner) (any, error) {
	if c.First {
		known, err := p.get(store.BridgePositions, []byte(c.Name))
		if err != nil {
			return nil, err
		}
		if known != nil {
			return struct{}{}, nil
		}
	}
	if c.Fence != nil {
		if p.loop.lostLock {
			return nil, protocol.WrapError(protocol.CodeInternal, store.ErrFenced, "another host delivers to the bridge now")
		}
		p.fence = c.Fence
	}
	return struct{}{}, p.put(store.BridgePositions, c.Name, c.At)
}

// BridgeCursor returns the position that SaveBridgeCursor saved last; known is false if
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

// Lock acquires or renews a lock of the world for a term, by the store's time.
// held is false while another holder has it.
func (w *World) Lock(ctx context.Context, name, holder string, term time.Duration) (fence *store.Fence, held bool, err error) {
	taken, held, err := w.options.Journal.Acquire(ctx, name, holder, term)
	if err != nil {
		return nil, false, unavailable(err)
	}
	return &taken, held, nil
}

// Unlock gives a lock back so that another host need not wait for its term's end.
// A lock that another host holds by now stays. A nil fence does nothing.
func (w *World) Unlock(ctx context.Context, fence *store.Fence) error {
	if fence == nil {
		return nil
	}
	if err := w.options.Journal.Release(ctx, *fence); err != nil {
		return unavailable(err)
	}
	return nil
}
