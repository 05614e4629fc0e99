package bolt

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/playctl/playctl/internal/store"
)

// trimBatch is the number of entries that one commit of trimming removes, so that
// writers wait for milliseconds only.
const trimBatch = 2048

// Checkpoint implements store.Journal. A read finds the superfluous entries while
// writers continue: the result stays valid whatever they append.
func (j *Journal) Checkpoint(ctx context.Context, state store.State) (store.Kept, error) {
	j.checkpointing.Lock()
	defer j.checkpointing.Unlock()
	if err := j.flush(ctx); err != nil {
		return store.Kept{}, err
	}
	encoded := store.AppendState(nil, &state)
	var superfluous store.Trim
	err := j.view(ctx, func(tx *bbolt.Tx) (err error) {
		superfluous, err = j.plan(tx, &state)
		return err
	})
	if err != nil {
		return store.Kept{}, err
	}
	err = j.update(ctx, func(tx *bbolt.Tx) error {
		checkpoints, err := bucket(tx, checkpointsBucket)
		if err != nil {
			return err
		}
		for _, old := range superfluous.Checkpoints {
			if err := checkpoints.Delete(number(uint64(old))); err != nil {
				return err
			}
		}
		if len(superfluous.Entries) > 0 {
			err = tx.Bucket(metaBucket).Delete(keptKey)
		} else {
			err = putKept(tx, superfluous.Kept)
		}
		return errors.Join(err, checkpoints.Put(number(uint64(state.Position)), encoded))
	})
	if err != nil {
		return store.Kept{}, err
	}
	return superfluous.Kept, j.trim(ctx, superfluous)
}

// plan finds the entries and checkpoints that a checkpoint makes superfluous.
func (j *Journal) plan(tx *bbolt.Tx, state *store.State) (store.Trim, error) {
	log, at, err := logEnd(tx)
	if err != nil {
		return store.Trim{}, err
	}
	stored, err := marks(tx)
	if err != nil {
		return store.Trim{}, err
	}
	if err := store.CheckState(at.Position, stored, state); err != nil {
		return store.Trim{}, refusal{err}
	}
	if n := len(stored); n == 0 || stored[n-1].Position != state.Position {
		stored = append(stored, store.Mark{Position: state.Position, Rev: state.Rev})
	}
	return j.options.Retention.Trim(stored, at.Rev, newestFirst(log, 0))
}

// Size implements store.Journal: it adds up the entries since the last checkpoint.
func (j *Journal) Size(ctx context.Context) (weight, limit uint64, err error) {
	weight = j.pending.weight()
	err = j.view(ctx, func(tx *bbolt.Tx) error {
		log, err := bucket(tx, logBucket)
		if err != nil {
			return err
		}
		before, err := kept(tx)
		if err != nil {
			return err
		}
		stored, err := store.Count(newestFirst(log, before.UpTo))
		weight += before.Bytes + stored.Bytes
		return err
	})
	return weight, j.options.Retention.Bytes, err
}

// newestFirst yields the places of the entries after a position.
func newestFirst(log *bbolt.Bucket, after store.Position) iter.Seq2[store.Place, error] {
	return func(yield func(store.Place, error) bool) {
		cursor := log.Cursor()
		for key, value := cursor.Last(); key != nil; key, value = cursor.Prev() {
			p, err := place(key, value)
			if err == nil && p.Position <= after || !yield(p, err) || err != nil {
				return
			}
		}
	}
}

// trim removes entries, oldest first. Each commit records which events are gone;
// the last one also records the size of the rest.
func (j *Journal) trim(ctx context.Context, t store.Trim) error {
	left := len(t.Entries)
	for batch := range slices.Chunk(t.Entries, trimBatch) {
		left -= len(batch)
		err := j.update(ctx, func(tx *bbolt.Tx) error {
			before, err := trimmed(tx)
			if err != nil {
				return err
			}
			log, err := bucket(tx, logBucket)
			if err != nil {
				return err
			}
			log.FillPercent = logFill
			for _, p := range batch {
				if err := log.Delete(number(uint64(p.Position))); err != nil {
					return err
				}
			}
			if left == 0 {
				if err := putKept(tx, t.Kept); err != nil {
					return err
				}
			}
			return putMeta(tx, trimmedKey, number(store.LastTrimmed(before, batch)))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Load implements store.Journal.
func (j *Journal) Load(ctx context.Context) (store.State, error) {
	at, err := j.end(ctx)
	if err != nil {
		return store.State{}, err
	}
	var encoded []byte
	err = j.view(ctx, func(tx *bbolt.Tx) error {
		stored, err := marks(tx)
		if err != nil || len(stored) == 0 {
			return err
		}
		base := stored[j.options.Retention.Base(stored, at.Rev)]
		encoded = bytes.Clone(tx.Bucket(checkpointsBucket).Get(number(uint64(base.Position))))
		return nil
	})
	if err != nil || encoded == nil {
		return store.State{}, err
	}
	state, err := store.DecodeState(encoded)
	if err != nil {
		return store.State{}, j.explain("reading the checkpoint of", err)
	}
	return state, nil
}
