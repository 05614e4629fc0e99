package protocol_test

import (
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// interactionBody is the hot path of a busy host: about 300 bytes.
var interactionBody = []byte(`{"op":"recordInteraction","payload":{"playerId":"` + strings.Repeat("3f", 32) +
	`","role":"assistant","text":"I looked at the failing build: the cache key did not hold the compiler's version, so an old object was linked. I changed it and the tests pass."}}`)

func BenchmarkParseRecordInteraction(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(int64(len(interactionBody)))
	for b.Loop() {
		o, err := protocol.ParseObject(interactionBody)
		if err != nil {
			b.Fatal(err)
		}
		call, err := protocol.ParseRPC(o)
		if err != nil {
			b.Fatal(err)
		}
		payload, err := call.Payload()
		if err != nil {
			b.Fatal(err)
		}
		if _, err := protocol.ParseRequest[protocol.RecordInteractionRequest](payload); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseObject(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(int64(len(interactionBody)))
	for b.Loop() {
		if _, err := protocol.ParseObject(interactionBody); err != nil {
			b.Fatal(err)
		}
	}
}
