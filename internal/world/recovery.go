package world

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/replay"
)

// maxLoads is how often a starting host reads a world again if its store loses
// entries meanwhile.
const maxLoads = 8

// Open recovers a world from its journal, or creates a new one in an empty
// journal, and starts its writer. The caller closes the world before it closes the
// journal.
func Open(ctx context.Context, options Options) (*World, error) {
	if err := options.check(); err != nil {
		return nil, err
	}
	// One clock for all hosts, so that times agree.
	options.Now = options.Journal.Clock(options.Now)
	w := &World{
		options: options, state: newState(&options), views: &pastViews{},
		queue: newQueue(), reads: make(chan struct{}, maxReads), checkpoints: make(chan *View, 1),
		replica: replica{
			updates: make(chan followUpdate), retryFollow: make(chan struct{}, 1),
			waits: waits{open: map[*wait]struct{}{}, questions: make(chan progress, maxQuestions)},
		},
	}
	w.options.Journal = watchedJournal{options.Journal, &w.damage}
	w.late.prepare(options.Observer.AppendFailed)
	wake := make(chan struct{})
	w.changed.Store(&wake)
	view, err := w.load(ctx)
	for failures := 1; journalDiverged(err) && failures < maxLoads && storeBackoff.Wait(ctx, failures); failures++ {
		w.state = newState(&options)
		view, err = w.load(ctx)
	}
	if err == nil {
		err = w.weigh(ctx)
	}
	if err == nil {
		w.replica.holder, err = newUUID(options.Random)
	}
	if err == nil {
		err = options.Journal.HostStarted(ctx, w.state.deadlines())
	}
	if err != nil {
		return nil, err
	}
	if bytes, limit := w.JournalBytes(); limit > 0 && bytes > limit {
		// The limit was higher before: the next entry makes a checkpoint due.
		w.grown = limit
	}
	w.view.Store(view)
	w.registry = newRegistry(w.state)
	w.listeners = newListeners(options.Now, w.state.players)
	w.log = newEventLog(options.RingEvents, options.MemoryBudget, w.state.Seq)
	w.resetSeq.Store(w.state.resetSeq)
	w.startReplica()
	if view.Position == 1 {
		// A new world: its past revs are replayed from here until there are enough of them.
		w.storeCheckpoint(view)
		w.lastCheckpoint = view.Position
	}
	w.writer.Go(w.write)
	w.writer.Go(w.checkpoint)
	w.examineStore(ctx, &options)
	// If the store does not answer any more, the view is stale, as it may be at any time.
	_ = w.register(ctx)
	return w, nil
}

// examineStore notes whether the store takes no writes yet, and reads the rest of it in the
// background.
func (w *World) examineStore(ctx context.Context, options *Options) {
	if w.damage.open(options.Damaged); options.Damaged != nil {
		reading, stop := context.WithCancel(context.WithoutCancel(ctx))
		w.stopReading = stop
		w.writer.Go(func() { w.readStore(reading) })
	}
	if s, ok := options.Journal.(interface{ Unwritten() error }); ok {
		if err := s.Unwritten(); err != nil {
			w.failed(err) // until a write succeeds
		}
	}
}

// load loads the checkpoint, replays the entries after it through the same
// function as live ones, and reads the tables that are kept in memory.
func (w *World) load(ctx context.Context) (*View, error) {
	journal := w.options.Journal
	head, err := journal.Head(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the journal's head: %w", err)
	}
	w.lastCheckpoint, w.grown = 0, 0
	if head == 0 {
		err = w.create(ctx)
	} else {
		err = w.loadCheckpoint(ctx)
	}
	if err != nil {
		return nil, err
	}
	view, err := w.replayAll(journal.Read(ctx, w.state.Position))
	if errors.Is(err, store.ErrCorrupt) {
		err = replay.OrReplaced(ctx, journal, w.lastCheckpoint, err)
	}
	if err != nil {
		return nil, err
	}
	if w.state.Position == 0 {
		// A world cannot continue from here: only the first entry has the map's header.
		return nil, fmt.Errorf("%w: it no longer has an entry", store.ErrDiverged)
	}
	run, err := w.restartedRun(ctx)
	if err != nil {
		return nil, err
	}
	if err := w.loadTables(ctx); err != nil {
		return nil, err
	}
	w.state.keep()
	return w.catchUp(ctx, view, run)
}

// restartedRun returns the name of the server's run if it restarted and no host has
// committed to it since; else it is empty.
func (w *World) restartedRun(ctx context.Context) (string, error) {
	_, err := w.options.Journal.EntriesAfter(ctx, w.state.Tip())
	if restart, ok := errors.AsType[*store.RestartedError](err); ok {
		return restart.Run, nil
	}
	return "", err
}

