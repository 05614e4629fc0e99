package chain_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/playctl/playctl/chain"
)

func TestInvalidNotifiesAreRefused(t *testing.T) {
	const ref = `{"stableKey":"mcp:a","leafIndex":1}`
	for name, raw := range map[string]string{
		"not JSON":          `{"updatedAt":"t","nodes":[]`,
		"duplicate key":     `{"updatedAt":"t","nodes":[],"nodes":[]}`,
		"updatedAt number":  `{"updatedAt":1,"nodes":[]}`,
		"nodes object":      `{"updatedAt":"t","nodes":{"0":` + ref + `}}`,
		"node of text":      `{"updatedAt":"t","nodes":["mcp:a"]}`,
		"index of text":     `{"updatedAt":"t","nodes":[{"stableKey":"mcp:a","leafIndex":"1"}]}`,
		"index missing":     `{"updatedAt":"t","nodes":[{"stableKey":"mcp:a"}]}`,
		"index null":        `{"updatedAt":"t","nodes":[{"stableKey":"mcp:a","leafIndex":null}]}`,
		"index too large":   `{"updatedAt":"t","nodes":[{"stableKey":"mcp:a","leafIndex":1e999}]}`,
		"key of a number":   `{"updatedAt":"t","nodes":[{"stableKey":1,"leafIndex":1}]}`,
		"removed of text":   `{"updatedAt":"t","nodes":[{"stableKey":"mcp:a","leafIndex":1,"removed":"yes"}]}`,
		"names in capitals": `{"UpdatedAt":"t","Nodes":[]}`,
		"too many":          `{"updatedAt":"t","nodes":[` + strings.Repeat(ref+",", chain.MaxNotifyNodes) + ref + `]}`,
	} {
		if n, err := chain.ParseFanoutNotify([]byte(raw)); !errors.Is(err, chain.ErrNotify) || n != nil {
			t.Errorf("%s: got %v, %v, want ErrNotify", name, n, err)
		}
		if n, err := chain.ParseFanoutNotifyFromSSEPayload([]byte(`{"playerChainNotify":` + raw + `}`)); !errors.Is(err, chain.ErrNotify) || n != nil {
			t.Errorf("%s within an event: got %v, %v, want ErrNotify", name, n, err)
		}
	}
}

func TestNotifyWithHostileIndexes(t *testing.T) {
	n, err := chain.ParseFanoutNotify([]byte(`{"updatedAt":"t","nodes":[
		{"stableKey":"a","leafIndex":-1e308},{"stableKey":"b","leafIndex":1e308,"removed":true},
		{"stableKey":"c","leafIndex":0.5,"removed":false,"updatedAt":5,"more":{}}]}`))
	if err != nil || len(n.Nodes) != 3 {
		t.Fatalf("got %+v, %v", n, err)
	}
	var order strings.Builder
	for _, ref := range chain.SortNodeRefsForSerializedFetch(n.Nodes) {
		order.WriteString(ref.StableKey)
	}
	if order.String() != "bac" || n.Nodes[2].UpdatedAt != "" {
		t.Errorf("order %s of %+v", order.String(), n)
	}
}

func TestEventState(t *testing.T) {
	const notify = `"playerChainNotify":{"updatedAt":"t","nodes":[{"stableKey":"human:h","leafIndex":2}]}`
	full := `{"rev":5,"merkleRootHex":"ab","merkleLeafCount":3,` + notify +
		`,"playerChainNodes":[{"kind":"occupant","stableKey":"human:h","removed":false,"occupant":` + humanRow + `}],"player":{}}`
	s, err := chain.ParseEventState([]byte(full))
	if err != nil || *s.Rev != 5 || s.MerkleRootHex != "ab" || s.MerkleLeafCount != 3 || len(s.Notify.Nodes) != 1 || len(s.Inline) != 1 {
		t.Errorf("got %+v, %v", s, err)
	}
	for _, data := range []string{`{}`, `{"rev":"5","playerChainNotify":null}`, `[]`, `null`} {
		if s, err = chain.ParseEventState([]byte(data)); err != nil || s.Rev != nil || s.Notify != nil || s.Inline != nil {
			t.Errorf("%s: got %+v, %v", data, s, err)
		}
	}
	for data, want := range map[string]error{
		`{"rev":5,"playerChainNotify":5}`:                 chain.ErrNotify,
		`{"rev":5,` + notify:                              chain.ErrNotify,
		`{"rev":5,` + notify + `,"playerChainNodes":[5]}`: chain.ErrNode,
	} {
		if _, err := chain.ParseEventState([]byte(data)); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", data, err, want)
		}
	}
	if s, _ = chain.ParseEventState([]byte(`{"rev":5,"playerChainNotify":5}`)); s.Rev == nil {
		t.Error("a malformed notify hides the rev")
	}
}
