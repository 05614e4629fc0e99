package chain_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/playctl/playctl/chain"
)

const updatedAt = "2026-01-02T03:04:05.678Z"

// drawKey draws from so few keys that edits often collide, in all four runs.
func drawKey() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"__genesis__", "__header__", "space:", "spaced", "agent:é:1", "agent:\U00010000:1", "agent:\uFFFD:1"}),
		rapid.Custom(func(t *rapid.T) string {
			prefix := rapid.SampledFrom([]string{"agent:", "mcp:", "human:", "structure:", "space:"}).Draw(t, "prefix")
			return fmt.Sprintf("%s%d", prefix, rapid.IntRange(0, 80).Draw(t, "id"))
		}),
	)
}

// drawWorld draws a world of up to 330 leaves, so that trees of one, two and
// three blocks above each other occur.
func drawWorld(t *rapid.T) world {
	w := world{}
	size := rapid.SampledFrom([]int{0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 255, 256, 257, 330}).Draw(t, "size")
	for i := range size {
		w[fmt.Sprintf("agent:%03d:x", i*3)] = fmt.Sprint("row ", i)
	}
	return w
}

// checkEdits makes random edits and compares every tree, the old ones again at the
// end, and every notify with the slow implementation.
func checkEdits(t *rapid.T) {
	type state struct {
		w    world
		tree *chain.Tree
	}
	w := drawWorld(t)
	tree := chain.NewTree(w.leaves()...)
	w.check(t, tree)
	states := []state{{w, tree}}
	for range rapid.IntRange(1, 12).Draw(t, "steps") {
		w = maps.Clone(w)
		tree = randomEdit(t, w, tree)
		w.check(t, tree)
		states = append(states, state{w, tree})
	}
	for i, s := range states {
		s.w.check(t, s.tree)
		prev := states[rapid.IntRange(0, i).Draw(t, "from")]
		want := prev.w.notifyTo(s.w, updatedAt)
		if diff := cmp.Diff(want, chain.Diff(prev.tree, s.tree, updatedAt)); diff != "" {
			t.Fatalf("Diff (-want +got):\n%s", diff)
		}
		keys := append(prev.w.keys(), s.w.keys()...)
		if diff := cmp.Diff(want, chain.NotifyFor(prev.tree, s.tree, keys, updatedAt)); diff != "" {
			t.Fatalf("NotifyFor (-want +got):\n%s", diff)
		}
	}
}

func TestEditsAgainstDefinition(t *testing.T) { rapid.Check(t, checkEdits) }

// FuzzEdits runs checkEdits with the fuzzer's coverage guidance.
func FuzzEdits(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkEdits)) }

// randomEdit changes w in one of the ways a Tree can be edited and returns the
// tree after the same edit.
func randomEdit(t *rapid.T, w world, tree *chain.Tree) *chain.Tree {
	key := drawKey()
	if len(w) > 0 {
		key = rapid.OneOf(key, rapid.SampledFrom(w.keys()))
	}
	payload := rapid.StringMatching("[a-c]{0,2}")
	switch rapid.IntRange(0, 2).Draw(t, "how") {
	case 0:
		k, p := key.Draw(t, "key"), payload.Draw(t, "payload")
		w[k] = p
		return tree.Put(chain.NewLeaf(k, []byte(p)))
	case 1:
		k := key.Draw(t, "key")
		delete(w, k)
		return tree.Remove(k)
	}
	var puts []*chain.Leaf
	removals := rapid.SliceOfN(key, 0, 12).Draw(t, "removals")
	for _, k := range removals {
		delete(w, k)
	}
	for _, k := range rapid.SliceOfN(key, 0, 12).Draw(t, "puts") {
		p := payload.Draw(t, "payload")
		w[k] = p
		puts = append(puts, chain.NewLeaf(k, []byte(p)))
	}
	return tree.Edit(puts, removals)
}

// TestEverySize builds every size up to three heights of blocks by appending, and
// removes the leaves again from the front.
func TestEverySize(t *testing.T) {
	const most = 300
	w, tree := world{}, &chain.Tree{}
	for i := range most {
		key := fmt.Sprintf("agent:%03d:x", i)
		w[key] = key
		tree = tree.Put(chain.NewLeaf(key, []byte(key)))
		w.check(t, tree)
	}
	for i := range most {
		key := fmt.Sprintf("agent:%03d:x", i)
		delete(w, key)
		tree = tree.Remove(key)
		w.check(t, tree)
	}
}

func TestEditWithoutChangeReturnsSameTree(t *testing.T) {
	w := world{"mcp:a": "1", "mcp:b": "2"}
	tree := chain.NewTree(w.leaves()...)
	for name, got := range map[string]*chain.Tree{
		"put of the same payload": tree.Put(chain.NewLeaf("mcp:a", []byte("1"))),
		"removal of an absent":    tree.Remove("mcp:c"),
		"both":                    tree.Edit([]*chain.Leaf{chain.NewLeaf("mcp:b", []byte("2"))}, []string{"mcp:0"}),
		"no edit":                 tree.Edit(nil, nil),
	} {
		if got != tree {
			t.Errorf("%s: the tree is a new one", name)
		}
	}
	var none *chain.Tree
	world{}.check(t, none)
	world{}.check(t, none.Remove("mcp:a"))
	world{}.check(t, &chain.Tree{})
}

