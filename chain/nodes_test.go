package chain_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/protocol"
)

const (
	humanRow = `{"kind":"human","id":"h","name":"H","x":1,"y":2}`
	spaceRow = `{"id":"s","name":"S","designKey":"d","owner":{"displayName":"o"},"amenities":["shop"]}`
)

func TestInvalidNodesAreRefused(t *testing.T) {
	for name, node := range map[string]string{
		"not JSON":                `{`,
		"duplicate key":           `{"kind":"genesis","kind":"genesis","stableKey":"__genesis__","text":""}`,
		"null":                    `null`,
		"string":                  `"genesis"`,
		"no kind":                 `{"stableKey":"__genesis__","text":""}`,
		"kind in another case":    `{"Kind":"genesis","stableKey":"__genesis__","text":""}`,
		"unknown kind":            `{"kind":"player","stableKey":"agent:a:b"}`,
		"genesis by another name": `{"kind":"genesis","stableKey":"agent:a:b","text":""}`,
		"genesis without text":    `{"kind":"genesis","stableKey":"__genesis__"}`,
		"header without sid":      `{"kind":"header","stableKey":"__header__","bounds":{"minX":0,"minY":0,"maxX":1,"maxY":1}}`,
		"header by another name":  `{"kind":"header","stableKey":"space:a","sid":"s","bounds":{"minX":0,"minY":0,"maxX":1,"maxY":1}}`,
		"bounds incomplete":       `{"kind":"header","stableKey":"__header__","sid":"s","bounds":{"minX":0,"minY":0,"maxX":1}}`,
		"bounds of text":          `{"kind":"header","stableKey":"__header__","sid":"s","bounds":{"minX":"0","minY":0,"maxX":1,"maxY":1}}`,
		"removed missing":         `{"kind":"occupant","stableKey":"human:h","occupant":` + humanRow + `}`,
		"removed of text":         `{"kind":"occupant","stableKey":"human:h","removed":"no","occupant":` + humanRow + `}`,
		"removed null":            `{"kind":"occupant","stableKey":"human:h","removed":null,"occupant":` + humanRow + `}`,
		"key of a number":         `{"kind":"occupant","stableKey":5,"removed":true}`,
		"occupant in space":       `{"kind":"space","stableKey":"space:h","removed":false,"occupant":` + humanRow + `}`,
		"occupant null":           `{"kind":"occupant","stableKey":"human:h","removed":false,"occupant":null}`,
		"occupant list":           `{"kind":"occupant","stableKey":"human:h","removed":false,"occupant":[]}`,
		"x of text":               `{"kind":"occupant","stableKey":"human:h","removed":false,"occupant":{"kind":"human","id":"h","name":"H","x":"1","y":2}}`,
		"name null":               `{"kind":"occupant","stableKey":"human:h","removed":false,"occupant":{"kind":"human","id":"h","name":null,"x":1,"y":2}}`,
		"unknown row":             `{"kind":"occupant","stableKey":"npc:h","removed":false,"occupant":{"kind":"npc","id":"h","name":"H","x":1,"y":2}}`,
		"space without owner":     `{"kind":"space","stableKey":"space:s","removed":false,"space":{"id":"s","name":"S","designKey":"d","amenities":["shop"]}}`,
		"amenities not a list":    `{"kind":"space","stableKey":"space:s","removed":false,"space":{"id":"s","name":"S","designKey":"d","owner":{"displayName":"o"},"amenities":"shop"}}`,
	} {
		if n, err := strictNode([]byte(node)); !errors.Is(err, chain.ErrNode) {
			t.Errorf("%s: got %+v, %v, want ErrNode", name, n, err)
		}
	}
}

