package world

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
)

// chainLeaf is a leaf as "playctl chain show" prints it.
type chainLeaf struct {
	Index     int    `json:"leafIndex"` // its place among the leaves, from 0
	StableKey string `json:"stableKey"`
	Digest    string `json:"leafDigestHex"` // the SHA-256 of the leaf in hex
	Bytes     int    `json:"payloadBytes"`  // the length of what is hashed
}

// chainResult is what "playctl chain show" and "verify" print.
type chainResult struct {
	Rev      *uint64     `json:"rev,omitempty"`
	Verified bool        `json:"verified"` // whether root and number of leaves are the stated ones
	Root     string      `json:"merkleRootHex"`
	Count    int         `json:"merkleLeafCount"`
	Stated   string      `json:"statedRootHex,omitempty"`   // the root that the host or the file states
	Claimed  int         `json:"statedLeafCount,omitempty"` // the number of leaves that it states
	Leaves   []chainLeaf `json:"leaves,omitempty"`          // the leaves in the order of the chain; absent in "chain verify"
	Levels   [][]string  `json:"levels,omitempty"`          // the digests level by level, the root's last; with --tree
}

func newChainShowCommand(a *command.App) *cobra.Command {
	var file string
	var tree bool
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Show the chain's leaves, their digests and the tree",
		Long: `Show the leaves of the chain with their digests, in the chain's order, and the root that is
built from them. --tree draws the tree; with --output json it adds the digests of every level.

It shows a chain whose root is not the stated one as well, with a note; "playctl chain verify"
ends with exit code 5 then.`,
		Example: command.Example("playctl chain show", "playctl chain show --tree", "playctl chain show --file world.json --output json"),
		Args:    command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			world, stated, err := worldOf(cmd.Context(), a, file)
			if err != nil {
				return err
			}
			result := chainOf(world, stated)
			for index, leaf := range world.Tree().All() {
				result.Leaves = append(result.Leaves, chainLeaf{index, leaf.Key(), leaf.Digest().Hex(), len(leaf.Payload())})
			}
			if tree {
				result.addLevels(world.Tree())
			}
			doc := leavesDocument(&result)
			if tree {
				doc.Views = []render.View{render.Text(drawTree(a.Printer.Look, &result))}
			}
			doc.Views = append([]render.View{chainFields(&result), render.Line("")}, doc.Views...)
			return a.Printer.Print(*doc)
		},
	}
	cmd.Flags().StringVar(&file, "file", "", "read the snapshot from this `file` instead of the host; - is standard input")
	cmd.Flags().BoolVar(&tree, "tree", false, "draw the tree")
	return cmd
}

// chainOf compares a world with a root and a number of leaves.
func chainOf(world *chain.Snapshot, want chain.Stated) chainResult {
	return chainResult{
		Rev: world.Head().Rev, Root: world.Root().Hex(), Count: world.LeafCount(),
		Stated: want.MerkleRootHex, Claimed: want.MerkleLeafCount,
		Verified: world.Verify(want.MerkleRootHex, want.MerkleLeafCount) == nil,
	}
}

func (r *chainResult) addLevels(tree *chain.Tree) {
	for level := range tree.Levels() {
		var digests []string
		for _, digest := range tree.Level(level) {
			digests = append(digests, digest.Hex())
		}
		r.Levels = append(r.Levels, digests)
	}
}

func chainFields(r *chainResult) render.Fields {
	fields := render.Fields{{Name: "rev", Value: command.Number(r.Rev)}, {Name: "root", Value: r.Root}, {Name: "leaves", Value: command.Decimal(int64(r.Count))}}
	switch {
	case r.Stated == "":
		return append(fields, render.Field{Name: "verified", Value: "no: no root is stated"})
	case r.Verified:
		return append(fields, render.Field{Name: "verified", Value: "yes: matches the stated root and leaf count"})
	}
	return append(fields, render.Field{Name: "verified", Value: fmt.Sprintf("NO: the stated root is %s with %d leaves", r.Stated, r.Claimed)})
}

func leavesDocument(r *chainResult) *render.Document {
	table := render.Table{
		Columns: []render.Column{{Title: "leaf", Right: true}, {Title: "digest"}, {Title: "bytes", Right: true}, {Title: "stable key", Wraps: true}},
	}
	return render.ListOf(*r, r.Leaves, table, func(leaf chainLeaf) []string {
		return []string{command.Decimal(int64(leaf.Index)), render.ShortID(leaf.Digest), command.Decimal(int64(leaf.Bytes)), leaf.StableKey}
	})
}

// treeDrawing draws a tree from its root downwards.
type treeDrawing struct {
	look   render.Look
	result *chainResult
	out    strings.Builder
}

func drawTree(look render.Look, result *chainResult) string {
	d := treeDrawing{look: look, result: result}
	if top := len(result.Levels) - 1; top >= 0 {
		d.node(top, 0, "", "")
	}
	return d.out.String()
}

// shortKey returns a stable key with shortened ids; the table of leaves has the whole
// key.
func shortKey(key string) string {
	parts := strings.Split(key, ":")
	for i := range parts {
		parts[i] = render.ShortID(parts[i])
	}
	return strings.Join(parts, ":")
}

// node draws a digest and the nodes below it. first is the prefix of its own line, rest
// the prefix of the lines below.
func (d *treeDrawing) node(level, pos int, first, rest string) {
	digest := render.ShortID(d.result.Levels[level][pos])
	d.out.WriteString(d.look.Faint(first) + d.look.Accent(digest))
	if level == 0 {
		leaf := d.result.Leaves[pos]
		fmt.Fprintf(&d.out, "  %d  %s\n", leaf.Index, shortKey(leaf.StableKey))
		return
	}
	d.out.WriteString("\n")
	left, right := 2*pos, 2*pos+1
	if right >= len(d.result.Levels[level-1]) {
		// The last digest of an odd level is paired with itself.
		d.node(level-1, left, rest+"└═ ", rest+"   ")
		return
	}
	d.node(level-1, left, rest+"├─ ", rest+"│  ")
	d.node(level-1, right, rest+"└─ ", rest+"   ")
}

func newChainVerifyCommand(a *command.App) *cobra.Command {
	var file string
	var want trusted
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Rebuild the root from a snapshot and compare it",
		Long: `Rebuild the root of the chain from every row of a snapshot, the host's or one in a file, and compare
it and the number of leaves with those that the snapshot states, or with --root and --leaves. It
ends with exit code 5 if they differ.

The file is what "playctl snapshot --output json" prints.`,
		Example: command.Example("playctl chain verify", "playctl snapshot -o json | playctl chain verify --file -"),
		Args:    command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := want.check(); err != nil {
				return err
			}
			world, stated, err := worldOf(cmd.Context(), a, file)
			if err != nil {
				return err
			}
			stated = want.over(stated)
			if stated.MerkleRootHex == "" {
				return command.Hintf(fmt.Errorf("nothing can be compared: %w", errNoRoot), "pass the root with --root and --leaves")
			}
			result := chainOf(world, stated)
			err = a.Printer.Print(render.Document{Data: result, Views: []render.View{chainFields(&result)}})
			if wrong := world.Verify(stated.MerkleRootHex, stated.MerkleLeafCount); wrong != nil {
				err = errors.Join(err, fmt.Errorf("%w: %w", command.ErrUnverified, wrong))
			}
			return err
		},
	}
	cmd.Flags().StringVar(&file, "file", "", "read the snapshot from this `file` instead of the host; - is standard input")
	want.register(cmd)
	return cmd
}
