package bolt

import (
	"context"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/playctl/playctl/internal/store"
)

// logFill is how full the log's pages are made. Its keys only grow, so no page
// needs room for a key in its middle.
const logFill = 1.0

// maxBuffer is the size in bytes up to which the encoding buffer is kept for the
// next batch.
const maxBuffer = 1 << 20

// Append implements store.OneHostLog.
func (j *Journal) Append(ctx context.Context, after store.Position, entries []store.Entry) error {
	return j.extend(ctx, entries, func(at store.Place) error { return refuse(at, after, entries) })
}

// extend writes entries behind the head, if check has nothing against it.
func (j *Journal) extend(ctx context.Context, entries []store.Entry, check func(at store.Place) error) error {
	j.appending.Lock()
	defer j.appending.Unlock()
	stored := j.encode(entries)
	return j.update(ctx, func(tx *bbolt.Tx) error {
		log, err := bucket(tx, logBucket)
		if err != nil {
			return err
		}
		at, err := head(log)
		if err != nil {
			return err
		}
		if err := check(at); err != nil {
			return refusal{err}
		}
		return write(tx, log, entries, stored)
	})
}

func refuse(at store.Place, after store.Position, entries []store.Entry) error {
	if at.Position != after {
		return fmt.Errorf("%w: its head is %d, not %d", store.ErrConflict, at.Position, after)
	}
	return store.CheckBatch(at, entries)
}

// encode returns the stored forms of the entries, without records. They are parts
// of the journal's buffer, which bbolt reads until the commit.
func (j *Journal) encode(entries []store.Entry) [][]byte {
	buffer := j.buffer[:0]
	stored := make([][]byte, len(entries))
	for i := range entries {
		e := entries[i]
		e.Records = nil
		start := len(buffer)
		buffer = store.AppendEntry(buffer, &e)
		stored[i] = buffer[start:len(buffer):len(buffer)]
	}
	if cap(buffer) > maxBuffer {
		buffer = nil
	}
	j.buffer = buffer
	return stored
}

func write(tx *bbolt.Tx, log *bbolt.Bucket, entries []store.Entry, stored [][]byte) error {
	log.FillPercent = logFill
	for i := range entries {
		if err := log.Put(number(uint64(entries[i].Position)), stored[i]); err != nil {
			return err
		}
		for k := range entries[i].Records {
			if err := writeRecord(tx, &entries[i].Records[k]); err != nil {
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
	if err := tx.DeleteBucket(name); err != nil {
		return fmt.Errorf("clear table %s: %w", table, err)
	}
	if _, err := tx.CreateBucket(name); err != nil {
		return fmt.Errorf("clear table %s: %w", table, err)
	}
	return nil
}

// Head implements store.Journal.
func (j *Journal) Head(ctx context.Context) (store.Position, error) {
	var at store.Place
	err := j.view(ctx, func(tx *bbolt.Tx) error {
		log, err := bucket(tx, logBucket)
		if err != nil {
			return err
		}
		at, err = head(log)
		return err
	})
	return at.Position, err
}
