package mcp

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Whatever a line contains, what is written to the client is JSON, and what the SDK gets
// has no id twice.
func FuzzReceive(f *testing.F) {
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `[{"jsonrpc":"2.0","id":"a","method":"x","params":null},7]`, "\ufeff{} {\xff",
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, `{"id":{},"result":{}}`, `{"jsonrpc":"2.0","id":7,"method":`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var out bytes.Buffer
		c := &session{out: &out, open: map[jsonrpc.ID]*request{}}
		for range 2 {
			if err := c.receive(line{text: text}); err != nil {
				t.Fatal(err)
			}
		}
		seen := map[jsonrpc.ID]bool{}
		for _, m := range c.queue {
			if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
				if seen[r.ID] {
					t.Errorf("%q: the id %v is used twice", text, r.ID.Raw())
				}
				seen[r.ID] = true
			}
		}
		for line := range bytes.Lines(out.Bytes()) {
			if !json.Valid(line) {
				t.Errorf("%q: the answer is %q", text, line)
			}
		}
	})
}

func FuzzArguments(f *testing.F) {
	for _, text := range []string{`{"question":1,"steps":"[{\"tool\":\"t\"}]","answer":null}`, `"{}"`, `[]`, `null`, `{"steps":[{"tool":1e999}]}`} {
		f.Add([]byte(text))
	}
	journeys, events := schemaOf[journeyArgs](), schemaOf[eventsArgs]()
	f.Fuzz(func(_ *testing.T, text []byte) {
		_ = journeys.read(text, &journeyArgs{})
		_ = events.read(text, &eventsArgs{})
	})
}
