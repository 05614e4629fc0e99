package backup

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/replay"
)

// Write writes the world of a journal as of its head, and verifies every root on
// the way. No host may append meanwhile: if one does, Write fails with
// store.ErrConflict, and the output is invalid.
func Write(ctx context.Context, j store.Source, rootKey string, w io.Writer) (Info, error) {
	state, err := replay.State(ctx, j, rootKey)
	if err != nil {
		return Info{}, err
	}
	if state.Position == 0 {
		return Info{}, fmt.Errorf("the store holds no world yet, there is nothing to back up")
	}
	info := infoOf(rootKey, &state)
	out := newWriter(w)
	if err := out.head(info); err != nil {
		return Info{}, err
	}
	if err := out.frame(frameState, store.AppendState(nil, &state)); err != nil {
		return Info{}, err
	}
	if info.Records, err = writeTables(ctx, j, out); err != nil {
		return Info{}, err
	}
	head, err := j.Head(ctx)
	if err != nil {
		return Info{}, fmt.Errorf("reading the head: %w", err)
	}
	if head != state.Position {
		return Info{}, fmt.Errorf("%w: from %d to %d while it was backed up", store.ErrConflict, state.Position, head)
	}
	return info, out.finish()
}

func infoOf(rootKey string, s *store.State) Info {
	return Info{
		RootKey: rootKey, SID: s.Header.SID, Rev: s.Rev, Seq: s.Seq,
		Root: hex.EncodeToString(s.Root[:]), LeafCount: s.LeafCount,
		At: time.UnixMilli(s.At).UTC(), Rows: len(s.Rows),
	}
}

func writeTables(ctx context.Context, j store.Source, out *writer) (count uint64, err error) {
	size := func(r *store.Record) int { return len(r.Key) + len(r.Value) }
	for records, err := range store.Chunks(store.Records(ctx, j), math.MaxInt, recordsFrame, size) {
		if err != nil {
			return 0, err
		}
		if err := out.frame(frameRecords, store.AppendEntry(nil, &store.Entry{Records: records})); err != nil {
			return 0, err
		}
		count += uint64(len(records))
	}
	return count, nil
}
