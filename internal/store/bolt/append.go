package bolt

import (
	"context"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/playctl/playctl/internal/store"
)

// logFill is the fill ratio of the log's pages. Its keys only grow, so no page
// needs room for a key in its middle.
const logFill = 1.0

// Append implements store.OneHostLog: it writes to the write-ahead log, or into the
// database if the log has no room.
func (j *Journal) Append(ctx context.Context, after store.Position, entries []store.Entry) error {
	j.appending.Lock()
	defer j.appending.Unlock()
	at, err := j.end(ctx)
	if err != nil {
		return err
	}
	if err := refuse(at, after, entries); err != nil {
		return err
	}
	logged, err := j.log(ctx, entries)
	if err != nil || logged {
		return err
	}
	if err := j.flush(ctx); err != nil {
		return err
	}
	return j.extend(ctx, copied(entries), func(at store.Place) error { return refuse(at, after, entries) })
}

// end returns the place of the last entry.
func (j *Journal) end(ctx context.Context) (store.Place, error) {
	if err := j.ready(ctx); err != nil {
		return store.Place{}, err
	}
	if at, waits := j.pending.last(); waits {
		return at, nil
	}
	var at store.Place
	err := j.view(ctx, func(tx *bbolt.Tx) (err error) {
		_, at, err = logEnd(tx)
		return err
	})
	return at, err
}

// extend writes entries into the database, after its last entry, unless check
// returns an error.
func (j *Journal) extend(ctx context.Context, entries []waiting, check func(at store.Place) error) error {
	return j.update(ctx, func(tx *bbolt.Tx) error {
		log, at, err := logEnd(tx)
		if err != nil {
			return err
		}
		if err := check(at); err != nil {
			return refusal{err}
		}
		return write(tx, log, entries)
	})
}

func refuse(at store.Place, after store.Position, entries []store.Entry) error {
	if at.Position != after {
		return fmt.Errorf("%w: its head is %d, not %d", store.ErrConflict, at.Position, after)
	}
	return store.CheckBatch(at, entries)
}

func write(tx *bbolt.Tx, log *bbolt.Bucket, entries []waiting) error {
	log.FillPercent = logFill
	for i := range entries {
		if err := log.Put(number(uint64(entries[i].Position)), entries[i].stored); err != nil {
			return err
		}
		for k := range entries[i].records {
			if err := writeRecord(tx, &entries[i].records[k]); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeRecord(tx *bbolt.Tx, r *store.Record) error {
	if r.Clears() {
		return clearTable(tx, r.Table)
	}
	table, err := bucket(tx, tableBucket(r.Table))
	if err != nil {
		return err
	}
	if r.Value == nil {
		err = table.Delete(r.Key)
	} else {
		err = table.Put(r.Key, r.Value)
	}
	if err != nil {
		return fmt.Errorf("table %s: %w", r.Table, err)
	}
	return nil
}

func clearTable(tx *bbolt.Tx, table store.Table) error {
	name := tableBucket(table)
	err := tx.DeleteBucket(name)
	if err == nil {
		_, err = tx.CreateBucket(name)
	}
	if err != nil {
		return fmt.Errorf("clear table %s: %w", table, err)
	}
	return nil
}

// Head implements store.Journal.
func (j *Journal) Head(ctx context.Context) (store.Position, error) {
	at, err := j.end(ctx)
	return at.Position, err
}
