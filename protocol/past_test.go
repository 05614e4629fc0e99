package protocol_test

import (
	"testing"

	"github.com/playctl/playctl/protocol"
)

func TestSubject(t *testing.T) {
	for data, want := range map[string]string{
		`{"playerId":"a","fromPlayerId":"b"}`:                   "a",
		`{"player":{"kind":"agent","agentId":"a"}}`:             "a",
		`{"person":{"kind":"human","id":"p"}}`:                  "p",
		`{"personId":"p","reason":"disconnect"}`:                "p",
		`{"mcp":{"kind":"mcp","id":"m"}}`:                       "m",
		`{"id":"m","reason":"admin"}`:                           "m",
		`{"requestId":"r","toPlayerId":"b","fromPlayerId":"a"}`: "a",
		`{"spaceId":"s","action":"created"}`:                    "s",
		`{"reason":"admin","sid":"s"}`:                          "",
		`{"playerId":1}`:                                        "",
	} {
		if got := protocol.Subject([]byte(data)); got != want {
			t.Errorf("the subject of %s is %q, want %q", data, got, want)
		}
	}
}
