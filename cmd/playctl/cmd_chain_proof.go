package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// proofResult is a proof as "playctl chain prove" prints it: the host's reply to
// getPlayerChainProof.
type proofResult struct {
	Node protocol.ChainNode `json:"node"`
	chain.Proof
	Rev *uint64 `json:"rev,omitempty"`
}

func newChainProveCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "prove <stableKey>",
		Short: "Print the proof that a node is in the chain",
		Long: `Print, as JSON, the proof that a node is in the chain: the node, its place, and the digests that
lead from its leaf to the root. Whoever knows root and number of leaves can check it with
"playctl chain verify-proof" and needs no host for it. A proof that does not hold is not
printed: exit code 5.`,
		Example: example("playctl chain prove mcp:weather > proof.json", "playctl chain prove __header__ | playctl chain verify-proof -"),
		Args:    takes("stableKey"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkKey(args[0]); err != nil {
				return err
			}
			if a.printer.Format == render.FormatTable {
				a.printer.Format = render.FormatJSON
			}
			return a.asReader(cmd.Context(), "Asking for the proof", func(ctx context.Context, _ *caller, c *client.Client) (*render.Document, error) {
				reply, err := c.ChainProof(ctx, args[0])
				if err != nil {
					return nil, err
				}
				if err := reply.Verify(args[0], reply.Proof.MerkleRootHex, reply.Proof.MerkleLeafCount); err != nil {
					return nil, fmt.Errorf("%w: %w", errUnverified, err)
				}
				return &render.Document{Data: proofResult{reply.Node, reply.Proof, reply.Rev}}, nil
			})
		},
	}
}

// proofVerdict is what "playctl chain verify-proof" prints.
type proofVerdict struct {
	OK        bool   `json:"ok"`
	StableKey string `json:"stableKey"`
	Index     int    `json:"leafIndex"`
	Root      string `json:"merkleRootHex"`
	Count     int    `json:"merkleLeafCount"`
	// Trusted says that root and number of leaves were given and not taken from
	// the proof.
	Trusted bool `json:"trusted"`
}

func newChainVerifyProofCommand(a *app) *cobra.Command {
	var want trusted
	cmd := &cobra.Command{
		Use:   "verify-proof <file>",
		Short: "Check a proof, without a host",
		Long: `Check a proof that "playctl chain prove" printed, from a file or - for standard input, without
asking a host. It ends with exit code 5 if the proof does not hold.

A proof is worth as much as the root it leads to: give the root that you trust with --root and
--leaves. Without them the proof's own are taken, and all that is shown is that the node is in
some chain with that root; compare the root that is printed with one that you trust.`,
		Example: example("playctl chain verify-proof proof.json --root 3f2a… --leaves 12", "playctl chain verify-proof - < proof.json"),
		Args:    takes("file"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := want.check(); err != nil {
				return err
			}
			text, err := a.readWhole(args[0])
			if err != nil {
				return err
			}
			return a.verifyProof(text, &want)
		},
	}
	want.register(cmd)
	return cmd
}

func (a *app) verifyProof(text []byte, want *trusted) error {
	reply, err := chain.ParseProofRPCBody(text)
	if err != nil {
		return fmt.Errorf("%w: this is no proof: %w", errUnverified, err)
	}
	stated := want.over(chain.Stated{MerkleRootHex: reply.Proof.MerkleRootHex.Hex(), MerkleLeafCount: reply.Proof.MerkleLeafCount})
	root, err := chain.ParseDigest(stated.MerkleRootHex)
	if err != nil {
		return err
	}
	if err := reply.Verify(reply.Node.StableKey, root, stated.MerkleLeafCount); err != nil {
		return fmt.Errorf("%w: %w", errUnverified, err)
	}
	verdict := proofVerdict{
		OK: true, StableKey: reply.Node.StableKey, Index: reply.Proof.LeafIndex,
		Root: stated.MerkleRootHex, Count: stated.MerkleLeafCount, Trusted: want.root != "",
	}
	says := "the node is in the chain with this root"
	if !verdict.Trusted {
		says += "; compare the root with one that you trust"
	}
	return a.printer.Print(render.Document{Data: verdict, Views: []render.View{render.Fields{
		{Name: "proof", Value: says},
		{Name: "node", Value: verdict.StableKey},
		{Name: "leaf", Value: fmt.Sprintf("%d of %d", verdict.Index, verdict.Count)},
		{Name: "root", Value: verdict.Root},
	}}})
}