func TestStructureRequiresPlace(t *testing.T) {
	const head = `{"kind":"structure","id":"a","name":"A","x":0,"y":0,"worldId":"w"`
	for row, good := range map[string]bool{
		head + `,"spaceIds":["s"]}`:            true,
		head + `,"spaceIds":[],"gameId":"g"}`:  true,
		head + `,"gameId":"g"}`:                true,
		head + `,"spaceIds":[]}`:               false,
		head + `}`:                             false,
		head + `,"spaceIds":[],"gameId":""}`:   false,
		head + `,"spaceIds":"s","gameId":"g"}`: false,
	} {
		if _, err := chain.ParseOccupant([]byte(row)); (err == nil) != good {
			t.Errorf("%s: error %v", row, err)
		}
	}
}

func TestAnswersFor(t *testing.T) {
	human := protocol.ChainNode{Kind: "occupant", StableKey: "human:h", Occupant: json.RawMessage(humanRow)}
	other := human
	other.StableKey = "human:other"
	for name, c := range map[string]struct {
		node protocol.ChainNode
		key  string
		good bool
	}{
		"right":              {human, "human:h", true},
		"another key":        {human, "human:i", false},
		"another row":        {other, "human:other", false},
		"removed":            {protocol.ChainNode{Kind: "occupant", StableKey: "human:h", Removed: true}, "human:h", true},
		"space for occupant": {protocol.ChainNode{Kind: "space", StableKey: "human:h", Removed: true}, "human:h", false},
		"row missing":        {protocol.ChainNode{Kind: "occupant", StableKey: "human:h"}, "human:h", false},
	} {
		if err := chain.AnswersFor(c.node, c.key); (err == nil) != c.good {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestNodesOfTree(t *testing.T) {
	s := mustSnapshot(t, []byte(`{"sid":"s","mainNodeId":"m","worldMap":{"bounds":{"minX":0,"minY":-1.5,"maxX":19,"maxY":11},"occupants":[`+
		humanRow+`]},"spaces":[`+spaceRow+`]}`), `a "root"`)
	for key, want := range map[string]string{
		"__genesis__": `{"kind":"genesis","stableKey":"__genesis__","text":"a \"root\""}`,
		"__header__":  `{"kind":"header","stableKey":"__header__","sid":"s","bounds":{"minX":0,"minY":-1.5,"maxX":19,"maxY":11}}`,
		"human:h":     `{"kind":"occupant","stableKey":"human:h","removed":false,"occupant":` + humanRow + `}`,
		"space:s":     `{"kind":"space","stableKey":"space:s","removed":false,"space":` + spaceRow + `}`,
		"mcp:\"":      `{"kind":"occupant","stableKey":"mcp:\"","removed":true}`,
		"space:x":     `{"kind":"space","stableKey":"space:x","removed":true}`,
	} {
		node, err := s.Node(key)
		if err != nil {
			t.Fatal(err)
		}
		slow, err := json.Marshal(node)
		if err != nil {
			t.Fatal(err)
		}
		fast, err := node.AppendJSON([]byte("["))
		if err != nil {
			t.Fatal(err)
		}
		for way, text := range map[string][]byte{"MarshalJSON": slow, "AppendJSON": fast[1:]} {
			if diff := cmp.Diff(decoded(t, []byte(want)), decoded(t, text)); diff != "" {
				t.Errorf("%s of %s (-want +got):\n%s", way, key, diff)
			}
		}
		back, err := strictNode(fast[1:])
		if err != nil || chain.AnswersFor(back, key) != nil {
			t.Errorf("%s does not read back: %v", key, err)
		}
	}
	for _, key := range []string{"", "agent", "npc:x", "__other__", "Agent:x"} {
		if _, err := s.Node(key); !errors.Is(err, chain.ErrStableKey) {
			t.Errorf("Node(%q): %v, want ErrStableKey", key, err)
		}
	}
	for _, key := range []string{"__genesis__", "__header__"} {
		if _, err := (&chain.Tree{}).Node(key); !errors.Is(err, chain.ErrNode) {
			t.Errorf("%s of an empty tree: %v, want ErrNode", key, err)
		}
	}
}

func TestReplies(t *testing.T) {
	node := `{"kind":"occupant","stableKey":"human:h","occupant":` + humanRow + `}`
	for body, rev := range map[string]any{
		`{"node":` + node + `,"rev":7}`:                uint64(7),
		`{"node":` + node + `,"rev":9007199254740991}`: uint64(1<<53 - 1),
		`{"node":` + node + `,"rev":9007199254740993}`: nil,
		`{"node":` + node + `,"rev":-7}`:               nil,
		`{"node":` + node + `,"rev":"7"}`:              nil,
		`{"node":` + node + `,"rev":null}`:             nil,
		`{"node":` + node + `}`:                        nil,
	} {
		r, err := chain.ParseNodeRPCBody([]byte(body))
		if err != nil || (rev == nil) != (r.Rev == nil) || rev != nil && *r.Rev != rev {
			t.Errorf("%s: rev %v, %v", body, r.Rev, err)
		}
	}
	many, err := chain.ParseNodesRPCBody([]byte(`{"nodes":[` + node + `,` + node + `],"rev":3,"merkleRootHex":"ab","merkleLeafCount":4}`))
	if err != nil || len(many.Nodes) != 2 || *many.Rev != 3 || many.MerkleRootHex != "ab" || many.MerkleLeafCount != 4 {
		t.Errorf("two nodes: %+v, %v", many, err)
	}
	for name, body := range map[string]string{
		"no list":  `{"nodes":{}}`,
		"bad node": `{"nodes":[` + node + `,5]}`,
		"not JSON": `{"nodes":[`,
		"too many": `{"nodes":[` + strings.Repeat(node+",", protocol.MaxStableKeys) + node + `]}`,
	} {
		if _, err := chain.ParseNodesRPCBody([]byte(body)); !errors.Is(err, chain.ErrNode) || strings.Contains(err.Error(), "node 0") {
			t.Errorf("%s: %v, want ErrNode", name, err)
		}
	}
}

func TestProofReply(t *testing.T) {
	tree := chain.NewTree(worldWithAgents(6).leaves()...)
	leaf, err := chain.ParseOccupantLeaf([]byte(humanRow))
	if err != nil {
		t.Fatal(err)
	}
	tree = tree.Put(leaf)
	p, _ := tree.Proof("human:h")
	proof, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	node := `{"kind":"occupant","stableKey":"human:h","removed":false,"occupant":` + humanRow + `}`
	body := fmt.Sprintf(`{"node":%s,%s,"rev":9}`, node, proof[1:len(proof)-1])
	r, err := chain.ParseProofRPCBody([]byte(body))
	if err != nil || *r.Rev != 9 {
		t.Fatalf("%+v, %v", r, err)
	}
	if err := r.Verify("human:h", tree.Root(), tree.Len()); err != nil {
		t.Error(err)
	}
	if err := r.Verify("human:i", tree.Root(), tree.Len()); !errors.Is(err, chain.ErrNode) {
		t.Errorf("for another key: %v, want ErrNode", err)
	}
	if err := r.Verify("human:h", tree.Root(), tree.Len()+1); !errors.Is(err, chain.ErrProof) {
		t.Errorf("for another count: %v, want ErrProof", err)
	}
	r.Node = protocol.ChainNode{Kind: "occupant", StableKey: "human:h", Removed: true}
	if err := r.Verify("human:h", tree.Root(), tree.Len()); !errors.Is(err, chain.ErrProof) {
		t.Errorf("for a removed row: %v, want ErrProof", err)
	}
	for name, bad := range map[string]string{
		"not JSON":      body[:len(body)-1],
		"no node":       `{"leafIndex":0}`,
		"bad digest":    strings.Replace(body, `"leafDigestHex":"`, `"leafDigestHex":"Z`, 1),
		"index of text": strings.Replace(body, `"leafIndex":`, `"leafIndex":"a","x":`, 1),
	} {
		if _, err := chain.ParseProofRPCBody([]byte(bad)); !errors.Is(err, chain.ErrNode) {
			t.Errorf("%s: %v, want ErrNode", name, err)
		}
	}
}
