package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// nodeResult is what "playctl chain node" prints.
type nodeResult struct {
	Context string `json:"context,omitempty"`
	// Rev is what the node is of; nil on hosts that do not say.
	Rev  *uint64            `json:"rev,omitempty"`
	Node protocol.ChainNode `json:"node"`
	// Digest is the leaf's, "" for a node that is gone.
	Digest string `json:"leafDigestHex,omitempty"`
}

func newChainNodeCommand(a *app) *cobra.Command {
	var atRev uint64
	cmd := &cobra.Command{
		Use:   "node <stableKey>",
		Short: "Read one node of the chain",
		Long: `Read one node of the chain: __genesis__, __header__, agent:<nodeId>:<agentId>, mcp:<id>,
human:<id>, structure:<id> or space:<id>. One that is not in the world is "removed".

--at-rev asks for it as of an earlier rev, which the host may no longer have: the rev of the
result says which it is.`,
		Example: example("playctl chain node __header__", "playctl chain node mcp:weather --at-rev 120 -o json"),
		Args:    takes("stableKey"),
		RunE: func(cmd *cobra.Command, args []string) error {
			key := args[0]
			if err := checkKey(key); err != nil {
				return err
			}
			at := client.At{Rev: atRev, Set: cmd.Flags().Changed("at-rev")}
			return a.asReader(cmd.Context(), "Reading the node", func(ctx context.Context, who *caller, c *client.Client) (*render.Document, error) {
				reply, err := c.ChainNode(ctx, key, at)
				if err != nil {
					return nil, err
				}
				if err := chain.AnswersFor(reply.Node, key); err != nil {
					return nil, fmt.Errorf("%w: %w", errUnverified, err)
				}
				return nodeDocument(who.contextName(), reply)
			})
		},
	}
	cmd.Flags().Uint64Var(&atRev, "at-rev", 0, "read the node as of this `rev`")
	return cmd
}

// checkKey refuses what is no stable key.
func checkKey(key string) error {
	if _, err := chain.NodeKind(key); err != nil {
		return hintf(usagef("%q is no stable key", key), "\"playctl chain show\" lists the keys of the world")
	}
	return nil
}

func nodeDocument(contextName string, reply chain.NodeReply) (*render.Document, error) {
	result := nodeResult{Context: contextName, Rev: reply.Rev, Node: reply.Node}
	leaf, err := chain.NodeLeaf(reply.Node)
	if err != nil {
		return nil, err
	}
	fields := render.Fields{{Name: "node", Value: reply.Node.StableKey}, {Name: "rev", Value: number(reply.Rev)}}
	if leaf == nil {
		fields = append(fields, render.Field{Name: "state", Value: "not in the world"})
		return &render.Document{Data: result, Views: []render.View{fields}}, nil
	}
	result.Digest = leaf.Digest().Hex()
	fields = append(fields, render.Field{Name: "digest", Value: result.Digest})
	return &render.Document{Data: result, Views: []render.View{fields, payloadView(leaf)}}, nil
}

// payloadView shows a leaf's payload: a row as its fields, any other text whole.
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

// shownValue is a value of JSON as a person reads it: a text without its quotes.
func shownValue(value json.RawMessage) string {
	var text string
	if err := protocol.Decode(value, &text); err == nil {
		return text
	}
	return string(value)
}
