package world

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// Space reads a space with what the map does not show of it. Its errors are
// space_unknown and store_unavailable.
func (w *World) Space(ctx context.Context, id string) (*Space, error) {
	b, err := w.get(ctx, store.Spaces, []byte(id))
	if err != nil {
		return nil, unreadable(err)
	}
	if b == nil {
		return nil, protocol.Errorf(protocol.CodeSpaceUnknown, "there is no space with this id")
	}
	s := new(Space)
	if err := json.Unmarshal(b, s); err != nil {
		return nil, unreadable(fmt.Errorf("space record %q: %w: %w", id, store.ErrCorrupt, err))
	}
	return s, nil
}

// SpaceLog reads what happened to a space, oldest first, each entry as the JSON
// of a protocol.SpaceLogEntry. It is not nil.
func (w *World) SpaceLog(ctx context.Context, id string) ([][]byte, error) {
	ctx, cancel := w.bounded(ctx)
	defer cancel()
	entries := [][]byte{}
	for pair, err := range w.options.Journal.Scan(ctx, spaceLog.byPlayer, store.Range{Prefix: historyPrefix(id)}) {
		if err != nil {
			return nil, unreadable(err)
		}
		entries = append(entries, pair.Value)
	}
	return entries, nil
}
