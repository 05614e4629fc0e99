package backup

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
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

// writeTables writes every record and returns their number.
func writeTables(ctx context.Context, j store.Source, out *writer) (count uint64, err error) {
	var records []store.Record
	held := 0
	flush := func() error {
		count += uint64(len(records))
		encoded := store.AppendEntry(nil, &store.Entry{Records: records})
		records, held = records[:0], 0
		return out.frame(frameRecords, encoded)
	}
	for r, err := range store.Records(ctx, j) {
		if err != nil {
			return 0, err
		}
		records = append(records, r)
		if held += len(r.Key) + len(r.Value); held >= recordsFrame {
			if err := flush(); err != nil {
				return 0, err
			}
		}
	}
	if len(records) > 0 {
		err = flush()
	}
	return count, err
}
