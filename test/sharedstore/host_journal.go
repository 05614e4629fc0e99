package sharedstore

import (
	"context"
	"fmt"
	"iter"

	"github.com/playctl/playctl/internal/store"
)

// Head implements store.Journal.
func (h *Host) Head(ctx context.Context) (store.Position, error) {
	if err := h.usable(ctx); err != nil {
		return 0, err
	}
	return h.server.current().Head(ctx)
}

// Read implements store.Journal.
func (h *Host) Read(ctx context.Context, after store.Position) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		if err := h.usable(ctx); err != nil {
			yield(store.Entry{}, err)
			return
		}
		entries, err := h.server.read(ctx, after)
		for _, e := range entries {
			if err := h.usable(ctx); err != nil {
				yield(store.Entry{}, err)
				return
			}
			e.Records = nil
			if !yield(e, nil) {
				return
			}
		}
		if err != nil {
			yield(store.Entry{}, err)
		}
	}
}

// Seek implements store.Journal.
func (h *Host) Seek(ctx context.Context, seq uint64) (store.Position, error) {
	if err := h.usable(ctx); err != nil {
		return 0, err
	}
	return h.server.current().Seek(ctx, seq)
}

// Snapshot implements store.Journal.
func (h *Host) Snapshot(ctx context.Context) (store.Snapshot, error) {
	if err := h.usable(ctx); err != nil {
		return nil, err
	}
	return h.server.current().Snapshot(ctx)
}

// Checkpoint implements store.Journal. A checkpoint older than another host's is an
// ErrConflict; one of a lost branch is refused with ErrDiverged.
func (h *Host) Checkpoint(ctx context.Context, state store.State) (store.Kept, error) {
	if err := h.usable(ctx); err != nil {
		return store.Kept{}, err
	}
	s := h.server
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, kept := s.commits[state.Position]; state.Position > 0 && !kept || c.commit != state.Commit {
		return store.Kept{}, fmt.Errorf("the checkpoint of entry %d: %w", state.Position, store.ErrDiverged)
	}
	if s.newest > state.Position {
		return store.Kept{}, fmt.Errorf("the checkpoint of entry %d: %w", state.Position, store.ErrConflict)
	}
	kept, err := s.journal.Checkpoint(ctx, state)
	if err != nil {
		return store.Kept{}, err
	}
	s.newest = state.Position
	return kept, nil
}

// Size implements store.Journal.
func (h *Host) Size(ctx context.Context) (weight, limit uint64, err error) {
	if err := h.usable(ctx); err != nil {
		return 0, 0, err
	}
	s := h.server
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.journal.Size(ctx)
}

// Load implements store.Journal.
func (h *Host) Load(ctx context.Context) (store.State, error) {
	if err := h.usable(ctx); err != nil {
		return store.State{}, err
	}
	s := h.server
	s.mu.Lock()
	defer s.mu.Unlock()
	state, err := s.journal.Load(ctx)
	if err == nil && state.Position > 0 {
		state.Commit = s.commits[state.Position].commit
	}
	return state, err
}

// Get implements store.Repository.
func (h *Host) Get(ctx context.Context, table store.Table, key []byte) ([]byte, error) {
	if err := h.usable(ctx); err != nil {
		return nil, err
	}
	return h.server.current().Get(ctx, table, key)
}

// GetAll implements store.Repository.
func (h *Host) GetAll(ctx context.Context, records []store.Lookup) ([][]byte, error) {
	if err := h.usable(ctx); err != nil {
		return nil, err
	}
	return h.server.current().GetAll(ctx, records)
}

// Scan implements store.Repository.
func (h *Host) Scan(ctx context.Context, table store.Table, r store.Range) store.Pairs {
	return func(yield func(store.Pair, error) bool) {
		if err := h.usable(ctx); err != nil {
			yield(store.Pair{}, err)
			return
		}
		h.server.current().Scan(ctx, table, r)(yield)
	}
}

// Close implements store.Journal: it closes the handle, not the server.
func (h *Host) Close() error {
	h.closed.Store(true)
	return nil
}
