package stream

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/playctl/playctl/internal/fieldorder"
)

// shortened returns an event's data without what else tail verifies or has in another
// field: the root and the number of leaves, the refs of changed rows, and the changed
// rows that are a field of the data. Other changed rows stay.
func shortened(data json.RawMessage) json.RawMessage {
	members, ok := fieldorder.Members(data)
	if !ok {
		return data
	}
	isOwn := func(row []byte) bool {
		return len(row) > 0 && slices.ContainsFunc(members, func(m fieldorder.Member) bool { return bytes.Equal(m.Value, row) })
	}
	var kept []fieldorder.Member
	for _, m := range members {
		switch m.Name {
		case "merkleRootHex", "merkleLeafCount", "playerChainNotify":
			continue
		case "playerChainNodes":
			var nodes []json.RawMessage
			if json.Unmarshal(m.Value, &nodes) != nil {
				break
			}
			nodes = slices.DeleteFunc(nodes, func(node json.RawMessage) bool {
				var changed struct {
					Occupant json.RawMessage `json:"occupant"`
				}
				return json.Unmarshal(node, &changed) == nil && isOwn(changed.Occupant)
			})
			if len(nodes) == 0 {
				continue
			}
			rest, err := json.Marshal(nodes)
			if err != nil {
				break
			}
			m.Value = rest
		}
		kept = append(kept, m)
	}
	return fieldorder.Text(kept)
}
