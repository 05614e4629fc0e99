package world

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"sync"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// View is the world at one moment. It is immutable and shared: reading it never
// waits for the writer.
type View struct {
	// SID is the session.
	SID string
	// RootKey is the world's mainNodeId and the chain's genesis text.
	RootKey string
	// Rev and Seq are the map's revision and the log's position.
	Rev, Seq uint64
	// Bounds are the map's limits.
	Bounds protocol.Bounds
	// Tree holds every leaf of the chain, rows as canonical JSON.
	Tree *chain.Tree

	body *snapshotBody
	// at and time are the entry that made the view.
	at     store.Position
	commit store.CommitID
	time   int64
}

// snapshotBody is the part of a snapshot that depends on the rev alone, encoded
// when the first reader asks and shared by all views of that rev.
type snapshotBody struct {
	once sync.Once
	// json ends with one brace more than the snapshot has: that of the reply
	// which it is the one field of.
	json []byte
}

// Snapshot returns the snapshot's JSON in two parts to be written one after the
// other: the second, large one is shared by all readers of a rev and must not
// be changed.
func (v *View) Snapshot() (head, body []byte) {
	head, body = v.parts("")
	return head, body[:len(body)-1]
}

// SnapshotReply returns the reply of getWorldSnapshot, {"snapshot": …}, in two
// parts as Snapshot does. Its closing brace is in the shared part: written alone
// it would cost a packet.
func (v *View) SnapshotReply() (head, body []byte) { return v.parts(`{"snapshot":`) }

func (v *View) parts(before string) (head, body []byte) {
	v.body.once.Do(func() { v.body.json = encodeBody(v) })
	b := make([]byte, 0, 256)
	b = append(b, before...)
	b = append(b, `{"sid":`...)
	b = appendString(b, v.SID)
	b = append(b, `,"mainNodeId":`...)
	b = appendString(b, v.RootKey)
	b = append(b, `,"rev":`...)
	b = strconv.AppendUint(b, v.Rev, 10)
	b = append(b, `,"seq":`...)
	b = strconv.AppendUint(b, v.Seq, 10)
	return b, v.body.json
}

// Find returns an occupant's or a space's canonical JSON, nil if the key is not
// on the map.
func (v *View) Find(stableKey string) []byte {
	if _, leaf := v.Tree.Find(stableKey); leaf != nil {
		return leaf.Payload()
	}
	return nil
}

// Node returns the chain node of a stable key as JSON. A key that is not on the
// map is a removed node; one that can never be is refused with
// stable_key_unknown.
func (v *View) Node(stableKey string) ([]byte, error) {
	if protocol.NodeKindOf(stableKey) == "" {
		return nil, protocol.Errorf(protocol.CodeStableKeyUnknown, "the stable key is of no kind that a map has")
	}
	node, err := chain.AppendNode(nil, v.Tree, stableKey)
	if err != nil {
		return nil, refusal(fmt.Errorf("encode the node of %s: %w", stableKey, err))
	}
	return node, nil
}

// encodeBody writes everything behind `seq`, and the brace of a reply. Rows are already canonical JSON,
// so they are copied and never encoded again.
func encodeBody(v *View) []byte {
	root := v.Tree.Root()
	b := make([]byte, 0, 512+v.Tree.Len()*512)
	b = append(b, `,"merkleRootHex":"`...)
	b = hex.AppendEncode(b, root[:])
	b = append(b, `","merkleLeafCount":`...)
	b = strconv.AppendInt(b, int64(v.Tree.Len()), 10)
	b = append(b, `,"worldMap":{"bounds":`...)
	b = appendBounds(b, v.Bounds)
	b = append(b, `,"occupants":[`...)
	b = appendPayloads(b, v.Tree.Occupants())
	b = append(b, `]},"spaces":[`...)
	b = appendPayloads(b, v.Tree.Spaces())
	b = append(b, `],"mcpServers":[`...)
	b = appendMCPServers(b, v.Tree)
	return append(b, `]}}`...)
}

func appendBounds(b []byte, r protocol.Bounds) []byte {
	for _, f := range [...]struct {
		name  string
		value float64
	}{{`{"minX":`, r.MinX}, {`,"minY":`, r.MinY}, {`,"maxX":`, r.MaxX}, {`,"maxY":`, r.MaxY}} {
		b = append(b, f.name...)
		b = strconv.AppendInt(b, int64(f.value), 10)
	}
	return append(b, '}')
}

func appendPayloads(b []byte, leaves iter.Seq2[int, *chain.Leaf]) []byte {
	first := true
	for _, leaf := range leaves {
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(b, leaf.Payload()...)
	}
	return b
}

// appendMCPServers repeats the mcp rows in the form of `mcpServers`.
func appendMCPServers(b []byte, tree *chain.Tree) []byte {
	first := true
	for _, leaf := range tree.Occupants() {
		if !strings.HasPrefix(leaf.Key(), protocol.MCPKeyPrefix) {
			continue
		}
		var server protocol.MCPServer
		if json.Unmarshal(leaf.Payload(), &server) != nil {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = appendMCPServer(b, &server)
	}
	return b
}

func appendMCPServer(b []byte, s *protocol.MCPServer) []byte {
	b = appendString(append(b, `{"id":`...), s.ID)
	b = appendString(append(b, `,"name":`...), s.Name)
	if s.URL != "" {
		b = appendString(append(b, `,"url":`...), s.URL)
	}
	return append(b, '}')
}
