package world

import (
	"fmt"
	"maps"
	"slices"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// state is what the writer owns. Only apply, applyRecords and their callees
// change it, and everything they change can be undone until the batch is
// committed.
type state struct {
	rootKey string
	position

	// rows are the occupants on the map by stable key; the maps below it are
	// derived from them in setRow.
	rows       map[string]protocol.Occupant
	cells      map[cell]string
	players    map[string]string
	placements map[placement]string
	owned      map[string]int

	nodes      map[string]*Node
	children   map[string]map[string]struct{}
	aggregates map[string]*Aggregate
	leases     map[string]*lease
	spaces     map[string]*Space
	intercoms  map[string]*intercom
	histories  map[historyKey][]uint64
	// closedIntercoms are the requests that the batch closed.
	closedIntercoms map[string]*intercom
	// repeats are the idempotency records of the batch that is not yet
	// committed; committed ones are in the store.
	repeats map[[32]byte]*repeat

	undo []func()
}

// position is the part of the state that is a plain value: saved before a
// batch and put back when it fails.
type position struct {
	at store.Position
	// commit is the batch that wrote the entry at, in a shared journal.
	commit   store.CommitID
	time     int64
	sid      string
	rev      uint64
	seq      uint64
	resetSeq uint64
	// jumped is where the seq last jumped; 0 where it did not since the checkpoint.
	jumped    uint64
	grid      grid
	tree      *chain.Tree
	occupants int
}

// placement identifies an mcp row: one for each owner and name.
type placement struct{ owner, name string }

func newState(rootKey string) *state {
	return &state{
		rootKey:         rootKey,
		position:        position{grid: smallestGrid, tree: &chain.Tree{}},
		rows:            map[string]protocol.Occupant{},
		cells:           map[cell]string{},
		players:         map[string]string{},
		placements:      map[placement]string{},
		owned:           map[string]int{},
		nodes:           map[string]*Node{},
		children:        map[string]map[string]struct{}{},
		aggregates:      map[string]*Aggregate{},
		leases:          map[string]*lease{},
		spaces:          map[string]*Space{},
		intercoms:       map[string]*intercom{},
		histories:       map[historyKey][]uint64{},
		closedIntercoms: map[string]*intercom{},
		repeats:         map[[32]byte]*repeat{},
	}
}

// begin starts a batch that rollback can take back.
func (s *state) begin() {
	saved := s.position
	s.undo = append(s.undo[:0], func() { s.position = saved })
}

// keep ends a batch that was committed.
func (s *state) keep() {
	clear(s.undo)
	s.undo = s.undo[:0]
	clear(s.repeats)
	clear(s.closedIntercoms)
}

// rollback takes back everything since begin.
func (s *state) rollback() {
	for _, undo := range slices.Backward(s.undo) {
		undo()
	}
	s.keep()
}

// nextTree is the chain after an entry, computed without changing anything.
func (s *state) nextTree(e *store.Entry) *chain.Tree {
	tree := s.tree
	if e.Cleared {
		tree = (&chain.Tree{}).Put(chain.GenesisLeaf(s.rootKey))
	}
	var puts []*chain.Leaf
	var removals []string
	if tree.Len() == 0 {
		puts = append(puts, chain.GenesisLeaf(s.rootKey))
	}
	if e.Header != nil {
		puts = append(puts, headerLeaf(e.Header))
	}
	for i := range e.Rows {
		if r := &e.Rows[i]; r.JSON == nil {
			removals = append(removals, r.Key)
		} else {
			puts = append(puts, chain.NewLeaf(r.Key, r.JSON))
		}
	}
	switch {
	case len(puts) == 0 && len(removals) == 0:
		return tree
	case len(puts) == 1 && len(removals) == 0:
		return tree.Put(puts[0])
	}
	return tree.Edit(puts, removals)
}

// apply makes an entry's map change the state's. typed has the changed
// occupants where the caller already has them; the rest is parsed.
func (s *state) apply(e *store.Entry, tree *chain.Tree, typed map[string]protocol.Occupant) error {
	if e.Cleared {
		for key := range maps.Clone(s.rows) {
			s.setRow(key, nil)
		}
		s.resetSeq = e.Seq
	}
	for i := range e.Rows {
		r := &e.Rows[i]
		if isSpaceKey(r.Key) {
			continue
		}
		occupant, known := typed[r.Key]
		if !known && r.JSON != nil {
			var err error
			if occupant, err = chain.ParseOccupant(r.JSON); err != nil {
				return fmt.Errorf("row %q of entry %d: %w", r.Key, e.Position, err)
			}
		}
		s.setRow(r.Key, occupant)
	}
	if e.Header != nil {
		if s.sid != "" && e.Header.SID != s.sid {
			s.resetSeq = e.Seq
		}
		s.sid, s.grid = e.Header.SID, gridOf(e.Header)
	}
	if s.at > 0 && e.FirstSeq() != s.seq+1 {
		s.jumped = e.FirstSeq() - 1
	}
	s.at, s.commit, s.time = e.Position, e.Commit, e.At
	s.rev, s.seq, s.tree = e.Rev, e.Seq, tree
	return nil
}

// setRow puts an occupant on the map, or takes it off with nil, and keeps what
// is derived from the rows.
func (s *state) setRow(key string, next protocol.Occupant) {
	prev, had := s.rows[key]
	if had {
		s.unindex(key, prev)
		delete(s.rows, key)
	}
	if next != nil {
		s.rows[key] = next
		s.index(key, next)
	}
	s.undo = append(s.undo, func() {
		if next != nil {
			s.unindex(key, next)
			delete(s.rows, key)
		}
		if had {
			s.rows[key] = prev
			s.index(key, prev)
		}
	})
}

func (s *state) index(key string, o protocol.Occupant) {
	s.cells[cellOf(o)] = key
	switch row := o.(type) {
	case *protocol.Agent:
		s.players[row.AgentID] = key
		s.count(row.NodeID, 1)
	case *protocol.MCP:
		s.placements[placement{row.NodeID, row.Name}] = row.ID
		s.count(row.NodeID, 1)
	}
}

func (s *state) unindex(key string, o protocol.Occupant) {
	if s.cells[cellOf(o)] == key {
		delete(s.cells, cellOf(o))
	}
	switch row := o.(type) {
	case *protocol.Agent:
		if s.players[row.AgentID] == key {
			delete(s.players, row.AgentID)
		}
		s.count(row.NodeID, -1)
	case *protocol.MCP:
		if p := (placement{row.NodeID, row.Name}); s.placements[p] == row.ID {
			delete(s.placements, p)
		}
		s.count(row.NodeID, -1)
	}
}

// count keeps the number of rows that the limits are about.
func (s *state) count(owner string, by int) {
	s.occupants += by
	if s.owned[owner] += by; s.owned[owner] == 0 {
		delete(s.owned, owner)
	}
}

// agent is the row of a player, nil if it is not on the map.
func (s *state) agent(playerID string) *protocol.Agent {
	row, _ := s.rows[s.players[playerID]].(*protocol.Agent)
	return row
}
