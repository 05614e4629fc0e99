package chain

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/playctl/playctl/protocol"
)

// Stated is the root and the leaf count that a host stated for a snapshot; empty if
// it stated none.
type Stated struct {
	MerkleRootHex   string
	MerkleLeafCount int
}

// ParseSnapshot parses a snapshot, with the root and leaf count that the host
// states for it; they are not compared (see Snapshot.Verify). It fails if a row
// cannot be read, or if two rows have the same key: a copy without them could never
// be verified. Every error is ErrSnapshot.
func ParseSnapshot(jsonText []byte) (*Snapshot, Stated, error) {
	text, err := Canonicalize(nil, jsonText)
	if err != nil {
		return nil, Stated{}, fmt.Errorf("%w: %w", ErrSnapshot, err)
	}
	return readSnapshot(text)
}

func readSnapshot(text []byte) (*Snapshot, Stated, error) {
	head, err := readSnapshotHead(text)
	if err != nil {
		return nil, Stated{}, err
	}
	leaves, err := readLeaves(nil, field(field(text, "worldMap"), "occupants"), "occupant", occupantKey)
	if err != nil {
		return nil, Stated{}, err
	}
	leaves, err = readLeaves(leaves, field(text, "spaces"), "space", spaceKey)
	if err != nil {
		return nil, Stated{}, err
	}
	rows := NewTree(leaves...)
	if rows.Len() != len(leaves) {
		return nil, Stated{}, fmt.Errorf("%w: two rows have the same stable key", ErrSnapshot)
	}
	s, err := NewSnapshot(head, rows)
	if err != nil {
		return nil, Stated{}, err
	}
	var stated Stated
	stated.MerkleRootHex, stated.MerkleLeafCount = rootIn(text)
	return s, stated, nil
}

func readSnapshotHead(text []byte) (Head, error) {
	var h Head
	var ok bool
	if h.SID, ok = asText(field(text, "sid")); !ok {
		return h, badSnapshot("sid", "a string")
	}
	h.MainNodeID, _ = asText(field(text, "mainNodeId"))
	worldMap := field(text, "worldMap")
	var err error
	if h.Bounds, err = readBounds(field(worldMap, "bounds")); err != nil {
		return h, fmt.Errorf("%w: worldMap.bounds: %w", ErrSnapshot, err)
	}
	if !isArray(field(worldMap, "occupants")) {
		return h, badSnapshot("worldMap.occupants", "a list")
	}
	h.Rev, h.Seq = asRev(field(text, "rev")), asRev(field(text, "seq"))
	return h, nil
}

// readLeaves appends the leaves of a list of rows, which may be absent.
func readLeaves(leaves []*Leaf, list []byte, what string, keyOf keyReader) ([]*Leaf, error) {
	n := 0
	for item := range items(list) {
		key, err := keyOf(item)
		if err != nil {
			return nil, fmt.Errorf("%w: %s %d: %w", ErrSnapshot, what, n, err)
		}
		leaves = append(leaves, NewLeaf(key, item))
		n++
	}
	return leaves, nil
}

func badSnapshot(name, want string) error {
	return fmt.Errorf("%w: %w", ErrSnapshot, fieldError(name, want))
}

// AppendJSON appends the JSON of the snapshot to dst, in the form of the protocol:
// rows in chain order, the root and the leaf count computed from them, mcpServers
// derived from the mcp rows. Rev and seq are omitted if they are unknown. It fails
// on bounds that are not finite; dst is then returned unchanged.
func (s *Snapshot) AppendJSON(dst []byte) ([]byte, error) {
	parts, err := SnapshotBody(s.head.Bounds, s.tree)
	if err != nil {
		return dst, fmt.Errorf("encode the snapshot: %w", err)
	}
	dst = AppendSnapshotHead(dst, s.head)
	for part := range parts {
		dst = append(dst, part...)
	}
	return dst, nil
}

// MarshalJSON implements json.Marshaler.
func (s *Snapshot) MarshalJSON() ([]byte, error) { return s.AppendJSON(nil) }

// AppendSnapshotHead appends the first part of a snapshot's JSON to dst, from the
// opening brace to `seq`: the part that can differ between two snapshots of the
// same rows. SnapshotBody has the rest. Bytes that are not UTF-8 become
// U+FFFD.
func AppendSnapshotHead(dst []byte, h Head) []byte {
	dst, _ = jsontext.AppendQuote(append(dst, `{"sid":`...), h.SID) // the error only reports U+FFFD
	dst, _ = jsontext.AppendQuote(append(dst, `,"mainNodeId":`...), h.MainNodeID)
	if h.Rev != nil {
		dst = strconv.AppendUint(append(dst, `,"rev":`...), *h.Rev, 10)
	}
	if h.Seq != nil {
		dst = strconv.AppendUint(append(dst, `,"seq":`...), *h.Seq, 10)
	}
	return dst
}

// SnapshotBody returns the rest of a snapshot's JSON in parts, from the comma after
// `seq` to the closing brace: root and leaf count of a tree, and its rows. A row is the
// tree's own bytes, which are canonical and must not be changed; other parts are valid
// until the next part. It fails on bounds that are not finite.
func SnapshotBody(b protocol.Bounds, t *Tree) (iter.Seq[[]byte], error) {
	limits, err := json.Marshal(b)
	if err != nil {
		return nil, fmt.Errorf("%w: the bounds: %w", ErrJSON, err)
	}
	root := t.Root()
	head := hex.AppendEncode([]byte(`,"merkleRootHex":"`), root[:])
	head = strconv.AppendInt(append(head, `","merkleLeafCount":`...), int64(t.Len()), 10)
	head = append(append(head, `,"worldMap":{"bounds":`...), limits...)
	head = append(head, `,"occupants":[`...)
	return func(yield func([]byte) bool) {
		_ = yield(head) &&
			rowsOf(t.Occupants(), yield) && yield([]byte(`]},"spaces":[`)) &&
			rowsOf(t.Spaces(), yield) && yield([]byte(`],"mcpServers":[`)) &&
			mcpServersJSON(t, yield) && yield([]byte("]}"))
	}, nil
}

// rowsOf yields the payloads of leaves as the items of an array.
func rowsOf(leaves iter.Seq2[int, *Leaf], yield func([]byte) bool) bool {
	comma := false
	for _, leaf := range leaves {
		if comma && !yield([]byte(",")) || !yield(leaf.Payload()) {
			return false
		}
		comma = true
	}
	return true
}

// mcpServersJSON yields the items of `mcpServers`.
func mcpServersJSON(t *Tree, yield func([]byte) bool) bool {
	var out []byte
	comma := 0 // the first item has none
	for server := range mcpServers(t) {
		// Only a text that is not UTF-8 causes an error, and no row of a tree has one.
		out, _ = appendRow(append(out[:0], ','), mcpServer, &server)
		if !yield(out[1-comma:]) {
			return false
		}
		comma = 1
	}
	return true
}
