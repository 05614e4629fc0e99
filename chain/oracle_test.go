package chain_test

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/protocol"
)

// world is a chain by its plain definition: payloads by stable key. Its methods are
// slow and follow the text of the protocol.
type world map[string]string

// keys lists the stable keys in chain order.
func (w world) keys() []string {
	var keys []string
	for _, run := range []func(key string) bool{
		func(key string) bool { return key == "__genesis__" },
		func(key string) bool { return key == "__header__" },
		func(key string) bool { return !strings.HasPrefix(key, "__") && !strings.HasPrefix(key, "space:") },
		func(key string) bool { return strings.HasPrefix(key, "space:") },
	} {
		keys = append(keys, slices.DeleteFunc(slices.Sorted(maps.Keys(w)), func(k string) bool { return !run(k) })...)
	}
	return keys
}

func hexHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func (w world) leafHex(key string) string {
	return hexHash("wilforlan:player-chain:leaf\x00" + w[key])
}

// rootHex pairs whole levels of hex text until one digest remains.
func (w world) rootHex() string {
	var level []string
	for _, key := range w.keys() {
		level = append(level, w.leafHex(key))
	}
	if len(level) == 0 {
		return hexHash("wilforlan:player-chain:leaf\x00")
	}
	return topOf(level)
}

func topOf(level []string) string {
	if len(level) == 1 {
		return level[0]
	}
	var above []string
	for pair := range slices.Chunk(level, 2) {
		above = append(above, hexHash("wilforlan:player-chain:node\x00"+pair[0]+pair[len(pair)-1]))
	}
	return topOf(above)
}

// notifyTo returns the notify of a change to next.
func (w world) notifyTo(next world, updatedAt string) *protocol.Notify {
	var refs []protocol.NodeRef
	for i, key := range slices.Backward(w.keys()) {
		if _, there := next[key]; !there {
			refs = append(refs, protocol.NodeRef{
				StableKey: key, LeafIndex: float64(i), Removed: true, UpdatedAt: updatedAt,
			})
		}
	}
	for i, key := range next.keys() {
		if payload, there := w[key]; !there || payload != next[key] {
			refs = append(refs, protocol.NodeRef{StableKey: key, LeafIndex: float64(i), UpdatedAt: updatedAt})
		}
	}
	if refs == nil {
		return nil
	}
	return &protocol.Notify{UpdatedAt: updatedAt, Nodes: refs}
}

// leaves lists the world's leaves in no particular order.
func (w world) leaves() []*chain.Leaf {
	var leaves []*chain.Leaf
	for key, payload := range w {
		leaves = append(leaves, chain.NewLeaf(key, []byte(payload)))
	}
	return leaves
}

// failureReporter is the common part of tests, property tests and fuzz targets.
type failureReporter interface {
	Helper()
	Fatalf(format string, args ...any)
}

var (
	_ failureReporter = (*testing.T)(nil)
	_ failureReporter = (*testing.F)(nil)
)

// check compares a tree with the expected world by all methods.
func (w world) check(t failureReporter, tree *chain.Tree) {
	t.Helper()
	keys := w.keys()
	if tree.Len() != len(keys) {
		t.Fatalf("the tree has %d leaves, want %d", tree.Len(), len(keys))
	}
	if got, want := tree.Root().Hex(), w.rootHex(); got != want {
		t.Fatalf("the root of %d leaves is %s, want %s", len(keys), got, want)
	}
	n := 0
	for i, leaf := range tree.All() {
		if i != n || leaf.Key() != keys[i] || string(leaf.Payload()) != w[keys[i]] || leaf.Digest().Hex() != w.leafHex(keys[i]) {
			t.Fatalf("leaf %d is %q with %q, want %q with %q", i, leaf.Key(), leaf.Payload(), keys[n], w[keys[n]])
		}
		if at, found := tree.Find(leaf.Key()); at != i || found != leaf || tree.At(i) != leaf {
			t.Fatalf("leaf %d (%q) is found at %d", i, leaf.Key(), at)
		}
		n++
	}
	if n != len(keys) {
		t.Fatalf("iterating gives %d leaves of %d", n, len(keys))
	}
}
