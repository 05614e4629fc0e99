package replay

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/playctl/playctl/internal/store"
)

// Usage is the size of an account's history: the record of store.Usage, which is
// written with every change of the history.
type Usage struct {
	// Lines and Journeys are the numbers of records, Bytes is the length of their keys
	// and values, and of those of the logs of the account's spaces.
	Lines, Journeys, Bytes int
	// Spent is the account's use of its rate, in bytes, at At in milliseconds since
	// the Unix epoch.
	Spent, At int64
}

// Append encodes the record: the numbers as uvarints. A number below 0 comes from a
// plan on a state that is behind its store, which is not committed.
func (u *Usage) Append(b []byte) []byte {
	for _, n := range [...]int64{int64(u.Lines), int64(u.Journeys), int64(u.Bytes), u.Spent, u.At} {
		b = binary.AppendUvarint(b, uint64(max(0, n)))
	}
	return b
}

// ParseUsage decodes a record; nil stands for an account without history.
func ParseUsage(b []byte) (Usage, error) {
	var n [5]int64
	if b != nil {
		for i := range n {
			v, size := binary.Uvarint(b)
			if size <= 0 || v > 1<<62 {
				return Usage{}, fmt.Errorf("%w: the usage of an account has %d of %d numbers", store.ErrCorrupt, i, len(n))
			}
			n[i], b = int64(v), b[size:]
		}
	}
	return Usage{Lines: int(n[0]), Journeys: int(n[1]), Bytes: int(n[2]), Spent: n[3], At: n[4]}, nil
}

// histories are the tables that Usage counts: records by owner and seq, the owners
// by seq, and the table whose records name the account of an owner.
var histories = [...]struct{ records, order, owners store.Table }{
	{store.Interactions, store.InteractionOrder, store.Nodes},
	{store.Journeys, store.JourneyOrder, store.Nodes},
	{store.SpaceLogs, "", store.Spaces},
}

// CountUsage counts the histories of a store, without damaged records. Records without an
// account count for the root node.
func CountUsage(ctx context.Context, r store.Repository, rootKey string) (map[string]Usage, error) {
	counted := map[string]Usage{}
	for _, h := range histories {
		accounts, err := accountsIn(ctx, r, h.owners)
		if err != nil {
			return nil, err
		}
		for _, table := range [...]store.Table{h.records, h.order} {
			if table == "" {
				continue
			}
			for pair, err := range r.Scan(ctx, table, store.Range{}) {
				if store.IsDamaged(err) {
					continue
				}
				if err != nil {
					return nil, fmt.Errorf("reading the table %s: %w", table, err)
				}
				owner := string(pair.Value)
				if table == h.records {
					// A NUL and the seq end the key.
					owner = string(pair.Key[:max(0, len(pair.Key)-9)])
				}
				account, owned := accounts[owner]
				if !owned {
					account = rootKey
				}
				u := counted[account]
				u.add(table, len(pair.Key)+len(pair.Value))
				counted[account] = u
			}
		}
	}
	return counted, nil
}

func (u *Usage) add(table store.Table, size int) {
	u.Bytes += size
	switch table { //nolint:exhaustive // the order of records is no record of its own
	case store.Interactions:
		u.Lines++
	case store.Journeys:
		u.Journeys++
	}
}

// accountsIn returns the accounts of the nodes or the spaces of a store, by their
// ids.
func accountsIn(ctx context.Context, r store.Repository, table store.Table) (map[string]string, error) {
	accounts := map[string]string{}
	for pair, err := range r.Scan(ctx, table, store.Range{}) {
		if store.IsDamaged(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading the table %s: %w", table, err)
		}
		var record struct {
			Parent  string `json:"parent"`
			Creator string `json:"creator"`
		}
		if err := json.Unmarshal(pair.Value, &record); err != nil {
			return nil, fmt.Errorf("%w: the record %q of the table %s: %w", store.ErrCorrupt, pair.Key, table, err)
		}
		if account := record.Parent + record.Creator; account != "" {
			accounts[string(pair.Key)] = account
		}
	}
	return accounts, nil
}
