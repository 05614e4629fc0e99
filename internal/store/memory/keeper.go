package memory

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/playctl/playctl/internal/store"
)

// Keeper stores the content of a journal beyond the life of the process: values
// under keys, in no order. It is used by one journal at a time, one call at a time.
type Keeper interface {
	// Load yields every stored pair.
	Load(ctx context.Context) iter.Seq2[store.Pair, error]
	// Save stores pairs, and deletes those whose value is nil, all of them or none. No
	// key occurs twice. After an error either is possible, but nothing changes later.
	Save(ctx context.Context, changes []store.Pair) error
}

// The first byte of a key is its kind. Numbers in keys are big-endian. Values of records
// are in the form of store.AppendSealed.
const (
	keptEntry      = 'e' // its position
	keptCheckpoint = 'c' // its position
	keptRecord     = 't' // its table, a zero byte, its key
	keptMeta       = 'm' // one of the names below
)

// The names of the other values.
const (
	metaFormat  = "format"
	metaRoot    = "root"
	metaTrimmed = "trimmed"
)

// OpenKept returns the journal of a keeper, which must belong to the root key, or
// creates a new one in an empty keeper. All of it is in memory as well.
func OpenKept(ctx context.Context, retention store.Retention, keeper Keeper, rootKey string) (*Journal, error) {
	j := Open(retention)
	j.keeper, j.stale = keeper, true
	if _, err := j.Head(ctx); err != nil {
		return nil, err
	}
	if len(j.meta) == 0 && len(j.entries) == 0 {
		format := strconv.Itoa(store.Format)
		j.meta = map[string]string{metaFormat: format, metaRoot: rootKey}
		err := j.save(ctx, []store.Pair{metaPair(metaFormat, format), metaPair(metaRoot, rootKey)})
		return j, err
	}
	if j.meta[metaRoot] != rootKey {
		return nil, fmt.Errorf("%w: the repository's is not the one of the options", store.ErrRootKey)
	}
	return j, nil
}

// save saves changes in the keeper; called with the lock held. After a failure the
// keeper is read again before the next operation.
func (j *Journal) save(ctx context.Context, changes []store.Pair) error {
	if j.keeper == nil || len(changes) == 0 {
		return nil
	}
	if err := j.keeper.Save(ctx, changes); err != nil {
		j.stale = true
		return fmt.Errorf("%w: save in the repository: %w", store.ErrUnavailable, err)
	}
	return nil
}

// appended returns the changes of an Append.
func (j *Journal) appended(entries []store.Entry) []store.Pair {
	if j.keeper == nil {
		return nil
	}
	changes := map[string][]byte{}
	for i := range entries {
		e := entries[i]
		for _, r := range e.Records {
			j.recorded(changes, &r)
		}
		e.Records = nil
		changes[string(numbered(keptEntry, e.Position))] = store.AppendEntry(nil, &e)
	}
	return pairs(changes)
}

// recorded adds the change of a record to changes; the last one of a key counts.
func (j *Journal) recorded(changes map[string][]byte, r *store.Record) {
	if !r.Clears() {
		key := string(recordKey(r.Table, r.Key))
		if changes[key] = nil; r.Value != nil {
			changes[key] = store.AppendSealed(nil, r.Table, r.Key, r.Value)
		}
		return
	}
	for key := range changes {
		if strings.HasPrefix(key, string(recordKey(r.Table, nil))) {
			changes[key] = nil
		}
	}
	j.tables[r.Table].Scan(func(key string, _ []byte) bool {
		changes[string(recordKey(r.Table, []byte(key)))] = nil
		return true
	})
}

// checkpointed returns the changes of a Checkpoint: the newest one, and the
// superfluous ones. before is the previous value of the journal's trimmed.
func (j *Journal) checkpointed(superfluous store.Trim, before uint64) []store.Pair {
	if j.keeper == nil {
		return nil
	}
	changes := map[string][]byte{}
	newest := j.checkpoints[len(j.checkpoints)-1]
	changes[string(numbered(keptCheckpoint, newest.Position))] = newest.encoded
	for _, position := range superfluous.Checkpoints {
		changes[string(numbered(keptCheckpoint, position))] = nil
	}
	for _, e := range superfluous.Entries {
		changes[string(numbered(keptEntry, e.Position))] = nil
	}
	if j.trimmed != before {
		pair := metaPair(metaTrimmed, string(binary.BigEndian.AppendUint64(nil, j.trimmed)))
		changes[string(pair.Key)] = pair.Value
	}
	return pairs(changes)
}

