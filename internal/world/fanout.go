package world

import (
	"strconv"

	"github.com/playctl/playctl/internal/store"
)

// Envelopes encodes the events of an entry that everybody may see, in order, each as
// protocol.FanoutEnvelope for a pub/sub channel. What publishes them within the entry's
// commit is the store. An envelope's data is what streams have, without inline nodes: a
// receiver that hands it on as it is gives its clients what this host gives its own.
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
	b := make([]byte, 0, dataRoom(e, i)+len(notifyOf(e, i))+200)
	b = append(b, `{"rev":`...)
	b = strconv.AppendUint(b, e.Rev, 10)
	// The kinds are the protocol's names, which need no escapes.
	b = append(b, `,"event":"`...)
	b = append(b, e.Events[i].Kind...)
	b = append(b, `","data":`...)
	b = appendData(b, e, i)
	b = append(b, ',')
	return appendChain(b, e, i)
}
