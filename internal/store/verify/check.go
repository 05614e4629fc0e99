// Package verify verifies that a journal holds a world: it replays the checkpoint
// and every entry, and compares what each entry states with what it changes. It
// works on any store and changes nothing.
package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/replay"
)

// maxProblems bounds a report: further problems of a store with so many would not
// help to repair it.
const maxProblems = 100

// Report is the result of a check. For the verified revs, root and leaf count equal
// those that the journal states, the checkpoint's included; CheckpointRev is 0
// without a checkpoint. There are at most 100 problems.
type Report struct {
	Entries       uint64   `json:"entries"`       // changes in the journal
	Events        uint64   `json:"events"`        // events in the journal
	Records       uint64   `json:"records"`       // records: nodes, lines, journeys and what else is kept
	RevsVerified  uint64   `json:"revsVerified"`  // revs whose root was rebuilt and compared
	CheckpointRev uint64   `json:"checkpointRev"` // the rev of the last checkpoint, from which the journal goes on
	FirstRev      uint64   `json:"firstRev"`      // the first rev that can be read
	LastRev       uint64   `json:"lastRev"`       // the last rev
	FirstSeq      uint64   `json:"firstSeq"`      // the first event that can be read
	LastSeq       uint64   `json:"lastSeq"`       // the last event
	Problems      []string `json:"problems"`      // what is wrong, one sentence each
}

// Check reads the checkpoint and every kept entry and record, and compares them
// with the protocol: positions, seqs and revs grow; the map at each rev has the
// root and leaf count that its entry states; a change of the map has an event whose
// notify names every leaf that differs, and no other entry has one; rows are
// canonical and contain their own key; records can be parsed; the stated usage of
// accounts equals their records. Problems are in the report; an error means that
// the journal could not be read, or with store.ErrTrimmed that a host stored a
// checkpoint meanwhile.
func Check(ctx context.Context, j store.Source, rootKey string) (*Report, error) {
	c := &check{rootKey: rootKey, world: replay.New(rootKey), report: &Report{}}
	base, err := j.Load(ctx)
	if err != nil && !errors.Is(err, store.ErrCorrupt) {
		return nil, fmt.Errorf("loading the checkpoint: %w", err)
	}
	c.problem(err)
	if base.Position > 0 {
		c.checkpoint(&base)
	}
	for _, part := range []func(context.Context, store.Source) error{c.entries, c.tables, c.remembered, c.usage} {
		err := part(ctx, j)
		if err != nil && !errors.Is(err, store.ErrCorrupt) {
			return nil, err
		}
		c.problem(err)
	}
	if len(c.report.Problems) > 0 {
		if err := replay.OrReplaced(ctx, j, base.Position, nil); err != nil {
			return nil, err
		}
	}
	return c.report, nil
}

// Pages checks the pages of a store in a file, and returns what is wrong with them, a
// sentence each. An error means that the file could not be read.
func Pages(ctx context.Context, j store.Source) ([]string, error) {
	if file, ok := j.(interface {
		CheckPages(ctx context.Context) ([]string, error)
	}); ok {
		return file.CheckPages(ctx)
	}
	return nil, nil
}

// DamagedStoreError is the store.ErrCorrupt for a store that is not good as a whole.
type DamagedStoreError struct {
	// Problems say what is wrong, a sentence each; there is at least one.
	Problems []string
}

