package world

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// nodeResult is what "playctl chain node" prints.
type nodeResult struct {
	Context string             `json:"context,omitempty"`
	Rev     *uint64            `json:"rev,omitempty"`           // the rev that the node is of
	Node    protocol.ChainNode `json:"node"`                    // the node; "removed" is true in an occupant or a space that is not there
	Digest  string             `json:"leafDigestHex,omitempty"` // the SHA-256 of its leaf in hex; absent for a node that is gone
}

func newChainNodeCommand(a *command.App) *cobra.Command {
	var atRev uint64
	cmd := &cobra.Command{
		Use:   "node <stableKey>",
		Short: "Read one node of the chain",
		Long: `Read one node of the chain: __genesis__, __header__, agent:<nodeId>:<agentId>, mcp:<id>, human:<id>,
structure:<id> or space:<id>; "playctl chain show" lists them. The beginning of the id also works,
and so does the name, as in mcp:weather. A key that is not in the world is "removed", even if it
never existed.

--at-rev asks for the node as of an earlier rev. The host may no longer have that one: the result
states its rev.`,
		Example: command.Example("playctl chain node __header__", "playctl chain node __header__ --at-rev 1 -o json"),
		Args:    command.Takes("stableKey"), ValidArgsFunction: a.Completes(command.StableKeys(everyKey)),
		RunE: func(cmd *cobra.Command, args []string) error {
			key := args[0]
			if err := checkKey(key); err != nil {
				return err
			}
			if err := command.CheckNumber("at-rev", atRev); err != nil {
				return err
			}
			at := client.At{Rev: atRev, Set: cmd.Flags().Changed("at-rev")}
			return a.AsReader(cmd.Context(), "Reading the node", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
				if !at.Set {
					var err error
					if key, err = meantKey(ctx, c, key); err != nil {
						return nil, err
					}
				}
				reply, err := c.ChainNode(ctx, key, at)
				if err != nil {
					return nil, err
				}
				if err := chain.AnswersFor(reply.Node, key); err != nil {
					return nil, fmt.Errorf("%w: %w", command.ErrUnverified, err)
				}
				return nodeDocument(caller.ContextName(), reply)
			})
		},
	}
	cmd.Flags().Uint64Var(&atRev, "at-rev", 0, "read the node as of this `rev`")
	return cmd
}

func everyKey(string) bool { return true }

// checkKey refuses an invalid stable key.
func checkKey(key string) error {
	if _, err := chain.NodeKind(key); err != nil {
		return command.Hintf(command.Usagef("%q is not a stable key", key), "\"playctl chain show\" lists the keys of the world")
	}
	return nil
}

func nodeDocument(contextName string, reply chain.NodeReply) (*render.Document, error) {
	result := nodeResult{Context: contextName, Rev: reply.Rev, Node: reply.Node}
	leaf, err := chain.NodeLeaf(reply.Node)
	if err != nil {
		return nil, err
	}
	fields := render.Fields{{Name: "node", Value: reply.Node.StableKey}, {Name: "rev", Value: command.Number(reply.Rev)}}
	if leaf == nil {
		fields = append(fields, render.Field{Name: "state", Value: "not in the world"})
		return &render.Document{Data: result, Views: []render.View{fields}}, nil
	}
	result.Digest = leaf.Digest().Hex()
	fields = append(fields, render.Field{Name: "digest", Value: result.Digest})
	return &render.Document{Data: result, Views: []render.View{fields, payloadView(leaf)}}, nil
}

// payloadView shows the payload of a leaf: a row as its fields, any other text as it is.
func payloadView(leaf *chain.Leaf) render.View {
	var row map[string]json.RawMessage
	if err := protocol.Decode(leaf.Payload(), &row); err != nil {
		return render.Fields{{Name: "payload", Value: string(leaf.Payload())}}
	}
	var fields render.Fields
	for _, name := range slices.Sorted(maps.Keys(row)) {
		fields = append(fields, render.Field{Name: name, Value: shownValue(row[name])})
	}
	return fields
}

// shownValue returns a JSON value for people: a text without quotes.
func shownValue(value json.RawMessage) string {
	var text string
	if err := protocol.Decode(value, &text); err == nil {
		return text
	}
	return string(value)
}

// proofResult is a proof as "playctl chain prove" prints it: the host's reply to
// getPlayerChainProof.
type proofResult struct {
	Node protocol.ChainNode `json:"node"` // the node
	chain.Proof
	Rev *uint64 `json:"rev,omitempty"` // the rev that the proof is of
}

func newChainProveCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "prove <stableKey>",
		Short: "Print the proof that a node is in the chain",
		Long: `Print, as JSON, the proof that a node is in the chain: the node, its place, and the digests that
lead from its leaf to the root. Anyone who knows the root and the number of leaves can check it with
"playctl chain verify-proof", without a host. An invalid proof is not printed: exit code 5.`,
		Example: command.Example("playctl chain prove __header__ > proof.json", "playctl chain prove __header__ | playctl chain verify-proof -"),
		Args:    command.Takes("stableKey"), ValidArgsFunction: a.Completes(command.StableKeys(everyKey)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkKey(args[0]); err != nil {
				return err
			}
			if a.Printer.Format == render.FormatTable {
				a.Printer.Format = render.FormatJSON
			}
			return a.AsReader(cmd.Context(), "Asking for the proof", func(ctx context.Context, _ *command.Caller, c *client.Client) (*render.Document, error) {
				key, err := meantKey(ctx, c, args[0])
				if err != nil {
					return nil, err
				}
				reply, err := c.ChainProof(ctx, key)
				if err != nil {
					return nil, err
				}
				if err := reply.Verify(key, reply.Proof.MerkleRootHex, reply.Proof.MerkleLeafCount); err != nil {
					return nil, fmt.Errorf("%w: %w", command.ErrUnverified, err)
				}
				return &render.Document{Data: proofResult{reply.Node, reply.Proof, reply.Rev}}, nil
			})
		},
	}
}

// proofVerdict is what "playctl chain verify-proof" prints.
type proofVerdict struct {
	OK        bool   `json:"ok"` // whether the proof holds
	StableKey string `json:"stableKey"`
	Index     int    `json:"leafIndex"` // the place of the leaf, from 0
	Root      string `json:"merkleRootHex"`
	Count     int    `json:"merkleLeafCount"`
	Trusted   bool   `json:"trusted"` // whether root and number of leaves were given and not taken from the proof
}

func newChainVerifyProofCommand(a *command.App) *cobra.Command {
	var want trusted
	cmd := &cobra.Command{
		Use:   "verify-proof <file>",
		Short: "Check a proof, without a host",
		Long: `Check a proof that "playctl chain prove" printed, from a file or - for standard input, without
asking a host. It ends with exit code 5 if the proof is invalid.

A proof is only as good as the root it leads to: pass the root that you trust with --root and
--leaves. Without them the proof's own root is used, which only shows that the node is in some chain
with that root; compare the printed root with one that you trust.`,
		Example: command.Example("playctl chain verify-proof proof.json --root \"$ROOT\" --leaves \"$LEAVES\"", "playctl chain verify-proof - < proof.json"),
		Args:    command.Takes("file"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := want.check(); err != nil {
				return err
			}
			text, err := a.ReadText(args[0], longestInput)
			if err != nil {
				return err
			}
			return verifyProof(a, text, &want)
		},
	}
	want.register(cmd)
	return cmd
}

func verifyProof(a *command.App, text []byte, want *trusted) error {
	reply, err := chain.ParseProofRPCBody(text)
	if err != nil {
		return fmt.Errorf("%w: not a proof file: %w", command.ErrUnverified, err)
	}
	stated := want.over(chain.Stated{MerkleRootHex: reply.Proof.MerkleRootHex.Hex(), MerkleLeafCount: reply.Proof.MerkleLeafCount})
	root, err := chain.ParseDigest(stated.MerkleRootHex)
	if err != nil {
		return err
	}
	if err := reply.Verify(reply.Node.StableKey, root, stated.MerkleLeafCount); err != nil {
		return fmt.Errorf("%w: %w", command.ErrUnverified, err)
	}
	verdict := proofVerdict{
		OK: true, StableKey: reply.Node.StableKey, Index: reply.Proof.LeafIndex,
		Root: stated.MerkleRootHex, Count: stated.MerkleLeafCount, Trusted: want.given(),
	}
	says := "the node is in the chain with this root"
	if !verdict.Trusted {
		says += "; compare the root with one that you trust"
	}
	return a.Printer.Print(render.Document{Data: verdict, Views: []render.View{render.Fields{
		{Name: "proof", Value: says},
		{Name: "node", Value: verdict.StableKey},
		{Name: "leaf", Value: fmt.Sprintf("%d of %d", verdict.Index, verdict.Count)},
		{Name: "root", Value: verdict.Root},
	}}})
}
