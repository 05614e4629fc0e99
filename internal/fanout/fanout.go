// Package fanout encodes a world's events as the contract's envelope, for a
// pub/sub channel: each one that everybody may see, once and in order. What
// publishes them within an entry's commit is the store.
package fanout

import (
	"encoding/hex"
	"strconv"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/world"
)

// Envelopes encodes the events of an entry that everybody may see, in order, each
// as protocol.FanoutEnvelope. An envelope's data is what streams have, without
// inline nodes: a receiver that hands it on as it is gives its clients what this
// host gives its own.
func Envelopes(e *store.Entry) [][]byte {
	var envelopes [][]byte
	for i := range e.Events {
		if len(e.Events[i].Audience) == 0 {
			envelopes = append(envelopes, envelope(e, i))
		}
	}
	return envelopes
}

// envelope writes the JSON itself: what it is made of is JSON already, and it is
// made for every attempt of a commit.
func envelope(e *store.Entry, i int) []byte {
	data := world.EventData(e, i)
	b := make([]byte, 0, len(data)+len(e.Notify)+200)
	b = append(b, `{"rev":`...)
	b = strconv.AppendUint(b, e.Rev, 10)
	// The kinds are the protocol's names, which need no escapes.
	b = append(b, `,"event":"`...)
	b = append(b, e.Events[i].Kind...)
	b = append(b, `","data":`...)
	b = append(b, data...)
	b = append(b, `,"merkleRootHex":"`...)
	b = hex.AppendEncode(b, e.Root[:])
	b = append(b, `","merkleLeafCount":`...)
	b = strconv.AppendUint(b, uint64(e.LeafCount), 10)
	if i == 0 && len(e.Notify) > 0 {
		b = append(b, `,"playerChainNotify":`...)
		b = append(b, e.Notify...)
	}
	return append(b, '}')
}
