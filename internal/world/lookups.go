package world

import (
	"context"

	"github.com/playctl/playctl/internal/store"
)

// lookups are the records that the commands of a batch need to be planned, as
// they were after the state's tip: read at once, because over a network one by
// one is too slow. What is not among them is read when it is needed.
type lookups map[lookup][]byte

type lookup struct {
	table store.Table
	key   string
}

// looking is a command that needs records of the store to be planned.
type looking interface{ lookups() []store.Lookup }

// wanted lists what the jobs need.
func wanted(batch []*job) []store.Lookup {
	var list []store.Lookup
	for _, j := range batch {
		if j.ctx.Err() != nil {
			continue
		}
		if key := j.req.Idempotency; key != nil {
			list = append(list, store.Lookup{Table: store.Idempotency, Key: key.Key[:]})
		}
		if c, ok := j.command.(looking); ok {
			list = append(list, c.lookups()...)
		}
	}
	return list
}

// lookUp reads what a batch needs. It is done anew for each attempt: an entry of
// another host does not tell what it did to these tables.
func (w *World) lookUp(ctx context.Context, r *round) error {
	r.read = nil
	list := wanted(r.batch)
	if len(list) == 0 {
		return nil
	}
	values, err := w.shared.journal.GetAll(ctx, list)
	if err != nil {
		return err
	}
	r.read = make(lookups, len(list))
	for i := range list {
		r.read[lookup{list[i].Table, string(list[i].Key)}] = values[i]
	}
	return nil
}

// get reads a record for the plan.
func (p *planner) get(table store.Table, key []byte) ([]byte, error) {
	if p.round != nil {
		if value, there := p.round.read[lookup{table, string(key)}]; there {
			return value, nil
		}
	}
	value, err := p.options.Journal.Get(p.ctx, table, key)
	if err != nil {
		return nil, unavailable(err)
	}
	return value, nil
}
