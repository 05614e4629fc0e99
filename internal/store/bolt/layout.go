package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/playctl/playctl/internal/store"
)

// The file has these buckets:
//
//	meta         format, and sealed: root_key, trimmed, kept, log: the id of the
//	             write-ahead log, left_log: that of the last one that was left
//	log          position -> store.AppendEntry, without records
//	checkpoints  position -> store.AppendState
//	table/<name> the table's records, sealed
//
// Numbers are 8 bytes, big-endian, so that keys are in the order of positions.
var (
	// metaBucket exists in every opened file: inspect refuses a file without it.
	metaBucket        = []byte("meta")
	logBucket         = []byte("log")
	checkpointsBucket = []byte("checkpoints")

	formatKey  = []byte("format")
	rootKeyKey = []byte("root_key")
	// trimmedKey holds the greatest seq of an event that is no longer kept.
	trimmedKey = []byte("trimmed")
	// keptKey holds the state of the log after the last checkpoint: the position of
	// its last entry then, and the bytes of its entries up to there. It is missing
	// while the log is being trimmed.
	keptKey = []byte("kept")
	// logKey holds the id of the write-ahead log, if there is one.
	logKey = []byte("log")
	// leftLogKey holds the id of the last log that was left: the database has everything
	// of it that was acknowledged.
	leftLogKey = []byte("left_log")
)

func tableBucket(table store.Table) []byte { return []byte("table/" + string(table)) }

// buckets lists every bucket of a store.
func buckets() [][]byte {
	all := [][]byte{metaBucket, logBucket, checkpointsBucket}
	for _, table := range store.Tables() {
		all = append(all, tableBucket(table))
	}
	return all
}

// meta returns a sealed value of the meta bucket, nil if it is missing.
func meta(tx *bbolt.Tx, key []byte) ([]byte, error) {
	stored := tx.Bucket(metaBucket).Get(key)
	if stored == nil {
		return nil, nil
	}
	value, err := store.Unseal("", key, stored)
	if err != nil {
		return nil, fmt.Errorf("%w: the checksum of its %s differs", store.ErrCorrupt, key)
	}
	return value, nil
}

func putMeta(tx *bbolt.Tx, key, value []byte) error {
	return tx.Bucket(metaBucket).Put(key, store.AppendSealed(nil, "", key, value))
}

func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func parseNumber(what string, b []byte) (uint64, error) {
	if len(b) != 8 {
		return 0, fmt.Errorf("%w: its %s is %d bytes long, not 8", store.ErrCorrupt, what, len(b))
	}
	return binary.BigEndian.Uint64(b), nil
}

// bucket returns a bucket that every store has.
func bucket(tx *bbolt.Tx, name []byte) (*bbolt.Bucket, error) {
	b := tx.Bucket(name)
	if b == nil {
		return nil, fmt.Errorf("%w: it has no bucket %q", store.ErrCorrupt, name)
	}
	return b, nil
}

// logEnd returns the log and the place of its last entry, the zero Place if it is
// empty.
func logEnd(tx *bbolt.Tx) (*bbolt.Bucket, store.Place, error) {
	log, err := bucket(tx, logBucket)
	if err != nil {
		return nil, store.Place{}, err
	}
	key, value := log.Cursor().Last()
	if key == nil {
		return log, store.Place{}, nil
	}
	at, err := place(key, value)
	return log, at, err
}

// place parses the place of a stored entry, whose key must have the same position.
func place(key, value []byte) (store.Place, error) {
	position, err := parseNumber("position", key)
	if err != nil {
		return store.Place{}, err
	}
	p, err := store.PeekEntry(value)
	if err == nil && p.Position != store.Position(position) {
		err = fmt.Errorf("%w: it says that it is entry %d", store.ErrCorrupt, p.Position)
	}
	if err != nil {
		return store.Place{}, store.DamagedEntry(store.Position(position), err)
	}
	p.Bytes = uint64(len(value))
	return p, nil
}

// isPlace reports whether a stored entry is intact.
func isPlace(key, value []byte) bool {
	_, err := place(key, value)
	return err == nil
}

// namedLog returns the id of the write-ahead log, under logKey, or of the one that was
// left, under leftLogKey.
func namedLog(tx *bbolt.Tx, key []byte) (id logID, err error) {
	value, err := meta(tx, key)
	copy(id[:], value)
	return id, err
}

// nameLog records the id of the write-ahead log, or that it was left.
func nameLog(tx *bbolt.Tx, id logID) error {
	if id != (logID{}) {
		return putMeta(tx, logKey, id[:])
	}
	left, err := namedLog(tx, logKey)
	if err == nil && left != (logID{}) {
		err = putMeta(tx, leftLogKey, left[:])
	}
	return errors.Join(err, forgetLog(tx))
}

// forgetLog marks the database as one without a log.
func forgetLog(tx *bbolt.Tx) error { return tx.Bucket(metaBucket).Delete(logKey) }

// trimmed returns the greatest seq of an event that is no longer kept.
func trimmed(tx *bbolt.Tx) (uint64, error) {
	value, err := meta(tx, trimmedKey)
	if value == nil {
		return 0, err
	}
	return parseNumber("trimmed seq", value)
}

// putKept records the state of the log after a checkpoint.
func putKept(tx *bbolt.Tx, k store.Kept) error {
	return putMeta(tx, keptKey, append(number(uint64(k.UpTo)), number(k.Bytes)...))
}

// kept returns the state that putKept recorded, the zero Kept if there is none.
func kept(tx *bbolt.Tx) (store.Kept, error) {
	value, err := meta(tx, keptKey)
	if len(value) != 16 {
		return store.Kept{}, err
	}
	return store.Kept{UpTo: store.Position(binary.BigEndian.Uint64(value)), Bytes: binary.BigEndian.Uint64(value[8:])}, nil
}

// marks returns the checkpoints, oldest first.
func marks(tx *bbolt.Tx) ([]store.Mark, error) {
	checkpoints, err := bucket(tx, checkpointsBucket)
	if err != nil {
		return nil, err
	}
	var found []store.Mark
	err = checkpoints.ForEach(func(key, value []byte) error {
		m, err := store.PeekState(value)
		if err == nil && !bytes.Equal(key, number(uint64(m.Position))) {
			err = fmt.Errorf("%w: the checkpoint of position %d has the key %x", store.ErrCorrupt, m.Position, key)
		}
		found = append(found, m)
		return err
	})
	return found, err
}
