package world

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/replay"
	"github.com/playctl/playctl/protocol"
)

// planner turns one command into an entry. It reads the state and never changes
// it: staged changes are in the entry.
type planner struct {
	st      *state
	options *Options
	ctx     context.Context //nolint:containedctx // it lives as long as the one command that it plans
	req     *Request
	now     time.Time

	entry store.Entry
	typed map[string]protocol.Occupant
	// grown is the map's size when this command makes it grow.
	grown grid
	// renewals are the deadlines that restart without a record: losing one only costs
	// its holder a part of the term.
	renewals []store.Renewal
	// usages are the usages that the command changes, gone the seqs of the records
	// that it drops, and closed the account that it deletes.
	usages   []accountUsage
	usageBuf [1]accountUsage
	gone     []uint64
	closed   string
	// tallies are the numbers of remembered ids that the command changes, talliedBefore
	// what they were, remembering the id that it adds last, and forgotten the keys of
	// those that it forgets.
	tallies       map[string]int
	talliedBefore map[string]int
	remembering   []byte
	forgotten     map[string]struct{}
	// staged is the idempotency record of this command.
	staged  *repeat
	private []privatePart
	// loop is the commit loop of the batch.
	loop *commitLoop
	// expired are the deadlines that the plan relies on having passed.
	expired []store.Deadline
	// fence is the lock that the plan depends on.
	fence *store.Fence
}

// stagedPlan is a command's effect, ready to be applied.
type stagedPlan struct {
	entry *store.Entry
	tree  *chain.Tree
	typed map[string]protocol.Occupant
	// after is the map after the entry.
	after replay.Map
	reply Reply
	// private are the secrets of its events.
	private  []privatePart
	renewals []store.Renewal
	expired  []store.Deadline
	fence    *store.Fence
}

// at returns the command's time in wire form.
func (p *planner) at() string { return protocol.FormatTime(p.now) }

// nextSeq is the seq that the next event gets.
func (p *planner) nextSeq() uint64 { return p.st.Seq + uint64(len(p.entry.Events)) + 1 }

// putRow stages an occupant and returns its canonical JSON. changed is false
// when the map has exactly that row already; nothing is staged then.
func (p *planner) putRow(o protocol.Occupant) (row []byte, changed bool, err error) {
	if p.st.encoded, err = chain.AppendOccupant(p.st.encoded[:0], o); err != nil {
		return nil, false, fmt.Errorf("encode the row of %s: %w", o.StableKey(), err)
	}
	row, changed = p.putEncoded(o)
	return row, changed, nil
}

// putEncoded is putRow for an occupant whose canonical JSON is in the state's memory for
// it.
func (p *planner) putEncoded(o protocol.Occupant) (row []byte, changed bool) {
	key := o.StableKey()
	if leaf := p.st.Tree.Get(key); leaf != nil && bytes.Equal(leaf.Payload(), p.st.encoded) {
		return leaf.Payload(), false
	}
	row = bytes.Clone(p.st.encoded)
	p.stage(key, row, o)
	return row, true
}

// dropRow stages the removal of an occupant or a space.
func (p *planner) dropRow(key string) { p.stage(key, nil, nil) }

func (p *planner) stage(key string, row []byte, o protocol.Occupant) {
	p.entry.Rows = append(p.entry.Rows, store.Row{Key: key, JSON: row})
	if p.typed == nil {
		p.typed = make(map[string]protocol.Occupant, 1)
	}
	p.typed[key] = o
}

// placeNew chooses the cell of a new row and enlarges the map if necessary.
func (p *planner) placeNew(key string) (x, y float64) {
	c := p.growForOne().place(key, func(c cell) bool {
		if _, taken := p.st.cells[c]; taken {
			return true
		}
		for _, o := range p.typed {
			if o != nil && cellOf(o) == c {
				return true
			}
		}
		return false
	})
	return float64(c.x), float64(c.y)
}

// growForOne enlarges the map if one more row requires it, and returns its size.
func (p *planner) growForOne() grid {
	size := p.st.grid
	if p.grown.width > 0 {
		size = p.grown
	}
	if next := size.grown(len(p.st.rows) + len(p.entry.Rows) + 1); next != size {
		p.grown, size = next, next
		p.entry.Header = size.header(p.st.SID)
	}
	return size
}

// put stages a record as JSON.
func (p *planner) put(table store.Table, key string, value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode the record %s/%s: %w", table, key, err)
	}
	p.putBytes(table, []byte(key), b)
	return nil
}

func (p *planner) putBytes(table store.Table, key, value []byte) {
	p.entry.Records = append(p.entry.Records, store.Record{Table: table, Key: key, Value: value})
}

func (p *planner) erase(table store.Table, key string) {
	p.entry.Records = append(p.entry.Records, store.Record{Table: table, Key: []byte(key)})
}

