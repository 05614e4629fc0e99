package memory

import (
	"slices"

	"github.com/tidwall/btree"

	"github.com/playctl/playctl/internal/store"
)

// snapshot is the entries of now.
func (j *Journal) snapshot() []entry {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return slices.Clip(j.entries)
}

// copyTables copies every table; a copy shares what does not change.
func (j *Journal) copyTables() map[store.Table]*btree.Map[string, []byte] {
	j.mu.Lock()
	defer j.mu.Unlock()
	tables := make(map[store.Table]*btree.Map[string, []byte], len(j.tables))
	for name, t := range j.tables {
		tables[name] = t.Copy()
	}
	return tables
}

// restore puts the journal back to what it was; checkpoints past it go.
func (j *Journal) restore(entries []entry, tables map[store.Table]*btree.Map[string, []byte]) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries, j.tables = entries, tables
	head := j.head().Position
	j.checkpoints = slices.DeleteFunc(j.checkpoints, func(c checkpoint) bool { return c.Position > head })
}
