package host

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// BenchmarkChainNodes reads one node, and a batch of 64.
func BenchmarkChainNodes(b *testing.B) {
	f := newFixture(b)
	main := f.main()
	keys := make([]string, 64)
	for i := range keys {
		keys[i] = protocol.AgentKey(main.id, f.player(main).id)
	}
	for name, call := range map[string]protocol.RPCRequest{
		"one":   {Op: protocol.OpGetPlayerChainNode, Payload: protocol.ChainNodeRequest{StableKey: keys[0]}},
		"batch": {Op: protocol.OpGetPlayerChainNodes, Payload: protocol.ChainNodesRequest{StableKeys: keys}},
	} {
		body, err := json.Marshal(call)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			r := f.request(http.MethodPost, "/api/play/sdk/rpc", nil, as(main))
			r.Header.Set("Content-Type", protocol.MediaTypeJSON)
			r.ContentLength = int64(len(body))
			b.ReportAllocs()
			for b.Loop() {
				r.Body = io.NopCloser(strings.NewReader(string(body)))
				f.handler.ServeHTTP(&discard{header: http.Header{}}, r)
			}
		})
	}
}
