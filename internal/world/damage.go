package world

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// watchedJournal is a journal whose damage is noted wherever it is read.
type watchedJournal struct {
	store.Journal
	damage *damage
}

// Get implements store.Repository.
func (j watchedJournal) Get(ctx context.Context, table store.Table, key []byte) ([]byte, error) {
	value, err := j.Journal.Get(ctx, table, key)
	return value, j.damage.note(err)
}

// GetAll implements store.Repository.
func (j watchedJournal) GetAll(ctx context.Context, records []store.Lookup) ([][]byte, error) {
	values, err := j.Journal.GetAll(ctx, records)
	return values, j.damage.note(err)
}

// Scan implements store.Repository.
func (j watchedJournal) Scan(ctx context.Context, table store.Table, r store.Range) store.Pairs {
	return watched(j.damage, j.Journal.Scan(ctx, table, r))
}

// Read implements store.Source.
func (j watchedJournal) Read(ctx context.Context, after store.Position) iter.Seq2[store.Entry, error] {
	return watched(j.damage, j.Journal.Read(ctx, after))
}

// Seek implements store.Source.
func (j watchedJournal) Seek(ctx context.Context, seq uint64) (store.Position, error) {
	at, err := j.Journal.Seek(ctx, seq)
	return at, j.damage.note(err)
}

func watched[T any](d *damage, walk iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for one, err := range walk {
			if !yield(one, d.note(err)) {
				return
			}
		}
	}
}

// maxDamage bounds how many damaged parts of a store are known and logged.
const maxDamage = 1000

// damage is what was found damaged in the store.
type damage struct {
	mu    sync.Mutex
	known []*store.DamagedError
	// report is called once for each damaged part; nil until the world is open, which
	// fails with the error itself.
	report func(error)
}

// open makes later damage reported.
func (d *damage) open(report func(error)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.known, d.report = nil, report
}

// note keeps an error that is a *store.DamagedError, and returns the error.
func (d *damage) note(err error) error {
	found, is := errors.AsType[*store.DamagedError](err)
	if !is {
		return err
	}
	d.mu.Lock()
	isNew := len(d.known) < maxDamage && !slices.ContainsFunc(d.known, func(k *store.DamagedError) bool { return samePart(k, found) })
	if isNew {
		d.known = append(d.known, found)
	}
	report := d.report
	d.mu.Unlock()
	if isNew && report != nil {
		report(err)
	}
	return err
}

func samePart(a, b *store.DamagedError) bool {
	return a.Table == b.Table && a.Position == b.Position && bytes.Equal(a.Key, b.Key)
}

// damaged returns an error if a part of the store is damaged. Of those that are known it
// forgets parts that were replaced or removed since.
func (w *World) damaged(ctx context.Context) error {
	d := &w.damage
	for {
		d.mu.Lock()
		n := len(d.known)
		if n == 0 {
			d.mu.Unlock()
			return nil
		}
		last := d.known[n-1]
		d.mu.Unlock()
		if err := w.readAgain(ctx, last); err != nil {
			return protocol.WrapError(protocol.CodeRecordDamaged, err, "the store is damaged: the host's log names what cannot be read")
		}
		d.mu.Lock()
		d.known = slices.DeleteFunc(d.known, func(k *store.DamagedError) bool { return k == last })
		d.mu.Unlock()
	}
}

// readAgain reads a damaged part of the store again.
func (w *World) readAgain(ctx context.Context, part *store.DamagedError) error {
	if part.Table != "" {
		_, err := w.options.Journal.Get(ctx, part.Table, part.Key)
		return err
	}
	for _, err := range w.options.Journal.Read(ctx, max(part.Position, 1)-1) {
		return err
	}
	return nil
}

// damagedReply returns the error for a caller who needs a damaged part of the store.
func damagedReply(cause error) error {
	return protocol.WrapError(protocol.CodeRecordDamaged, cause,
		"a part of the host's store that this needs is damaged: a repeat does not help; the host's operator has to restore it")
}

// restWhileReading is the longest wait after a piece of the store was read.
const restWhileReading = time.Second

// pieceRead is how many records or entries are read without a rest.
const pieceRead = 256

// readStore reads the whole store, so that damage is found before somebody needs what is
// damaged. It takes at most half of a processor.
func (w *World) readStore(ctx context.Context) {
	for _, part := range []func(context.Context, func() bool) error{w.readEntries, w.readRecords} {
		for {
			took, read := pause.Stopwatch(), 0
			err := part(ctx, func() bool {
				if read++; read%pieceRead != 0 {
					return true
				}
				goesOn := pause.For(ctx, min(took(), restWhileReading))
				took = pause.Stopwatch()
				return goesOn
			})
			if ctx.Err() != nil {
				return
			}
			if err == nil {
				break
			}
			// The store does not answer, or trimmed what was to be read.
			if !pause.For(ctx, restWhileReading) {
				return
			}
		}
	}
}

func (w *World) readEntries(ctx context.Context, next func() bool) error {
	after := store.Position(0)
	for {
		damaged := false
		for e, err := range w.options.Journal.Read(ctx, after) {
			if part, is := errors.AsType[*store.DamagedError](err); is && part.Position > after {
				after, damaged = part.Position, true
				break
			} else if err != nil {
				return err
			}
			if after = e.Position; !next() {
				return ctx.Err()
			}
		}
		if !damaged {
			return nil
		}
	}
}

func (w *World) readRecords(ctx context.Context, next func() bool) error {
	for _, err := range store.Records(ctx, w.options.Journal) {
		if err != nil && !store.IsDamaged(err) {
			return err
		}
		if !next() {
			return ctx.Err()
		}
	}
	return nil
}
