package world

import (
	"fmt"
	"maps"
	"slices"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/replay"
	"github.com/playctl/playctl/protocol"
)

// state is the writer's state of the world. Only apply changes it, and every
// change can be undone until the batch is committed.
type state struct {
	position

	// rows are the occupants on the map by stable key, and sizes how many bytes each has;
	// the maps below are derived from them in setRow.
	rows       map[string]protocol.Occupant
	sizes      map[string]int
	cells      map[cell]string
	players    map[string]string
	placements map[placement]string
	owned      map[string]int
	// walks are the times when people last came, moved or left, in milliseconds since
	// the Unix epoch, by their stable keys.
	walks map[string]int64
	// activity are the limits of activities.
	activity activityRates
	// accounts are the accounts with a counted amount.
	accounts map[string]*account

	nodes      map[string]*Node
	children   map[string]map[string]struct{}
	labels     map[agentLabel]string
	aggregates map[string]*Aggregate
	leases     map[string]*lease
	spaces     map[string]*Space
	intercoms  map[string]*intercom
	// invitations are by the digests of their tokens.
	invitations map[string]*Invitation
	// histories are the histories that were read, and emptied those that may have no
	// records after the batch.
	histories map[historyKey][]kept
	emptied   map[historyKey]struct{}
	// dropped are the seqs of the records that the batch drops, cursors lower bounds
	// of the positions of accounts' oldest records.
	dropped map[uint64]struct{}
	cursors map[cursor]uint64
	// closedIntercoms are the requests that the batch closed.
	closedIntercoms map[string]*intercom
	// repeats are the idempotency records of the batch that is not yet
	// committed; committed ones are in the store.
	repeats map[[32]byte]*repeat
	// tallies are the numbers of remembered ids as the batch leaves them, and forgotten
	// the keys of those that it forgets.
	tallies   map[string]int
	forgotten map[string]struct{}
	// tokens are the keys of owners' watch tokens that the batch adds (true) or removes.
	tokens map[string]bool
	// cleared are the tables that the batch empties: what the store still has of them does not
	// count any more.
	cleared map[store.Table]bool

	// encoded is memory in which a row is encoded before its length is known.
	encoded []byte
	undo    []func()
}

// position is the part of the state that is a plain value: saved before a
// batch and put back when it fails.
type position struct {
	replay.Map
	resetSeq uint64
	// jumped is where the seq last jumped; 0 if it did not since the checkpoint.
	jumped    uint64
	grid      grid
	occupants int
	// people are the rows of people.
	people int
	// used is the amount that all accounts together use.
	used Amounts
	// activityMeter is what is used of the world's limit of activities.
	activityMeter meter
}

// placement identifies an mcp row: one for each owner and name.
type placement struct{ owner, name string }

