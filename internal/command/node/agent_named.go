package node

import (
	"context"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// createNamedAgent creates the agent node whose credentials are derived from the
// account's credentials and a name. If another program created it before, it returns that
// one.
func createNamedAgent(ctx context.Context, a *command.App, who *command.Caller, name string) (command.AgentRef, error) {
	c, err := a.Client(who, who.Main)
	if err != nil {
		return command.AgentRef{}, err
	}
	defer c.Close()
	root, err := rootKey(ctx, a, c, who.RootKey(), "")
	if err != nil {
		return command.AgentRef{}, err
	}
	node, err := derive(a, creds.NamedAgentHash(who.Main.Hash, name), root)
	if err != nil {
		return command.AgentRef{}, err
	}
	label := name
	if c.Service() != protocol.ServicePlay || creds.CheckLabel(name) != nil {
		label = ""
	}
	err = a.CallWith(ctx, c, "Registering the agent", func(ctx context.Context, c *client.Client) error {
		_, err := c.CreateLabeledAgent(ctx, node, label)
		if protocol.HasCode(err, protocol.CodeNodeExists) {
			return nil
		}
		return err
	})
	if err != nil {
		return command.AgentRef{}, err
	}
	return command.AgentRef{ID: node.NodeID, Label: name, Node: node, Own: true}, nil
}
