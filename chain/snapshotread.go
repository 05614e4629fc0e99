package chain

import "fmt"

// Stated is what a host said about a snapshot's chain; empty where it said
// nothing.
type Stated struct {
	MerkleRootHex   string
	MerkleLeafCount int
}

// ParseSnapshot reads a snapshot, with the root and leaf count that the host
// states for it; they are not compared (see Snapshot.Verify). A row that cannot
// be read, and two rows with the same key, make the whole unreadable: a copy
// without them could never be verified. Every error is ErrSnapshot.
func ParseSnapshot(jsonText []byte) (*Snapshot, Stated, error) {
	text, err := Canonicalize(nil, jsonText)
	if err != nil {
		return nil, Stated{}, fmt.Errorf("%w: %w", ErrSnapshot, err)
	}
	return readSnapshot(text)
}

// ParseSnapshotRPCBody reads the snapshot in the body of a reply to
// `getWorldSnapshot`, as ParseSnapshot does.
func ParseSnapshotRPCBody(body []byte) (*Snapshot, Stated, error) {
	text, err := Canonicalize(nil, body)
	if err != nil {
		return nil, Stated{}, fmt.Errorf("%w: %w", ErrSnapshot, err)
	}
	return readSnapshot(field(text, "snapshot"))
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
		return nil, Stated{}, fmt.Errorf("%w: %w", ErrSnapshot, errDuplicate)
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
	if h.Bounds, ok = asBounds(field(worldMap, "bounds")); !ok {
		return h, badSnapshot("worldMap.bounds", "an object of the numbers minX, minY, maxX and maxY")
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
		leaf, err := readLeaf(item, keyOf)
		if err != nil {
			return nil, fmt.Errorf("%w: %s %d: %w", ErrSnapshot, what, n, err)
		}
		leaves = append(leaves, leaf)
		n++
	}
	return leaves, nil
}

func badSnapshot(name, want string) error {
	return fmt.Errorf("%w: %w", ErrSnapshot, fieldError(name, want))
}
