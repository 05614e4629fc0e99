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
	if err := j.ready(ctx); err != nil {
		return err
	}
	j.wrote.Store(true)
	return j.append(ctx, after, entries)
}

// under is the database of a journal's writer.
type under struct{ j *Journal }

func (u under) end(ctx context.Context) (at store.Place, id logID, err error) {
	err = u.j.view(ctx, func(tx *bbolt.Tx) (err error) {
		if id, err = namedLog(tx, logKey); err == nil {
			_, at, err = logEnd(tx)
		}
		return err
	})
	return at, id, err
}

func (u under) left(ctx context.Context) (id logID, err error) {
	err = u.j.view(ctx, func(tx *bbolt.Tx) (err error) {
		id, err = namedLog(tx, leftLogKey)
		return err
	})
	return id, err
}

func (u under) settle() error {
	// Before the first commit nothing depends on what an earlier process left in doubt.
	if !u.j.doubt.Load() || !u.j.wrote.Load() {
		return nil
	}
	return u.j.settle()
}

func (u under) extend(ctx context.Context, entries []waiting, id *logID) error {
	return u.j.update(ctx, func(tx *bbolt.Tx) error {
		log, at, err := logEnd(tx)
		if err != nil {
			return err
		}
		for len(entries) > 0 && entries[0].Position <= at.Position {
			entries = entries[1:]
		}
		if len(entries) > 0 && entries[0].Position != at.Position+1 {
			return fmt.Errorf("%w: it ends at entry %d, but its log continues with %d", store.ErrCorrupt, at.Position, entries[0].Position)
		}
		if id != nil {
			if err := nameLog(tx, *id); err != nil {
				return err
			}
		}
		return write(tx, log, entries)
	})
}

func (u under) present() error {
	u.j.mu.RLock()
	defer u.j.mu.RUnlock()
	return samePath(u.j.file, u.j.path)
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

// end returns the place of the last entry.
func (j *Journal) end(ctx context.Context) (store.Place, error) {
	if err := j.ready(ctx); err != nil {
		return store.Place{}, err
	}
	at, _, err := j.tail(ctx)
	return at, err
}