func TestUpdateSharesBlocks(t *testing.T) {
	w := world{}
	for i := range 1000 {
		w[fmt.Sprintf("agent:%04d:x", i)] = "row"
	}
	tree := chain.NewTree(w.leaves()...)
	leaf := chain.NewLeaf("agent:0500:x", []byte("other"))
	got := testing.AllocsPerRun(100, func() { tree.Put(leaf) })
	// The tree itself and three blocks: 16^3 leaves fit below one.
	if got > 4 {
		t.Errorf("an update of one of 1,000 leaves makes %v allocations, want at most 4", got)
	}
	pair := []*chain.Leaf{leaf, chain.NewLeaf("agent:0501:x", []byte("other"))}
	got = testing.AllocsPerRun(100, func() { tree.Edit(pair, nil) })
	// In addition to these, the list of edits and, at each height, one of patches.
	if got > 9 {
		t.Errorf("an update of two neighbors makes %v allocations, want at most 9", got)
	}
	if n := len(chain.Changes(tree, tree.Put(leaf))); n != 1 {
		t.Errorf("%d changes, want 1", n)
	}
}

func TestRuns(t *testing.T) {
	w := world{
		"__genesis__": "g", "__header__": "h", "space:b": "", "space:a": "", "zoo:1": "", "agent:a:b": "", "mcp:x": "",
	}
	tree := chain.NewTree(w.leaves()...)
	list := func(from, to int) []string {
		var keys []string
		for _, leaf := range tree.Range(from, to) {
			keys = append(keys, leaf.Key())
		}
		return keys
	}
	var occupants, spaces []string
	for _, leaf := range tree.Occupants() {
		occupants = append(occupants, leaf.Key())
	}
	for _, leaf := range tree.Spaces() {
		spaces = append(spaces, leaf.Key())
	}
	for _, c := range []struct{ got, want []string }{
		{occupants, []string{"agent:a:b", "mcp:x", "zoo:1"}},
		{spaces, []string{"space:a", "space:b"}},
		{list(-5, 100), []string{"__genesis__", "__header__", "agent:a:b", "mcp:x", "zoo:1", "space:a", "space:b"}},
		{list(3, 5), []string{"mcp:x", "zoo:1"}},
		{list(5, 3), nil},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	if tree.OccupantCount() != 3 {
		t.Errorf("%d occupants, want 3", tree.OccupantCount())
	}
	if tree.Get("space:a") == nil || tree.Get("space:c") != nil {
		t.Error("Get finds the wrong leaves")
	}
	for range tree.All() {
		break // stopping early must be fine
	}
}

func TestAtOutOfRange(t *testing.T) {
	tree := chain.NewTree(chain.NewLeaf("mcp:a", nil))
	for _, index := range []int{-1, 1} {
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), "out of range") {
					t.Errorf("At(%d) gave %v, want a panic", index, r)
				}
			}()
			tree.At(index)
		}()
	}
}

// TestConcurrentUse edits and reads one tree from several goroutines; it is for
// the race detector.
func TestConcurrentUse(t *testing.T) {
	w := worldWithAgents(100)
	tree := chain.NewTree(w.leaves()...)
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			key := fmt.Sprintf("agent:%05d:x", i*10)
			if next := tree.Put(chain.NewLeaf(key, []byte("other"))); chain.Diff(tree, next, updatedAt) == nil {
				t.Error("the edit is lost")
			}
			if next := tree.Remove(key); next.Len() != 99 || next.Get(key) != nil {
				t.Error("the removal is lost")
			}
		})
	}
	group.Wait()
	w.check(t, tree)
}

// Each level contains the digests of the pairs of the level below, and the last one
// is the root.
func TestLevels(t *testing.T) {
	t.Parallel()
	for _, count := range []int{0, 1, 2, 3, 5, 15, 16, 17, 31, 33, 255, 256, 257, 300} {
		var leaves []*chain.Leaf
		for i := range count {
			leaves = append(leaves, chain.NewLeaf(fmt.Sprintf("mcp:%04d", i), []byte{byte(i)}))
		}
		tree := chain.NewTree(leaves...)
		var below []string
		for _, leaf := range tree.All() {
			below = append(below, leaf.Digest().Hex())
		}
		for level := range tree.Levels() {
			var got []string
			for pos, digest := range tree.Level(level) {
				if pos != len(got) {
					t.Fatalf("%d leaves: level %d gives %d at %d", count, level, pos, len(got))
				}
				got = append(got, digest.Hex())
			}
			if level > 0 {
				below = pairUp(below)
			}
			if fmt.Sprint(got) != fmt.Sprint(below) {
				t.Fatalf("%d leaves: level %d is %v, want %v", count, level, got, below)
			}
		}
		if count > 0 && (len(below) != 1 || below[0] != tree.Root().Hex()) {
			t.Errorf("%d leaves: the levels end with %v", count, below)
		}
		for range tree.Level(tree.Levels()) {
			t.Errorf("%d leaves: there is a level above the root", count)
		}
	}
}

// pairUp returns the level above another, by the protocol's definition.
func pairUp(below []string) []string {
	var above []string
	for i := 0; i < len(below); i += 2 {
		right := below[min(i+1, len(below)-1)]
		sum := sha256.Sum256([]byte("wilforlan:player-chain:node\x00" + below[i] + right))
		above = append(above, hex.EncodeToString(sum[:]))
	}
	return above
}
