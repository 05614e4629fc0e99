package chain

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"

	"github.com/playctl/playctl/protocol"
)

// The stable keys of the two leaves that every chain has.
const (
	GenesisStableKey = protocol.GenesisStableKey
	HeaderStableKey  = protocol.HeaderStableKey
)

// The four runs of leaves, in chain order.
const (
	rankGenesis = iota
	rankHeader
	rankOccupant
	rankSpace
)

func rank(key string) int {
	switch {
	case key == GenesisStableKey:
		return rankGenesis
	case key == HeaderStableKey:
		return rankHeader
	case strings.HasPrefix(key, protocol.SpaceKeyPrefix):
		return rankSpace
	}
	return rankOccupant
}

// CompareKeys orders two stable keys as their leaves are ordered in the chain:
// genesis, header, occupants, spaces, and within these by the keys' bytes.
func CompareKeys(a, b string) int {
	if c := cmp.Compare(rank(a), rank(b)); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}

// NodeKind returns the kind of chain node that a stable key names, one of the
// protocol.Node constants. A key that names none is ErrStableKey (code
// `stable_key_unknown`).
func NodeKind(key string) (string, error) {
	kind := protocol.NodeKindOf(key)
	if kind == "" {
		return "", fmt.Errorf("%w: %.200q is neither %s nor %s and has no known prefix (agent:, mcp:, human:, structure:, space:)",
			ErrStableKey, key, GenesisStableKey, HeaderStableKey)
	}
	return kind, nil
}

// Leaf is one leaf of the chain: a stable key and a canonical payload with its
// digest. A Leaf never changes, so trees of many revisions share it.
type Leaf struct {
	key    string
	hashed []byte // leafPrefix and then the payload: what the digest is of
	digest Digest
}

// NewLeaf creates a leaf. The payload is copied and must be canonical already; this
// is not checked.
func NewLeaf(key string, payload []byte) *Leaf {
	hashed := make([]byte, 0, len(leafPrefix)+len(payload))
	return sealLeaf(key, append(append(hashed, leafPrefix...), payload...))
}

// sealLeaf creates a leaf and takes ownership of hashed, which starts with
// leafPrefix.
func sealLeaf(key string, hashed []byte) *Leaf {
	return &Leaf{key: key, hashed: hashed, digest: sha256.Sum256(hashed)}
}

// GenesisLeaf returns the first leaf of a chain; text is the root key.
func GenesisLeaf(text string) *Leaf { return NewLeaf(GenesisStableKey, []byte(text)) }

// payloads holds buffers in which rows are encoded before their size is known.
var payloads = sync.Pool{New: func() any { return new([]byte) }}

// HeaderLeaf returns the second leaf of a chain. It fails only on a sid that is not
// UTF-8 and on bounds that are not finite.
func HeaderLeaf(sid string, bounds protocol.Bounds) (*Leaf, error) {
	hashed, err := appendRow([]byte(leafPrefix), headerRow, &header{Bounds: bounds, SID: sid, Version: headerVersion})
	if err != nil {
		return nil, fmt.Errorf("encode the chain header: %w", err)
	}
	return sealLeaf(HeaderStableKey, hashed), nil
}

// OccupantLeaf returns the leaf of a row of the map.
func OccupantLeaf(o protocol.Occupant) (*Leaf, error) {
	buf := payloads.Get().(*[]byte)
	defer payloads.Put(buf)
	var err error
	if *buf, err = AppendOccupant((*buf)[:0], o); err != nil {
		return nil, err
	}
	return NewLeaf(o.StableKey(), *buf), nil
}

// Key returns the leaf's stable key.
func (l *Leaf) Key() string { return l.key }

// Payload returns the leaf's canonical payload. The caller must not change it.
func (l *Leaf) Payload() []byte {
	return l.hashed[len(leafPrefix):len(l.hashed):len(l.hashed)]
}

// Digest returns the leaf's digest.
func (l *Leaf) Digest() Digest { return l.digest }

func (l *Leaf) same(other *Leaf) bool { return l == other || l.digest == other.digest }
