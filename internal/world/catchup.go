package world

import (
	"context"
	"fmt"

	"github.com/playctl/playctl/internal/store"
)

// catchUp brings the state to the journal's head after an append whose outcome
// is unknown, or that another host overtook. What is found there was committed
// and is published like any other entry; what is not there did not happen.
func (w *World) catchUp(ctx context.Context) error {
	head, err := w.options.Journal.Head(ctx)
	if err != nil {
		return err
	}
	w.state.begin()
	view, events, err := w.followTo(ctx, head)
	if err != nil {
		w.state.rollback()
		return err
	}
	w.state.keep()
	w.uncertain = false
	w.show(view, events)
	return nil
}

func (w *World) followTo(ctx context.Context, head store.Position) (*View, []*Event, error) {
	view, from := w.View(), w.state.at
	var events []*Event
	for e, err := range w.options.Journal.Read(ctx, from) {
		if err != nil {
			return nil, nil, err
		}
		tree := w.state.nextTree(&e)
		if err := checkRoot(&e, tree); err != nil {
			return nil, nil, err
		}
		if err := w.state.apply(&e, tree, nil); err != nil {
			return nil, nil, err
		}
		if e.Header != nil && e.Header.SID != view.SID {
			w.resetSeq.Store(e.Seq)
		}
		view = w.nextView(view, &e, tree)
		events = append(events, eventsOf(&e)...)
	}
	if w.state.at < head {
		return nil, nil, fmt.Errorf("%w: its head is %d and it ends at %d", store.ErrUnavailable, head, w.state.at)
	}
	if w.state.at == from {
		return view, nil, nil
	}
	// Entries are read back without their records: the tables have them.
	if err := w.reloadTables(ctx); err != nil {
		return nil, nil, err
	}
	return view, events, nil
}

// reloadTables reads the tables in memory anew, leases with one full term.
func (w *World) reloadTables(ctx context.Context) error {
	s := w.state
	nodes, children, aggregates, leases, histories := s.nodes, s.children, s.aggregates, s.leases, s.histories
	spaces, intercoms := s.spaces, s.intercoms
	s.undo = append(s.undo, func() {
		s.nodes, s.children, s.aggregates, s.leases, s.histories = nodes, children, aggregates, leases, histories
		s.spaces, s.intercoms = spaces, intercoms
	})
	s.nodes, s.children = map[string]*Node{}, map[string]map[string]struct{}{}
	s.aggregates, s.leases = map[string]*Aggregate{}, map[string]*lease{}
	s.histories = map[historyKey][]uint64{}
	s.spaces, s.intercoms = map[string]*Space{}, map[string]*intercom{}
	if err := w.loadTables(ctx); err != nil {
		return err
	}
	w.registry.replace(s)
	return nil
}
