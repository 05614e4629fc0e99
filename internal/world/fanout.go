package world

import (
	"strconv"

	"github.com/playctl/playctl/internal/store"
)

// Envelopes encodes the public events of an entry, in order, each as a
// protocol.FanoutEnvelope for a pub/sub channel. The store publishes them within the
// entry's commit. An envelope's data is that of streams, without inline nodes: a
// receiver that forwards it unchanged gives its clients the same data as this host.
func Envelopes(e *store.Entry) [][]byte {
	var envelopes [][]byte
	for i := range e.Events {
		if len(e.Events[i].Audience) == 0 {
			envelopes = append(envelopes, envelope(e, i))
		}
	}
	return envelopes
}

// envelope writes the JSON itself: its parts are JSON already, and every attempt
// of a commit needs it.
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