// reload reads the content of the keeper; called with the lock held.
func (j *Journal) reload(ctx context.Context) error {
	fresh := Open(j.retention)
	fresh.meta = map[string]string{}
	var damaged error
	for pair, err := range j.keeper.Load(ctx) {
		if err != nil {
			return fmt.Errorf("%w: load from the repository: %w", store.ErrUnavailable, err)
		}
		switch err := fresh.take(pair); {
		case errors.Is(err, store.ErrFormat):
			return fmt.Errorf("the repository: %w", err)
		case damaged == nil:
			// The format, which says whether it is damage, may come later.
			damaged = err
		}
	}
	if damaged != nil {
		return fmt.Errorf("the repository: %w", damaged)
	}
	slices.SortFunc(fresh.entries, func(a, b entry) int { return cmp.Compare(a.Position, b.Position) })
	slices.SortFunc(fresh.checkpoints, func(a, b checkpoint) int { return cmp.Compare(a.Position, b.Position) })
	j.entries, j.checkpoints, j.trimmed, j.tables, j.meta = fresh.entries, fresh.checkpoints, fresh.trimmed, fresh.tables, fresh.meta
	j.stale = false
	return nil
}

// take adds one stored pair to the journal.
func (j *Journal) take(p store.Pair) error {
	unknown := fmt.Errorf("%w: a key of %d bytes is not one of a world", store.ErrCorrupt, len(p.Key))
	if len(p.Key) == 0 {
		return unknown
	}
	value := append([]byte{}, p.Value...) // not nil, also where a keeper returns nil for an empty value
	switch name := p.Key[1:]; p.Key[0] {
	case keptEntry:
		decoded, err := store.DecodeEntry(bytes.Clone(value))
		if err != nil {
			return err
		}
		j.entries = append(j.entries, entry{decoded.Place(), value})
	case keptCheckpoint:
		state, err := store.DecodeState(bytes.Clone(value))
		if err != nil {
			return err
		}
		j.checkpoints = append(j.checkpoints, checkpoint{store.Mark{Position: state.Position, Rev: state.Rev}, value})
	case keptRecord:
		table, key, ok := bytes.Cut(name, []byte{0})
		records := j.tables[store.Table(table)]
		if !ok || records == nil {
			return unknown
		}
		content, err := store.Unseal(store.Table(table), key, value)
		if err != nil {
			return err
		}
		records.Set(string(key), content)
	case keptMeta:
		if string(name) == metaTrimmed && len(value) == 8 {
			j.trimmed = binary.BigEndian.Uint64(value)
		}
		j.meta[string(name)] = string(value)
		if string(name) == metaFormat {
			return checkFormat(string(value))
		}
	default:
		return unknown
	}
	return nil
}

func checkFormat(stated string) error {
	format, err := strconv.ParseUint(stated, 10, 64)
	if err != nil {
		return fmt.Errorf("%w: its format is not a number", store.ErrCorrupt)
	}
	return store.CheckFormat("it", format)
}

func numbered(kind byte, p store.Position) []byte {
	return binary.BigEndian.AppendUint64([]byte{kind}, uint64(p))
}

func recordKey(table store.Table, key []byte) []byte {
	return append(append(append([]byte{keptRecord}, table...), 0), key...)
}

func metaPair(name, value string) store.Pair {
	return store.Pair{Key: append([]byte{keptMeta}, name...), Value: []byte(value)}
}

// pairs returns changes in the order of their keys.
func pairs(changes map[string][]byte) []store.Pair {
	list := make([]store.Pair, 0, len(changes))
	for _, key := range slices.Sorted(maps.Keys(changes)) {
		list = append(list, store.Pair{Key: []byte(key), Value: changes[key]})
	}
	return list
}
