// Package migrate copies a world from one store into another: entries, tables,
// checkpoint and cursors unchanged, so that clients continue from their cursors.
// The copy is read back and verified before it becomes the other store's world.
package migrate

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"sort"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/replay"
)

// ErrEmpty means that the source has no world.
var ErrEmpty = errors.New("the store holds no world yet")

// Target is the target of a migration.
type Target struct {
	// Begin begins the import for the world's root key. It is called when the source
	// was read once and verified.
	Begin func(rootKey string) (store.Import, error)
	// SetTerm sets a record's Term if its kind has one; nil if the target keeps no
	// deadlines. The deadlines start again.
	SetTerm func(*store.Record) error
}

// Report describes the copy, with the world's root in both stores.
type Report struct {
	RootKey   string         `json:"rootKey"`
	SID       string         `json:"sid"`
	Rev       uint64         `json:"rev"` // the rev of the world
	Seq       uint64         `json:"seq"`
	Root      string         `json:"merkleRootHex"`
	LeafCount uint32         `json:"merkleLeafCount"`
	Position  store.Position `json:"position"` // the end of the journal
	Entries   uint64         `json:"entries"`  // changes that were copied
	Events    uint64         `json:"events"`   // events that were copied
	Rows      int            `json:"rows"`     // rows that were copied
	Records   uint64         `json:"records"`  // records that were copied
}

// Run copies the world of a journal, which belongs to a root key, and does not
// change the source. No host may append to it meanwhile: if one does, Run fails
// with store.ErrConflict. It fails with ErrEmpty without a world, with
// store.ErrCorrupt if the source is damaged or the copy differs, and as the import
// does. The target has the world if Run returns nil, and otherwise nothing.
func Run(ctx context.Context, from store.Source, rootKey string, to Target) (report Report, err error) {
	state, err := replay.State(ctx, from, rootKey)
	if err != nil {
		return Report{}, fmt.Errorf("verifying the source: %w", err)
	}
	if state.Position == 0 {
		return Report{}, ErrEmpty
	}
	content, err := contentOf(ctx, from, &state)
	if err != nil {
		return Report{}, err
	}
	into, err := to.Begin(rootKey)
	if err != nil {
		return Report{}, err
	}
	defer func() { err = errors.Join(err, into.Close()) }()
	sent, err := walk(ctx, from, into, to.SetTerm)
	if err != nil {
		return Report{}, err
	}
	if err := into.Complete(ctx, content); err != nil {
		return Report{}, fmt.Errorf("writing the map: %w", err)
	}
	if err := still(ctx, from, state.Position); err != nil {
		return Report{}, err
	}
	if err := compare(ctx, into.Source(), rootKey, &state, content.Trimmed, sent); err != nil {
		return Report{}, err
	}
	if err := into.Finish(ctx); err != nil {
		return Report{}, fmt.Errorf("finishing the copy: %w", err)
	}
	return Report{
		RootKey: rootKey, SID: state.Header.SID, Rev: state.Rev, Seq: state.Seq,
		Root: hex.EncodeToString(state.Root[:]), LeafCount: state.LeafCount, Position: state.Position,
		Entries: sent.entries, Events: sent.events, Rows: len(state.Rows), Records: sent.records,
	}, nil
}

// still compares the source's head with its head at the beginning.
func still(ctx context.Context, from store.Source, position store.Position) error {
	head, err := from.Head(ctx)
	if err != nil {
		return fmt.Errorf("reading the source's head: %w", err)
	}
	if head != position {
		return fmt.Errorf("%w: from %d to %d while it was copied; stop its hosts and run this again", store.ErrConflict, position, head)
	}
	return nil
}

// contentOf returns the data of a source besides entries and records.
func contentOf(ctx context.Context, from store.Source, state *store.State) (*store.Content, error) {
	base, err := from.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("loading the source's checkpoint: %w", err)
	}
	trimmed, err := trimmedOf(ctx, from, state.Seq)
	if err != nil {
		return nil, err
	}
	return &store.Content{Base: base, Trimmed: trimmed}, nil
}

// trimmedOf finds the greatest seq of an event that is no longer kept, by a binary
// search for the seqs that the journal refuses to seek.
func trimmedOf(ctx context.Context, j store.Source, last uint64) (uint64, error) {
	var failed error
	found := sort.Search(int(last), func(seq int) bool {
		if failed != nil {
			return true
		}
		_, err := j.Seek(ctx, uint64(seq))
		if err != nil && !errors.Is(err, store.ErrTrimmed) {
			failed = err
		}
		return err == nil
	})
	if failed != nil {
		return 0, fmt.Errorf("looking for the oldest event: %w", failed)
	}
	return uint64(found), nil
}

// compare reads the copy: the world has the same root, and the copy has every entry
// and record and nothing else.
func compare(ctx context.Context, j store.Source, rootKey string, want *store.State, trimmed uint64, sent *tally) error {
	got, err := replay.State(ctx, j, rootKey)
	if err != nil {
		return fmt.Errorf("verifying the copy: %w", err)
	}
	if got.Position != want.Position || got.Rev != want.Rev || got.Seq != want.Seq || got.Root != want.Root || got.LeafCount != want.LeafCount {
		return fmt.Errorf("%w: the copy ends at position %d and rev %d with the root %x, the source at %d and %d with %x",
			store.ErrCorrupt, got.Position, got.Rev, got.Root, want.Position, want.Rev, want.Root)
	}
	if gone, err := trimmedOf(ctx, j, want.Seq); err != nil {
		return err
	} else if gone != trimmed {
		return fmt.Errorf("%w: the copy begins after event %d, the source after %d", store.ErrCorrupt, gone, trimmed)
	}
	read, err := walk(ctx, j, nowhere{}, nil)
	if err != nil {
		return fmt.Errorf("reading the copy: %w", err)
	}
	if !read.equal(sent) {
		return fmt.Errorf("%w: the copy has %d entries and %d records, the source %d and %d, or their content differs",
			store.ErrCorrupt, read.entries, read.records, sent.entries, sent.records)
	}
	return nil
}
