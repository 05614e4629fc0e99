package chain

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/playctl/playctl/protocol"
)

// NodeReply is the reply to `getPlayerChainNode`. Rev is nil if a host states none.
type NodeReply struct {
	Node protocol.ChainNode
	Rev  *uint64
}

// NodesReply is the reply to `getPlayerChainNodes`: nodes in the requested order,
// all at one rev.
type NodesReply struct {
	Nodes           []protocol.ChainNode
	Rev             *uint64
	MerkleRootHex   string
	MerkleLeafCount int
}

// ProofReply is the reply to `getPlayerChainProof`.
type ProofReply struct {
	Node  protocol.ChainNode
	Proof Proof
	Rev   *uint64
}

// ParseNodeRPCBody parses the body of a reply to `getPlayerChainNode`. A host of
// the agent-play service omits `removed` if a row is present; that is read as
// false. Every error is ErrNode.
func ParseNodeRPCBody(body []byte) (NodeReply, error) {
	text, err := Canonicalize(nil, body)
	if err != nil {
		return NodeReply{}, fmt.Errorf("%w: %w", ErrNode, err)
	}
	node, err := readNode(field(text, "node"))
	if err != nil {
		return NodeReply{}, err
	}
	return NodeReply{Node: node, Rev: asRev(field(text, "rev"))}, nil
}

// ParseNodesRPCBody parses the body of a reply to `getPlayerChainNodes`. Every
// error is ErrNode.
func ParseNodesRPCBody(body []byte) (NodesReply, error) {
	text, err := Canonicalize(nil, body)
	if err != nil {
		return NodesReply{}, fmt.Errorf("%w: %w", ErrNode, err)
	}
	list := field(text, "nodes")
	if !isArray(list) {
		return NodesReply{}, badNode("nodes", "a list")
	}
	r := NodesReply{Rev: asRev(field(text, "rev"))}
	r.MerkleRootHex, r.MerkleLeafCount = rootIn(text)
	r.Nodes, err = readNodes(list, protocol.MaxStableKeys)
	return r, err
}

// ParseProofRPCBody parses the body of a reply to `getPlayerChainProof`. The proof
// is parsed, not verified: see ProofReply.Verify. Every error is ErrNode.
func ParseProofRPCBody(body []byte) (ProofReply, error) {
	text, err := Canonicalize(nil, body)
	if err != nil {
		return ProofReply{}, fmt.Errorf("%w: %w", ErrNode, err)
	}
	node, err := readNode(field(text, "node"))
	if err != nil {
		return ProofReply{}, err
	}
	r := ProofReply{Node: node, Rev: asRev(field(text, "rev"))}
	if err := json.Unmarshal(text, &r.Proof); err != nil {
		return ProofReply{}, fmt.Errorf("%w: its proof: %w", ErrNode, err)
	}
	return r, nil
}

// Verify checks that the reply proves its own node, under the requested key,
// against a root and count that the caller trusts. Every error is ErrProof or, for
// a node that cannot be read, ErrNode.
func (r *ProofReply) Verify(key string, root Digest, leafCount int) error {
	leaf, err := leafFor(&r.Node, key)
	if err != nil {
		return err
	}
	if leaf == nil {
		return fmt.Errorf("%w: %.200q is not in the chain", ErrProof, key)
	}
	return r.Proof.Verify(leaf.Payload(), root, leafCount)
}

// readNodes reads a canonical list of at most limit nodes.
func readNodes(list []byte, limit int) ([]protocol.ChainNode, error) {
	nodes := []protocol.ChainNode{}
	for item := range items(list) {
		if len(nodes) == limit {
			return nil, fmt.Errorf("%w: %w: more than %d nodes", ErrNode, ErrTooMany, limit)
		}
		node, err := readNode(item)
		if err != nil {
			return nil, fmt.Errorf("node %d: %w", len(nodes), err)
		}
		nodes = append(nodes, node)
	}
	return nodes, nil
}

// asRev returns the value of a rev or seq, nil if it is not one or so large that a
// double cannot distinguish it from its neighbor.
func asRev(value []byte) *uint64 {
	n, err := strconv.ParseUint(string(value), 10, 64)
	if err != nil || n >= maxExactInt {
		return nil
	}
	return &n
}

// rootIn returns the root and the leaf count in a host's message, "" and 0 if it
// states none.
func rootIn(text []byte) (root string, count int) {
	root, _ = asText(field(text, "merkleRootHex"))
	n, _ := asCount(field(text, "merkleLeafCount"))
	return root, int(n)
}
