package playworld

import (
	"context"
	"iter"

	"github.com/playctl/playctl/internal/store"
)

// Record is a value that a [Repository] stores under its key. Both are bytes, not
// text: keys have at most 4,200 of them, most far fewer; the largest values are
// copies of the whole map.
type Record struct{ Key, Value []byte }

// Repository stores a world in a store of the program, such as a table of its
// database with a key and a value. One world uses it at a time, with one call at a
// time; the world has everything in memory as well, and reads the repository when
// it is opened.
type Repository interface {
	// Load yields every record, in any order. The world may keep the slices.
	Load(ctx context.Context) iter.Seq2[Record, error]
	// Save writes records, in place of those with the same keys, and deletes those
	// whose Value is nil, all of them or none: in one transaction. The records must
	// survive a crash. No key occurs twice; the slices must not be changed, nor kept
	// after the call.
	//
	// After an error the world answers `store_unavailable`, and calls Load to find out
	// whether the records were written; nothing may be written after Save has
	// returned. It must not call the world.
	Save(ctx context.Context, changes []Record) error
}

// keeper is a Repository for a journal.
type keeper struct{ repository Repository }

// Load implements memory.Keeper.
func (k keeper) Load(ctx context.Context) iter.Seq2[store.Pair, error] {
	return func(yield func(store.Pair, error) bool) {
		for record, err := range k.repository.Load(ctx) {
			if !yield(store.Pair(record), err) {
				return
			}
		}
	}
}

// Save implements memory.Keeper.
func (k keeper) Save(ctx context.Context, changes []store.Pair) error {
	records := make([]Record, len(changes))
	for i, c := range changes {
		records[i] = Record(c)
	}
	return k.repository.Save(ctx, records)
}