// catchUp applies what other hosts committed before the tables were read: the tables
// have the records of those entries already, which the state must not keep if the store
// loses the entries. Where the server restarted meanwhile, the tables may have records
// of lost entries: catchUp fails with store.ErrRestarted or ErrDiverged. run is
// restartedRun before the tables were read.
func (w *World) catchUp(ctx context.Context, view *View, run string) (*View, error) {
	journal := w.options.Journal
	if journal.SoleHost() {
		return view, nil
	}
	head, err := journal.Head(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the journal's head: %w", err)
	}
	jumped := w.state.jumped
	for {
		missed, err := journal.EntriesAfter(ctx, w.state.Tip())
		if restart, ok := errors.AsType[*store.RestartedError](err); ok && restart.Run == run {
			return view, nil
		}
		if err == nil {
			view, err = w.reapply(view, missed)
		}
		if err == nil && w.state.jumped != jumped {
			err = fmt.Errorf("%w: its server restarted while it was read", store.ErrDiverged)
		}
		if err != nil || len(missed) == 0 || w.state.Position >= head {
			return view, err
		}
	}
}

// create commits and applies the first entry of a new world, which sets its sid, or
// applies what another host committed first.
func (w *World) create(ctx context.Context) error {
	sid, err := newUUID(w.options.Random)
	if err != nil {
		return err
	}
	e, err := w.ownEntry(w.options.Now())
	if err != nil {
		return err
	}
	e.Header = smallestGrid.header(sid)
	_, err = w.extend(ctx, nil, e, nil)
	if restart, ok := errors.AsType[*store.RestartedError](err); ok {
		// There was nothing to lose.
		_, err = w.extend(ctx, nil, e, restart)
	}
	if err != nil {
		return fmt.Errorf("create a new world: %w", err)
	}
	return nil
}

func (w *World) loadCheckpoint(ctx context.Context) error {
	saved, err := w.options.Journal.Load(ctx)
	if err != nil {
		return fmt.Errorf("load the checkpoint: %w", err)
	}
	w.lastCheckpoint = saved.Position
	if saved.Position == 0 {
		return nil
	}
	e := replay.Entry(&saved)
	if err := w.state.apply(&e, nil, nil); err != nil {
		return err
	}
	w.state.keep()
	return nil
}

// replayAll applies the entries after the state, whose records the tables already have,
// and returns the view after the last. It keeps the views of the last recentRevs revs.
func (w *World) replayAll(entries iter.Seq2[store.Entry, error]) (*View, error) {
	run := replay.NewRun(&w.state.Map)
	var recent []store.Entry
	for e, err := range entries {
		if err != nil {
			return nil, fmt.Errorf("read the journal after entry %d: %w", w.state.Position, err)
		}
		if err := w.state.follow(&e); err != nil {
			return nil, err
		}
		w.state.keep()
		w.grow(&e)
		e.Events = nil
		recent = append(recent, e)
		for recent[0].Rev+recentRevs <= e.Rev {
			if err := run.Add(&recent[0]); err != nil {
				return nil, err
			}
			recent[0] = store.Entry{}
			recent = recent[1:]
		}
	}
	m, err := run.End()
	if err != nil {
		return nil, err
	}
	w.views.swap(keptViews{})
	view := &View{Map: m}
	if m.Position > 0 {
		w.views.add(view)
	}
	for i := range recent {
		if err := m.Apply(&recent[i], nil); err != nil {
			return nil, err
		}
		view = &View{Map: m}
		w.views.add(view)
	}
	w.state.Map = m
	return view, nil
}

// loadTables reads the tables that the engine keeps in memory.
func (w *World) loadTables(ctx context.Context) error {
	for _, table := range [...]store.Table{store.Nodes, store.Aggregates, store.Leases, store.Spaces, store.Usage, store.Intercom, store.Invitations} {
		var records []store.Record
		var walk store.Range
		if table == store.Intercom {
			// Closed requests stay in the store.
			walk.Prefix = []byte(openIntercom)
		}
		for pair, err := range w.options.Journal.Scan(ctx, table, walk) {
			if err != nil {
				return fmt.Errorf("read the table %s: %w", table, err)
			}
			records = append(records, store.Record{Table: table, Key: pair.Key, Value: pair.Value})
		}
		if err := w.state.applyRecords(records); err != nil {
			return err
		}
	}
	reset, err := w.options.Journal.Get(ctx, store.Meta, []byte(store.ResetSeqKey))
	if err != nil {
		return fmt.Errorf("read when the session began: %w", err)
	}
	if len(reset) == 8 {
		w.state.resetSeq = max(w.state.resetSeq, binary.BigEndian.Uint64(reset))
	}
	return nil
}
