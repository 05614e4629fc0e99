package backup

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/replay"
	"github.com/playctl/playctl/internal/store/verify"
)

// Write writes the world of a journal as of its head, after it checked all of it: a store
// that verify.Whole refuses is not written. No host may append meanwhile: if one does,
// Write fails with store.ErrConflict, and the output is invalid.
func Write(ctx context.Context, j store.Source, rootKey string, w io.Writer) (Info, error) {
	if err := verify.Whole(ctx, j, rootKey); err != nil {
		return Info{}, err
	}
	return write(ctx, j, rootKey, w, writeAll)
}

// WriteRest writes what can be read of a damaged world, as Write does: without damaged
// records, and without ids of requests, which belong to the past session. The numbers of
// what accounts have are counted again. It fails if the map cannot be read.
func WriteRest(ctx context.Context, j store.Source, rootKey string, w io.Writer) (Info, error) {
	counted, err := replay.CountUsage(ctx, j, rootKey)
	if err != nil {
		return Info{}, err
	}
	return write(ctx, j, rootKey, w, func(r *store.Record, err error) (bool, error) { return writeRest(counted, r, err) })
}

// choose decides whether a record is written, which may be damaged, and may change it.
type choose func(r *store.Record, err error) (bool, error)

func writeAll(_ *store.Record, err error) (bool, error) { return err == nil, err }

func writeRest(counted map[string]replay.Usage, r *store.Record, err error) (bool, error) {
	damaged, isDamaged := errors.AsType[*store.DamagedError](err)
	switch {
	case isDamaged && damaged.Table == store.Usage:
		*r = store.Record{Table: store.Usage, Key: damaged.Key}
	case isDamaged:
		return false, nil
	case err != nil:
		return false, err
	}
	switch r.Table {
	case store.Idempotency, store.IdempotencyTimes, store.IdempotencyCallers, store.Intercom:
		return false, nil
	case store.Usage:
		said, _ := replay.ParseUsage(r.Value)
		is := counted[string(r.Key)]
		is.Spent, is.At = said.Spent, said.At
		r.Value = is.Append(nil)
	}
	return true, nil
}

func write(ctx context.Context, j store.Source, rootKey string, w io.Writer, which choose) (Info, error) {
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
	if info.Records, err = writeTables(ctx, j, out, which); err != nil {
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

// writeTables writes the chosen records and returns their number.
func writeTables(ctx context.Context, j store.Source, out *writer, which choose) (count uint64, err error) {
	var records []store.Record
	held := 0
	flush := func() error {
		count += uint64(len(records))
		encoded := store.AppendEntry(nil, &store.Entry{Records: records})
		records, held = records[:0], 0
		return out.frame(frameRecords, encoded)
	}
	for r, err := range store.Records(ctx, j) {
		wanted, err := which(&r, err)
		if err != nil {
			return 0, err
		}
		if !wanted {
			continue
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
