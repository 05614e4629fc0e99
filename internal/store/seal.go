package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
)

// The stored form of a record's value is the value and 4 bytes, the big-endian CRC-32C of
// the table, the key and the value. It covers the key, so that a value under another
// record's key is found, too.

// AppendSealed appends the stored form of a record's value to dst and returns the longer
// slice.
func AppendSealed(dst []byte, table Table, key, value []byte) []byte {
	dst = append(dst, value...)
	return binary.BigEndian.AppendUint32(dst, recordSum(table, key, value))
}

// SealedLen returns how many bytes the stored form of a value has.
func SealedLen(value []byte) int { return len(value) + checksumLen }

// Unseal returns the value that is in the stored form of a record, as a part of it. It
// fails with *DamagedError if that is not what AppendSealed wrote for this record.
func Unseal(table Table, key, stored []byte) ([]byte, error) {
	if sealed(table, key, stored) {
		n := len(stored) - checksumLen
		return stored[:n:n], nil
	}
	return nil, &DamagedError{Table: table, Key: written(table, key, stored), Size: max(0, len(stored)-checksumLen)}
}

func sealed(table Table, key, stored []byte) bool {
	n := len(stored) - checksumLen
	return n >= 0 && recordSum(table, key, stored[:n]) == binary.BigEndian.Uint32(stored[n:])
}

// recordSum returns the checksum of a record. The length of the key is a part of it: a
// byte that moves from the key to the value changes it. The factor spreads the length over
// all bits, so that it is not undone by another bit of the key.
func recordSum(table Table, key, value []byte) uint32 {
	const factor = 0x9e3779b1
	sum := crc32.Update(tableSums[table]^uint32(len(key))*factor, castagnoli, key)
	return crc32.Update(sum, castagnoli, value)
}

// tableSums are the checksums of the names of the tables.
var tableSums = func() map[Table]uint32 {
	sums := map[Table]uint32{}
	for _, table := range tables {
		sums[table] = crc32.Checksum([]byte(table), castagnoli)
	}
	return sums
}()

// written returns the key under which a damaged record was written: another one if a
// single bit of the key changed, else the present one.
func written(table Table, key, stored []byte) []byte {
	was := slices.Clone(key)
	for bit := range 8 * len(key) {
		was[bit/8] ^= 1 << (bit % 8)
		if sealed(table, was, stored) {
			return was
		}
		was[bit/8] ^= 1 << (bit % 8)
	}
	return was
}

// DamagedError is the ErrCorrupt of one record or one entry: its bytes in the store are
// not those that were written. Others can be read.
type DamagedError struct {
	// Table and Key name a record. Table is empty for an entry.
	Table Table
	Key   []byte
	// Size is how many bytes the value of the record seems to have.
	Size int
	// Position is that of an entry, and Cause is what is wrong with it.
	Position Position
	Cause    error
}

// DamagedEntry returns the DamagedError of the entry at a position. An entry of another
// format is not damaged: err is then returned as it is.
func DamagedEntry(position Position, err error) error {
	if !errors.Is(err, ErrCorrupt) {
		return err
	}
	return &DamagedError{Position: position, Cause: err}
}

// Error names the record or the entry.
func (e *DamagedError) Error() string {
	if e.Table == "" {
		return fmt.Sprintf("entry %d: %v", e.Position, e.Cause)
	}
	return fmt.Sprintf("%v: the checksum of the record %q of the table %s differs", ErrCorrupt, e.Key, e.Table)
}

// Unwrap makes it an ErrCorrupt.
func (e *DamagedError) Unwrap() error { return ErrCorrupt }

// IsDamaged reports whether an error is about one damaged record or entry.
func IsDamaged(err error) bool {
	_, is := errors.AsType[*DamagedError](err)
	return is
}