func newState(o *Options) *state {
	return &state{
		position:        position{Map: replay.New(o.RootKey), grid: smallestGrid},
		rows:            map[string]protocol.Occupant{},
		sizes:           map[string]int{},
		cells:           map[cell]string{},
		players:         map[string]string{},
		placements:      map[placement]string{},
		owned:           map[string]int{},
		walks:           map[string]int64{},
		activity:        newActivityRates(o.Limits.ActivityRate),
		accounts:        map[string]*account{},
		nodes:           map[string]*Node{},
		children:        map[string]map[string]struct{}{},
		labels:          map[agentLabel]string{},
		aggregates:      map[string]*Aggregate{},
		leases:          map[string]*lease{},
		spaces:          map[string]*Space{},
		intercoms:       map[string]*intercom{},
		invitations:     map[string]*Invitation{},
		histories:       map[historyKey][]kept{},
		emptied:         map[historyKey]struct{}{},
		dropped:         map[uint64]struct{}{},
		cursors:         map[cursor]uint64{},
		closedIntercoms: map[string]*intercom{},
		repeats:         map[[32]byte]*repeat{},
		tallies:         map[string]int{},
		forgotten:       map[string]struct{}{},
		tokens:          map[string]bool{},
		cleared:         map[store.Table]bool{},
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
	clear(s.tallies)
	clear(s.forgotten)
	clear(s.tokens)
	clear(s.cleared)
	clear(s.closedIntercoms)
	clear(s.dropped)
	s.forgetEmptied()
}

// rollback takes back everything since begin.
func (s *state) rollback() {
	for _, undo := range slices.Backward(s.undo) {
		undo()
	}
	s.keep()
}

// apply applies the next entry to the state: live, in recovery, from another host
// and after a jump. tree is what SetRoot returned for it, or nil; typed has the
// changed occupants where the caller already has them, the rest is parsed. On an
// error the caller rolls back.
func (s *state) apply(e *store.Entry, tree *chain.Tree, typed map[string]protocol.Occupant) error {
	before := s.Map
	if err := s.Apply(e, tree); err != nil {
		return err
	}
	return s.applyRest(e, &before, typed)
}

// follow is apply without the tree, which the caller replays.
func (s *state) follow(e *store.Entry) error {
	before := s.Map
	s.Pass(e)
	return s.applyRest(e, &before, nil)
}

// applyRest applies the parts of an entry besides the map.
func (s *state) applyRest(e *store.Entry, before *replay.Map, typed map[string]protocol.Occupant) error {
	if e.Cleared {
		for key := range maps.Clone(s.rows) {
			s.setRow(key, nil, 0)
		}
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
		s.setRow(r.Key, occupant, len(r.JSON))
		s.noteWalk(r.Key, e.At)
	}
	s.noteActivity(e)
	if e.Header != nil {
		s.grid = gridOf(e.Header)
	}
	if e.Cleared || before.SID != "" && s.SID != before.SID {
		s.resetSeq = e.Seq
	}
	if before.Position > 0 && e.FirstSeq() != before.Seq+1 {
		s.jumped = e.FirstSeq() - 1
	}
	return s.applyRecords(e.Records)
}

// applyNext applies an entry of another host, if it follows on the state.
func (s *state) applyNext(e *store.Entry) error {
	if e.Position != s.Position+1 || e.Prev != s.Commit {
		return fmt.Errorf("%w: entry %d does not follow entry %d", store.ErrDiverged, e.Position, s.Position)
	}
	return s.apply(e, nil, nil)
}

// setRow puts an occupant of a size on the map, or removes it with nil, and keeps
// what is derived from the rows.
func (s *state) setRow(key string, next protocol.Occupant, size int) {
	prev, prevSize := s.rows[key], s.sizes[key]
	s.replaceRow(key, next, size)
	s.undo = append(s.undo, func() { s.replaceRow(key, prev, prevSize) })
	if next == nil {
		s.setMeter(key, meter{})
	}
}

func (s *state) replaceRow(key string, next protocol.Occupant, size int) {
	if prev, had := s.rows[key]; had {
		s.unindex(key, prev)
		delete(s.rows, key)
		delete(s.sizes, key)
	}
	if next != nil {
		s.rows[key], s.sizes[key] = next, size
		s.index(key, next)
	}
}

// sizeOnMap returns how many bytes a row has on the map, 0 if it is not there.
func (s *state) sizeOnMap(key string) int {
	if leaf := s.Tree.Get(key); leaf != nil {
		return len(leaf.Payload())
	}
	return 0
}

// index adds an occupant to what is derived from the rows, and unindex removes it.
func (s *state) index(key string, o protocol.Occupant) {
	s.cells[cellOf(o)] = key
	switch row := o.(type) {
	case *protocol.Agent:
		s.players[row.AgentID] = key
	case *protocol.MCP:
		s.placements[placement{row.NodeID, row.Name}] = row.ID
	}
	s.countRow(o, 1, s.sizes[key])
}

func (s *state) unindex(key string, o protocol.Occupant) {
	deleteIf(s.cells, cellOf(o), key)
	switch row := o.(type) {
	case *protocol.Agent:
		deleteIf(s.players, row.AgentID, key)
	case *protocol.MCP:
		deleteIf(s.placements, placement{row.NodeID, row.Name}, row.ID)
	}
	s.countRow(o, -1, -s.sizes[key])
}

// deleteIf deletes the entry of a key that has this value.
func deleteIf[K comparable](m map[K]string, key K, value string) {
	if m[key] == value {
		delete(m, key)
	}
}

// countRow counts an occupant, and its bytes on the map, for its account.
func (s *state) countRow(o protocol.Occupant, by, bytes int) {
	switch row := o.(type) {
	case *protocol.Agent:
		s.place(row.NodeID, by)
		s.count(row.NodeID, MapBytes, bytes)
	case *protocol.MCP:
		s.place(row.NodeID, by)
		s.count(row.NodeID, MCPServers, by)
		s.count(row.NodeID, MapBytes, bytes)
	case *protocol.Human:
		s.people += by
		s.count(s.RootKey, MapBytes, bytes)
	}
}

// place counts the rows that occupy a cell.
func (s *state) place(owner string, by int) {
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
