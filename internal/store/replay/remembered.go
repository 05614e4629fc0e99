package replay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"github.com/playctl/playctl/internal/store"
)

// Remembered is a kind of ids that the store keeps for a time, so that a caller
// that repeats a request gets the first answer.
type Remembered struct {
	// Records has the records by id, and Times the callers by time and id. Callers has
	// the ids of each caller, oldest first, with their Weight if that is not 1, and
	// the sums of the weights of each caller and of all.
	Records, Times, Callers store.Table
	// A table may have other records, too: these are the prefixes of the keys.
	recordPrefix, timePrefix string
	callerPrefix, rankPrefix byte
}

// The kinds of ids.
var (
	IdempotencyKeys = Remembered{store.Idempotency, store.IdempotencyTimes, store.IdempotencyCallers, "", "", 'c', 'r'}
	ClosedRequests  = Remembered{store.Intercom, store.Intercom, store.Intercom, "c", "t", 'a', 'r'}
)

// CallerTag names a caller in keys.
type CallerTag [16]byte

// TagOf returns the tag of a caller, whose identity may hold a secret.
func TagOf(identity string) CallerTag {
	sum := sha256.Sum256([]byte(identity))
	return CallerTag(sum[:])
}

// RecordKey returns the key of an id's record.
func (r *Remembered) RecordKey(id []byte) []byte { return append([]byte(r.recordPrefix), id...) }

// TimeKey returns the key of an id in Times. at is in milliseconds since the Unix
// epoch.
func (r *Remembered) TimeKey(at int64, id []byte) []byte {
	return append(binary.BigEndian.AppendUint64([]byte(r.timePrefix), uint64(at)), id...)
}

// Before selects the older records of Times.
func (r *Remembered) Before(at int64) store.Range {
	return store.Range{Prefix: []byte(r.timePrefix), Before: r.TimeKey(at, nil)}
}

// ParseTimeKey is the reverse of TimeKey.
func (r *Remembered) ParseTimeKey(key []byte) (at int64, id []byte, ok bool) {
	return parseTimed(key, len(r.timePrefix))
}

// CallerKey returns the key of a caller's id in Callers.
func (r *Remembered) CallerKey(caller CallerTag, at int64, id []byte) []byte {
	return append(binary.BigEndian.AppendUint64(r.CallerTally(caller), uint64(at)), id...)
}

// ParseCallerKey is the reverse of CallerKey; ok is false for the key of a
// CallerTally.
func (r *Remembered) ParseCallerKey(key []byte) (at int64, id []byte, ok bool) {
	return parseTimed(key, tallyBytes)
}

// CallerTally returns the key in Callers of the number of a caller's ids.
func (r *Remembered) CallerTally(caller CallerTag) []byte {
	return append(r.Tally(), caller[:]...)
}

// ParseCallerTally is the reverse of CallerTally.
func (r *Remembered) ParseCallerTally(key []byte) (caller CallerTag, ok bool) {
	if len(key) != tallyBytes || key[0] != r.callerPrefix {
		return caller, false
	}
	return CallerTag(key[1:]), true
}

// IsIndex reports whether a record belongs to Times or Callers of this kind.
func (r *Remembered) IsIndex(table store.Table, key []byte) bool {
	return table == r.Times && bytes.HasPrefix(key, []byte(r.timePrefix)) ||
		table == r.Callers && (bytes.HasPrefix(key, r.Tally()) || bytes.HasPrefix(key, r.Ranks()))
}

// Rank is the number of a caller's ids, exact below 16 and to an eighth above, so
// that the rank of a caller with many ids seldom changes. 0 is the rank of none.
type Rank byte

// RankOf returns the rank of a caller with n ids.
func RankOf(n int) Rank {
	n = min(max(0, n), math.MaxInt32)
	shift := max(0, bits.Len(uint(n))-4)
	return Rank(shift*8 + n>>shift)
}

// Least returns the smallest number of ids of this rank.
func (r Rank) Least() int {
	if r < 16 {
		return int(r)
	}
	shift := int(r)/8 - 1
	return (int(r) - shift*8) << shift
}

// Ranks returns the prefix of the keys in Callers that list the callers by their
// ranks.
func (r *Remembered) Ranks() []byte { return []byte{r.rankPrefix} }

// RankKey returns the key of a caller among Ranks.
func (r *Remembered) RankKey(rank Rank, caller CallerTag) []byte {
	return append(append(r.Ranks(), byte(rank)), caller[:]...)
}

// ParseRankKey is the reverse of RankKey.
func (r *Remembered) ParseRankKey(key []byte) (rank Rank, caller CallerTag, ok bool) {
	if len(key) != 2+len(caller) || key[0] != r.rankPrefix {
		return 0, caller, false
	}
	return Rank(key[1]), CallerTag(key[2:]), true
}

// idBytes is the greatest size of the record of an id that counts as one. A longer
// one counts as several, so that a number of ids is a bound in bytes.
const idBytes = 4 << 10

// Weight returns the number of ids that an id with this record counts as.
func Weight(record []byte) int { return max(1, (len(record)+idBytes-1)/idBytes) }

// AppendWeight encodes the value of a CallerKey: nothing for an id that counts as
// one.
func AppendWeight(b []byte, weight int) []byte {
	if weight == 1 {
		return b
	}
	return AppendTally(b, weight)
}

// ParseWeight is the reverse of AppendWeight.
func ParseWeight(b []byte) (int, error) {
	n, err := ParseTally(b)
	return max(1, n), err
}

// Tally returns the key of the total number of ids.
func (r *Remembered) Tally() []byte { return []byte{r.callerPrefix} }

// tallyBytes is the length of a CallerTally; ids have longer keys.
const tallyBytes = 1 + len(CallerTag{})

// IsTally reports whether the key of a record of Callers is the key of a number.
func IsTally(key []byte) bool { return len(key) <= tallyBytes }

// AppendTally encodes a number of ids, and ParseTally decodes it; nil stands for 0.
func AppendTally(b []byte, n int) []byte { return binary.AppendUvarint(b, uint64(max(0, n))) }

// ParseTally is the reverse of AppendTally.
func ParseTally(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	n, size := binary.Uvarint(b)
	if size != len(b) || n > 1<<62 {
		return 0, fmt.Errorf("%w: %x is not a number of ids", store.ErrCorrupt, b)
	}
	return int(n), nil
}

func parseTimed(key []byte, from int) (at int64, id []byte, ok bool) {
	if len(key) <= from+8 {
		return 0, nil, false
	}
	return int64(binary.BigEndian.Uint64(key[from:])), key[from+8:], true
}

// Count counts the ids of a store by the keys of their numbers, and reads the
// numbers that the store has.
func (r *Remembered) Count(ctx context.Context, from store.Repository) (counted, said map[string]int, err error) {
	counted, said = map[string]int{}, map[string]int{}
	for pair, err := range from.Scan(ctx, r.Callers, store.Range{Prefix: r.Tally()}) {
		if err != nil {
			return nil, nil, fmt.Errorf("reading the table %s: %w", r.Callers, err)
		}
		n, err := ParseTally(pair.Value)
		if err != nil {
			return nil, nil, fmt.Errorf("the record %x of the table %s: %w", pair.Key, r.Callers, err)
		}
		if IsTally(pair.Key) {
			said[string(pair.Key)] = n
			continue
		}
		counted[string(pair.Key[:1])] += max(1, n)
		counted[string(pair.Key[:tallyBytes])] += max(1, n)
	}
	return counted, said, nil
}