// emit stages an event with its own fields.
func (p *planner) emit(kind protocol.EventKind, own any) error {
	b, err := json.Marshal(own)
	if err != nil {
		return fmt.Errorf("encode the event %s: %w", kind, err)
	}
	p.emitBytes(kind, b)
	return nil
}

func (p *planner) emitBytes(kind protocol.EventKind, own []byte) {
	p.entry.Events = append(p.entry.Events, store.Event{Kind: string(kind), Data: own})
}

// finish completes the entry: positions, root and notify. It returns nil when
// the command changes nothing at all.
func (p *planner) finish() (*stagedPlan, error) {
	p.stageUsages()
	p.stageTallies()
	e, st := &p.entry, p.st
	mapChanged := len(e.Rows) > 0 || e.Header != nil || e.Cleared
	if !mapChanged && len(e.Events) == 0 && len(e.Records) == 0 {
		return &stagedPlan{}, nil
	}
	e.Position, e.At, e.MapChanged = st.Position+1, p.now.UnixMilli(), mapChanged
	e.Commit, e.Prev = p.loop.commit, st.Commit
	e.Rev, e.Seq = st.Rev, st.Seq+uint64(len(e.Events))
	if mapChanged {
		e.Rev++
	}
	tree, err := st.SetRoot(e)
	if err != nil {
		return nil, fmt.Errorf("change the map: %w", err)
	}
	if mapChanged && !e.Cleared {
		notify := chain.NotifyFor(st.Tree, tree, p.changedKeys(), p.at())
		if e.Notify, err = json.Marshal(notify); err != nil {
			return nil, fmt.Errorf("encode the notify of entry %d: %w", e.Position, err)
		}
	}
	return &stagedPlan{entry: e, tree: tree, typed: p.typed, private: p.private}, nil
}

func (p *planner) changedKeys() []string {
	keys := make([]string, 0, len(p.entry.Rows)+1)
	if p.entry.Header != nil {
		keys = append(keys, protocol.HeaderStableKey)
	}
	for i := range p.entry.Rows {
		keys = append(keys, p.entry.Rows[i].Key)
	}
	return keys
}

func isSpaceKey(key string) bool { return strings.HasPrefix(key, protocol.SpaceKeyPrefix) }

// lookups are the records that the plans of a batch need, as of the state's tip.
// They are read at once, because over a network single reads are too slow. Other
// records are read when they are needed.
type lookups map[lookup][]byte

type lookup struct {
	table store.Table
	key   string
}

// prefetcher is a command that needs records of the store to be planned.
type prefetcher interface{ lookups(*state) []store.Lookup }

// wanted lists the lookups that the jobs need.
func wanted(s *state, batch []*job) []store.Lookup {
	var list []store.Lookup
	for _, j := range batch {
		if j.gone() != nil {
			continue
		}
		if key := j.req.Idempotency; key != nil {
			list = append(list, store.Lookup{Table: store.Idempotency, Key: key.Key[:]})
			list = append(list, idempotencyKeys.tallies(key.Caller)...)
		}
		if c, ok := j.command.(prefetcher); ok {
			list = append(list, c.lookups(s)...)
		}
	}
	return list
}

// readAll reads records for the plans of the batch.
func (l *commitLoop) readAll(ctx context.Context, journal store.Journal, list []store.Lookup) error {
	if len(list) == 0 {
		return nil
	}
	values, err := journal.GetAll(ctx, list)
	if store.IsDamaged(err) {
		return nil // Each plan reads its own records: one of them is refused.
	}
	if err != nil {
		return err
	}
	if l.read == nil {
		l.read = make(lookups, len(list))
	}
	for i := range list {
		l.read[lookup{list[i].Table, string(list[i].Key)}] = values[i]
	}
	return nil
}

// get reads a record for the plan, unless the batch has emptied its table.
func (p *planner) get(table store.Table, key []byte) ([]byte, error) {
	if p.st.cleared[table] {
		return nil, nil
	}
	if value, there := p.loop.read[lookup{table, string(key)}]; there {
		return value, nil
	}
	value, err := p.options.Journal.Get(p.ctx, table, key)
	if err != nil {
		return nil, unavailable(err)
	}
	return value, nil
}

// walk goes through the records of a table that the batch has not emptied, as parse reads
// them; damaged records, and those for which parse returns false, are skipped.
func walk[T any](p *planner, table store.Table, r store.Range, parse func(store.Pair) (T, bool, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		if p.st.cleared[table] {
			return
		}
		for pair, err := range p.options.Journal.Scan(p.ctx, table, r) {
			var parsed T
			wanted := false
			if store.IsDamaged(err) {
				continue
			}
			if err == nil {
				parsed, wanted, err = parse(pair)
			}
			if err != nil {
				yield(parsed, unavailable(err))
				return
			}
			if wanted && !yield(parsed, nil) {
				return
			}
		}
	}
}
