package client

import (
	"encoding/json"
	"iter"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/protocol"
)

// Rows iterates over the rows of a snapshot's map that are of type T, such as
// *protocol.Agent, each with its JSON, in the order in which the host sent them. It
// omits rows that chain.ParseOccupant cannot read; chain.ParseSnapshot refuses a
// snapshot with such a row.
func Rows[T protocol.Occupant](s *protocol.Snapshot) iter.Seq2[json.RawMessage, T] {
	return func(yield func(json.RawMessage, T) bool) {
		for _, text := range s.WorldMap.Occupants {
			row, err := chain.ParseOccupant(text)
			if err != nil {
				continue
			}
			if one, ok := row.(T); ok && !yield(text, one) {
				return
			}
		}
	}
}

// Kinds returns how many rows of a snapshot's map there are of each kind, known or not. A
// row without a kind that can be read is not counted.
func Kinds(s *protocol.Snapshot) map[string]int {
	kinds := map[string]int{}
	for _, text := range s.WorldMap.Occupants {
		var row struct {
			Kind string `json:"kind"`
		}
		if err := protocol.Decode(text, &row); err == nil && row.Kind != "" {
			kinds[row.Kind]++
		}
	}
	return kinds
}