// Error has the first problem, and the number of the others.
func (e *DamagedStoreError) Error() string {
	text := "the store is damaged: " + strings.TrimPrefix(e.Problems[0], store.ErrCorrupt.Error()+": ")
	if more := len(e.Problems) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

// Unwrap makes it a store.ErrCorrupt.
func (e *DamagedStoreError) Unwrap() error { return store.ErrCorrupt }

// Whole returns a *DamagedStoreError if Pages or Check find a problem. If entries were appended
// meanwhile it fails with store.ErrConflict, because the problems may come from that.
func Whole(ctx context.Context, j store.Source, rootKey string) error {
	before, err := j.Head(ctx)
	if err != nil {
		return fmt.Errorf("reading the head: %w", err)
	}
	problems, err := Pages(ctx, j)
	if err != nil {
		return err
	}
	report, err := Check(ctx, j, rootKey)
	if err != nil {
		return err
	}
	if problems = append(problems, report.Problems...); len(problems) == 0 {
		return nil
	}
	after, err := j.Head(ctx)
	if err == nil && after != before {
		err = fmt.Errorf("%w: from %d to %d while it was checked", store.ErrConflict, before, after)
	}
	if err != nil {
		return err
	}
	return &DamagedStoreError{problems}
}

// check is the state of a running Check.
type check struct {
	rootKey string
	// world is the map that is rebuilt entry by entry.
	world  replay.Map
	report *Report
	// base is the position of the checkpoint, and lost is set once the tree is not the
	// entries' any more: one damaged entry is one problem.
	base store.Position
	lost bool
	// previous is the entry before, starting with the oldest kept one.
	previous store.Place
}

func (c *check) problem(err error) {
	if err != nil {
		c.complain("%v", err)
	}
}

func (c *check) complain(format string, args ...any) {
	problem := fmt.Sprintf(format, args...)
	if len(c.report.Problems) < maxProblems && !slices.Contains(c.report.Problems, problem) {
		c.report.Problems = append(c.report.Problems, problem)
	}
}

func (c *check) checkpoint(s *store.State) {
	c.base, c.report.CheckpointRev = s.Position, s.Rev
	world, err := replay.FromState(c.rootKey, s)
	if err != nil {
		c.complain("the checkpoint: %v", err)
		c.lost = true
		return
	}
	c.world = world
	c.rows("the checkpoint", s.Rows)
	c.report.RevsVerified++
}

func (c *check) entries(ctx context.Context, j store.Source) error {
	for e, err := range j.Read(ctx, 0) {
		if err != nil {
			return fmt.Errorf("reading the entry after position %d: %w", c.previous.Position, err)
		}
		if err := c.gap(ctx, j, &e); err != nil {
			return err
		}
		c.count(&e)
		c.order(&e)
		c.content(&e)
		if e.Position > c.base && !c.lost {
			c.root(&e)
		}
		c.previous = e.Place()
	}
	if head, err := j.Head(ctx); err != nil {
		return fmt.Errorf("reading the head: %w", err)
	} else if head != c.previous.Position {
		c.complain("the head is %d, the last entry %d", head, c.previous.Position)
	}
	return nil
}

func (c *check) count(e *store.Entry) {
	if c.report.Entries == 0 {
		c.report.FirstRev, c.report.FirstSeq = e.Rev, e.FirstSeq()
	}
	c.report.Entries++
	c.report.Events += uint64(len(e.Events))
	c.report.LastRev, c.report.LastSeq = e.Rev, e.Seq
}

// order compares an entry with the one before it.
func (c *check) order(e *store.Entry) {
	before := c.previous
	if e.Position <= before.Position {
		c.complain("entry %d comes after entry %d", e.Position, before.Position)
	}
	if e.Seq < before.Seq || e.Seq-before.Seq < uint64(len(e.Events)) {
		c.complain("entry %d ends at seq %d with %d events, the one before at %d", e.Position, e.Seq, len(e.Events), before.Seq)
	}
	if e.Rev < before.Rev || e.MapChanged && e.Rev == before.Rev {
		c.complain("entry %d has rev %d, the one before %d", e.Position, e.Rev, before.Rev)
	}
}

// gap finds missing events between an entry and the one before it. They may have
// been trimmed, which the journal knows, or seq may have jumped.
func (c *check) gap(ctx context.Context, j store.Source, e *store.Entry) error {
	before := c.previous
	if e.FirstSeq() <= before.Seq+1 || e.FirstSeq()-before.Seq > replay.MinJump {
		return nil
	}
	_, err := j.Seek(ctx, before.Seq)
	switch {
	case errors.Is(err, store.ErrTrimmed):
		return nil
	case errors.Is(err, store.ErrCorrupt):
		c.problem(err)
		return nil
	case err != nil:
		return fmt.Errorf("looking for the events after seq %d: %w", before.Seq, err)
	}
	c.complain("the events from seq %d to %d are missing", before.Seq+1, e.FirstSeq()-1)
	return nil
}

// root applies an entry and compares the chain with the root that the entry states.
func (c *check) root(e *store.Entry) {
	before := c.world.Tree
	if err := c.world.Apply(e, nil); err != nil {
		c.problem(err)
		c.lost = true
		return
	}
	if e.MapChanged {
		c.report.RevsVerified++
		c.notify(e, before)
	}
}

// tables reads every record, and parses those that are JSON.
func (c *check) tables(ctx context.Context, j store.Source) error {
	for r, err := range store.Records(ctx, j) {
		if errors.Is(err, store.ErrCorrupt) {
			c.problem(err)
			continue
		}
		if err != nil {
			return err
		}
		c.report.Records++
		if !isBinary(r.Table, r.Key) && bytes.HasPrefix(r.Value, []byte("{")) && !json.Valid(r.Value) {
			c.complain("the record %q of the table %s is cut off or not JSON", r.Key, r.Table)
		}
	}
	return nil
}

// isBinary reports whether a record's value is a number, a tag or a secret, any of
// which may begin like a JSON object.
func isBinary(table store.Table, key []byte) bool {
	return table == store.Meta || table == store.Usage || replay.IdempotencyKeys.IsIndex(table, key) || replay.ClosedRequests.IsIndex(table, key)
}

// usage counts the kept history of each account and compares it with the usage
// records.
func (c *check) usage(ctx context.Context, j store.Source) error {
	kept, err := replay.CountUsage(ctx, j, c.rootKey)
	if err != nil {
		return fmt.Errorf("counting what is kept of accounts: %w", err)
	}
	for pair, err := range j.Scan(ctx, store.Usage, store.Range{}) {
		if err != nil {
			return fmt.Errorf("reading the table %s: %w", store.Usage, err)
		}
		said, err := replay.ParseUsage(pair.Value)
		c.problem(err)
		c.sameUsage(string(pair.Key), said, kept[string(pair.Key)])
		delete(kept, string(pair.Key))
	}
	for account, is := range kept {
		c.sameUsage(account, replay.Usage{}, is)
	}
	return nil
}

// remembered counts the ids that are kept for a time and compares them with the
// numbers that the store has.
func (c *check) remembered(ctx context.Context, j store.Source) error {
	for _, of := range []replay.Remembered{replay.IdempotencyKeys, replay.ClosedRequests} {
		counted, said, err := of.Count(ctx, j)
		if errors.Is(err, store.ErrCorrupt) {
			c.problem(err)
			continue
		} else if err != nil {
			return fmt.Errorf("counting the ids that are known: %w", err)
		}
		for key, is := range counted {
			if said[key] != is {
				c.complain("the table %s says that %x has %d ids, but it has %d", of.Callers, key, said[key], is)
			}
		}
		for key, n := range said {
			if counted[key] == 0 {
				c.complain("the table %s says that %x has %d ids, but it has none", of.Callers, key, n)
			}
		}
	}
	return nil
}

func (c *check) sameUsage(account string, said, is replay.Usage) {
	if said.Lines != is.Lines || said.Journeys != is.Journeys || said.Bytes != is.Bytes {
		c.complain("the account %s is recorded with %d lines and %d journeys in %d bytes, but has %d and %d in %d",
			account, said.Lines, said.Journeys, said.Bytes, is.Lines, is.Journeys, is.Bytes)
	}
}
