package world

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/replay"
)

// applyRecords applies records to the tables that the state contains.
func (s *state) applyRecords(records []store.Record) error {
	for i := range records {
		r := &records[i]
		if len(r.Key) == 0 {
			s.cleared[r.Table] = true
			s.clearTable(r.Table)
			continue
		}
		var err error
		switch r.Table {
		case store.Nodes:
			err = applyRecord(r, s.setNode)
		case store.Aggregates:
			err = applyRecord(r, s.setAggregate)
		case store.Leases:
			err = applyRecord(r, func(id string, l *lease) { setUndoable(s, s.leases, id, l) })
		case store.Spaces:
			err = applyRecord(r, s.setSpace)
		case store.Intercom:
			err = s.applyIntercom(r)
		case store.Usage:
			err = s.applyUsage(r)
		case store.IdempotencyCallers:
			err = s.applyRemembered(r)
		case store.Invitations:
			err = applyRecord(r, func(digest string, i *Invitation) { setUndoable(s, s.invitations, digest, i) })
		case store.Interactions, store.Journeys, store.SpaceLogs:
			s.applyHistory(r)
		case store.WatchTokens:
			s.noteToken(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// clearTable empties the part of the state that holds a table.
func (s *state) clearTable(table store.Table) {
	switch table {
	case store.Leases:
		prev := s.leases
		s.leases = map[string]*lease{}
		s.undo = append(s.undo, func() { s.leases = prev })
	case store.Spaces:
		for id := range maps.Clone(s.spaces) {
			s.setSpace(id, nil)
		}
	case store.Intercom:
		s.clearRequests()
	case store.Usage:
		for name := range maps.Clone(s.accounts) {
			prev := s.usage(name)
			s.setUsage(name, replay.Usage{})
			s.undo = append(s.undo, func() { s.setUsage(name, prev) })
		}
	case store.Interactions, store.Journeys, store.SpaceLogs:
		s.clearHistories(table)
	}
}

// applyRecord decodes one record, nil for a deletion, and hands it to set.
func applyRecord[T any](r *store.Record, set func(id string, value *T)) error {
	if r.Value == nil {
		set(string(r.Key), nil)
		return nil
	}
	value := new(T)
	if err := json.Unmarshal(r.Value, value); err != nil {
		return fmt.Errorf("record %s/%s: %w: %w", r.Table, r.Key, store.ErrCorrupt, err)
	}
	set(string(r.Key), value)
	return nil
}

// setUndoable sets or (with nil) deletes a map's entry.
func setUndoable[K comparable, V any](s *state, m map[K]*V, key K, value *V) {
	prev := m[key]
	put(m, key, value)
	s.undo = append(s.undo, func() { put(m, key, prev) })
}

func put[K comparable, V any](m map[K]*V, key K, value *V) {
	if value == nil {
		delete(m, key)
		return
	}
	m[key] = value
}

func (s *state) setNode(id string, n *Node) {
	prev := s.nodes[id]
	s.replaceNode(id, prev, n)
	s.undo = append(s.undo, func() { s.replaceNode(id, n, prev) })
}

func (s *state) replaceNode(id string, prev, next *Node) {
	replaceChild(s.children, id, prev, next)
	s.replaceLabel(id, prev, next)
	s.countNode(prev, -1)
	s.countNode(next, 1)
	put(s.nodes, id, next)
}

// replaceChild keeps the set of nodes that each main node owns.
func replaceChild(children map[string]map[string]struct{}, id string, prev, next *Node) {
	if prev != nil && prev.Parent != "" {
		delete(children[prev.Parent], id)
		if len(children[prev.Parent]) == 0 {
			delete(children, prev.Parent)
		}
	}
	if next != nil && next.Parent != "" {
		if children[next.Parent] == nil {
			children[next.Parent] = map[string]struct{}{}
		}
		children[next.Parent][id] = struct{}{}
	}
}
