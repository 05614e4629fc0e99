// Package node has the commands about accounts: root keys, main nodes and agent
// nodes, their credentials, and the contexts that hold them.
package node

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// Commands returns the commands of this package.
func Commands(a *command.App) []*cobra.Command {
	a.MakeMainNode = func(ctx context.Context, caller *command.Caller, phrase *command.PhraseFlags) error {
		return createMainNode(ctx, a, caller, phrase, "", "")
	}
	a.MakeAgentNode = func(ctx context.Context, label string, phrase *command.PhraseFlags) error {
		return createAgentNode(ctx, a, label, phrase, "")
	}
	a.MakeNamedAgent = func(ctx context.Context, caller *command.Caller, name string) (command.AgentRef, error) {
		return createNamedAgent(ctx, a, caller, name)
	}
	a.NamedAgent = func(ctx context.Context, caller *command.Caller, name string) (client.Credentials, error) {
		c, err := a.Client(caller, caller.Main)
		if err != nil {
			return client.Credentials{}, err
		}
		defer c.Close()
		return namedAgent(ctx, a, c, caller, name)
	}
	a.Settle = func(ctx context.Context) error { return settle(ctx, a) }
	return []*cobra.Command{
		newCreateRootKeyCommand(a), newCreateMainNodeCommand(a), newCreateAgentNodeCommand(a), newCreateAPIKeyCommand(a),
		newWhoamiCommand(a), newListAgentNodesCommand(a), newInspectNodeCommand(a),
		newValidateMainNodeCommand(a), newValidateAgentNodeCommand(a),
		newDeleteAgentNodeCommand(a), newDeleteMainNodeCommand(a),
		newInviteCommand(a), newLoginCommand(a), newKeyCommand(a), newCredentialsCommand(a), newContextCommand(a), newNodesCommand(a),
	}
}

// Results returns what the commands of this package print, by the commands.
func Results() map[string]any {
	return map[string]any{
		"create-root-key":                               rootKeyResult{},
		"create-main-node, login":                       createdMainResult{},
		"create-agent-node, credentials import --agent": createdAgentResult{},
		"create-api-key":                                apiKeyResult{},
		"whoami":                                        whoamiResult{},
		"inspect-node AGENT":                            inspectedAgentResult{},
		"validate-main-node, validate-agent-node":       validationResult{},
		"delete-main-node, delete-agent-node":           deletedResult{},
		"credentials export":                            exportedResult{},
		"credentials clear":                             clearedResult{},
		"invite":                                        inviteResult{},
		"key create":                                    createdKeyResult{},
		"key list":                                      keysResult{},
		"key revoke":                                    revokedKeyResult{},
		"context export":                                bundleResult{},
		"invite list":                                   invitationsResult{},
		"invite revoke":                                 revokedInvitationResult{},
		"context list":                                  contextsResult{},
		"context add":                                   addedContextResult{},
		"context show, context edit, context import, context remove, context rename, context use, credentials import": contextResult{},
		"nodes list":                 nodesResult{},
		"nodes list --output ndjson": nodeItem{},
		"nodes limit":                protocol.NodeLimitsReply{},
		"nodes label":                labelResult{},
	}
}

// nodesResult is what "playctl nodes list" prints.
type nodesResult struct {
	Context       string                                  `json:"context,omitempty"`
	GenesisNodeID string                                  `json:"genesisNodeId"` // the root key of the world
	MainNodes     protocol.List[protocol.MainNodeRecord]  `json:"mainNodes"`     // the main nodes: your own, or all for the administrator
	AgentNodes    protocol.List[protocol.AgentRecord]     `json:"agentNodes"`    // the agent nodes
	SpaceNodes    protocol.List[protocol.SpaceNodeRecord] `json:"spaceNodes"`    // the nodes of spaces
}

// nodeItem is one node as "playctl nodes list --output ndjson" prints it.
type nodeItem struct {
	Kind         string            `json:"kind"` // main, agent or space
	NodeID       string            `json:"nodeId"`
	ParentNodeID string            `json:"parentNodeId,omitempty"` // the node above it; absent for a main node
	Name         string            `json:"name,omitempty"`         // an agent's name on the map, or the id of a space
	Label        string            `json:"label,omitempty"`
	CreatedAt    string            `json:"createdAt"`
	Usage        *protocol.Amounts `json:"usage,omitempty"`  // what the account has, for the administrator
	Limits       *protocol.Amounts `json:"limits,omitempty"` // limits of the account's own, for the administrator
}

func newNodesCommand(a *command.App) *cobra.Command {
	return command.Group(&cobra.Command{
		Use: "nodes", Short: "All nodes of an account or a host",
		GroupID: command.GroupNodes,
		Example: command.Example("playctl nodes list", "playctl nodes label Ada 'Ada of the mill'", "playctl nodes limit \"$ID\" --spaces 500 --admin-token-file admin.token"),
	}, newNodesListCommand(a), newNodesLabelCommand(a), newNodesLimitCommand(a))
}

func newNodesListCommand(a *command.App) *cobra.Command {
	var admin command.AdminFlags
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List your nodes, or with --admin all nodes of the host",
		Long: `List your main node and its agent nodes, or with --admin every node that the host knows, and what
each account has: agents, spaces, MCP placements, chat lines, journeys and bytes of history, with
limits of its own after a slash. NAME is the owner's label, else the name at the host; for the node
of a space, it is the beginning of the space's id. No phrase, hash or key is ever shown.`,
		Example: command.Example("playctl nodes list", "playctl nodes list --admin --admin-token-file admin.token --output ndjson"),
		Args:    command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.AsOwner(cmd.Context(), &admin, "Reading the nodes", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
				if admin.Admin {
					all, err := c.AllNodes(ctx)
					if err != nil {
						return nil, err
					}
					return nodesDocument(a.Printer.Look, caller, all), nil
				}
				own, err := c.Nodes(ctx)
				if err != nil {
					return nil, err
				}
				return nodesDocument(a.Printer.Look, caller, &protocol.AllNodesReply{
					GenesisNodeID: own.GenesisNodeID, MainNodes: protocol.List[protocol.MainNodeRecord]{own.MainNode}, AgentNodes: own.AgentNodes,
				}), nil
			})
		},
	}
	admin.Register(cmd)
	return cmd
}

func nodesDocument(look render.Look, caller *command.Caller, reply *protocol.AllNodesReply) *render.Document {
	owners := map[string]string{}
	var nodes []nodeItem
	for _, n := range reply.MainNodes {
		nodes = append(nodes, nodeItem{protocol.NodeKindMain, n.NodeID, n.ParentNodeID, "", n.Label, n.CreatedAt, n.Usage, n.Limits})
		for _, agent := range n.AgentNodeIDs {
			owners[agent] = n.NodeID
		}
	}
	for _, n := range reply.AgentNodes {
		nodes = append(nodes, nodeItem{protocol.NodeKindAgent, n.AgentID, owners[n.AgentID], n.Name, n.Label, n.CreatedAt, nil, nil})
	}
	for _, n := range reply.SpaceNodes {
		nodes = append(nodes, nodeItem{protocol.NodeKindSpace, n.NodeID, n.ParentNodeID, n.SpaceID, "", n.CreatedAt, nil, nil})
	}
	table := render.Table{
		Columns: []render.Column{{Title: "kind"}, {Title: "node"}, {Title: "parent"}, {Title: "name", Wraps: true}, {Title: "created"}},
		Empty:   "The host has no nodes.",
	}
	result := nodesResult{
		Context: caller.ContextName(), GenesisNodeID: reply.GenesisNodeID,
		MainNodes: reply.MainNodes, AgentNodes: reply.AgentNodes, SpaceNodes: reply.SpaceNodes,
	}
	doc := render.ListOf(result, nodes, table, func(n nodeItem) []string {
		name := cmp.Or(n.Label, n.Name)
		if n.Kind == protocol.NodeKindSpace {
			name = render.ShortID(n.Name)
		}
		return []string{n.Kind, render.ShortID(n.NodeID), render.ShortID(n.ParentNodeID), name, look.AgeOf(n.CreatedAt)}
	})
	if slices.ContainsFunc(nodes, func(n nodeItem) bool { return n.Usage != nil }) {
		now, history, others := usageTables(nodes)
		doc.Views = append(doc.Views, render.Line(""), now, render.Line(""), history, render.Line(""), others)
	}
	return doc
}

func newListAgentNodesCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:     "list-agent-nodes",
		GroupID: command.GroupNodes,
		Short:   "List the agent nodes of your main node",
		Long: `List the agent nodes of your main node. ZONES and YIELDS count the proximity signals of these kinds
that the agent received.`,
		Example: command.Example("playctl list-agent-nodes", "playctl list-agent-nodes --output ndjson"),
		Args:    command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.AsMain(cmd.Context(), "Reading the nodes", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
				reply, err := c.Nodes(ctx)
				if err != nil {
					return nil, err
				}
				return caller.AgentsDocument(a, allAgents(reply)), nil
			})
		},
	}
}

// inspectedAgentResult is what "playctl inspect-node" prints of an agent node.
type inspectedAgentResult struct {
	Context string               `json:"context,omitempty"`
	Agent   protocol.AgentRecord `json:"agent"` // the agent node
}

func newInspectNodeCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:     "inspect-node [agent]",
		GroupID: command.GroupNodes,
		Short:   "Show what the host knows about a node",
		Long: `Show what the host knows about an agent node, or by default about your main node. Identify an agent
by its label, its id, or the beginning of its id.`,
		Example:           command.Example("playctl inspect-node", "playctl inspect-node Ada --output yaml"),
		Args:              command.Takes("agent?"),
		ValidArgsFunction: a.CompletesAgent(command.SeekOwn),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.AsMain(cmd.Context(), "Reading the node", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
				reply, err := c.Nodes(ctx)
				if err != nil {
					return nil, err
				}
				if len(args) == 0 || protocol.NormalizeNodeID(args[0]) == caller.Main.NodeID {
					return caller.MainDocument(a.Printer.Look, reply), nil
				}
				ref, err := a.FindAgent(ctx, caller, args[0], command.SeekOwn)
				if err != nil {
					return nil, err
				}
				return agentDocument(caller, a.Printer.Look, ref, allAgents(reply))
			})
		},
	}
}

// allAgents returns the agents of an account. Hosts of the agent-play service list those
// that never registered by their ids only.
func allAgents(reply *protocol.NodesReply) []protocol.AgentRecord {
	all := slices.Clone([]protocol.AgentRecord(reply.AgentNodes))
	for _, id := range reply.MainNode.AgentNodeIDs {
		if !slices.ContainsFunc(all, func(known protocol.AgentRecord) bool { return known.AgentID == id }) {
			all = append(all, protocol.AgentRecord{AgentID: id})
		}
	}
	return all
}

func agentDocument(c *command.Caller, look render.Look, ref command.AgentRef, agents []protocol.AgentRecord) (*render.Document, error) {
	for _, record := range agents {
		if record.AgentID != ref.ID {
			continue
		}
		record.Label = cmp.Or(ref.Label, record.Label)
		return &render.Document{
			Data: inspectedAgentResult{Context: c.ContextName(), Agent: record},
			Views: []render.View{slices.Concat(
				render.Fields{{Name: "agent node", Value: record.AgentID}, {Name: "label", Value: record.Label}},
				command.AgentFields(look, &record),
				render.Fields{{Name: "updated", Value: look.AgeOf(record.UpdatedAt)}},
			)},
		}, nil
	}
	return nil, command.Hintf(protocol.Errorf(protocol.CodeNotFound, "the host has no agent node %s of yours", ref.Name()),
		"\"playctl list-agent-nodes\" lists them")
}

// whoamiResult is what "playctl whoami" prints.
type whoamiResult struct {
	Context         string        `json:"context,omitempty"`
	Server          string        `json:"server"`
	Service         string        `json:"service"`
	NodeID          string        `json:"nodeId,omitempty"` // the main node; absent in a context of an agent alone
	HasAPIKey       bool          `json:"hasApiKey"`        // whether an API key is at hand
	Agents          []knownResult `json:"agents"`           // the agents whose credentials are at hand
	CredentialsFile string        `json:"credentialsFile"`  // the file of the contexts
}

// knownResult is an agent whose credentials are at hand.
type knownResult struct {
	AgentID string `json:"agentId"`
	Label   string `json:"label,omitempty"`
}

func newWhoamiCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:     "whoami",
		GroupID: command.GroupNodes,
		Short:   "Show the account and agents saved for the host in use",
		Long: `Show the account that commands use, the agents whose credentials this machine has, and the host. It
does not contact the host: "playctl connect" checks that the host accepts them, and "playctl
list-agent-nodes" lists all agents of the account.`,
		Example: command.Example("playctl whoami", "playctl whoami --context work --output json"),
		Args:    command.Takes(),
		RunE: func(*cobra.Command, []string) error {
			caller, err := a.Caller()
			if err != nil {
				return err
			}
			if caller.Main.IsZero() && (caller.Context == nil || len(caller.Context.Agents()) == 0) {
				return caller.NoMain()
			}
			return a.Printer.Print(document(caller))
		},
	}
}

func document(c *command.Caller) render.Document {
	result := whoamiResult{
		Context: c.ContextName(), Server: c.Server, Service: string(c.Service), NodeID: c.Main.NodeID,
		HasAPIKey: !c.APIKey.IsZero(), Agents: []knownResult{}, CredentialsFile: c.Store.Path(),
	}
	var names []string
	if c.Context != nil {
		for _, agent := range c.Context.Agents() {
			result.Agents = append(result.Agents, knownResult{agent.NodeID, agent.Label})
			names = append(names, cmp.Or(agent.Label, render.ShortID(agent.NodeID)))
		}
	}
	node, key := "", "not saved"
	switch {
	case c.KeyFromEnv:
		key = "from " + command.EnvAPIKey
	case result.HasAPIKey:
		key = "saved"
	}
	if c.NodeFromEnv != "" {
		node = ", from " + command.EnvNodeID
	}
	return render.Document{Data: result, Views: []render.View{render.Fields{
		{Name: "main node", Value: result.NodeID + node},
		{Name: "server", Value: result.Server},
		{Name: "context", Value: result.Context},
		{Name: "API key", Value: key},
		{Name: "saved agents", Value: strings.Join(names, ", ")},
		{Name: "credentials", Value: result.CredentialsFile},
	}}}
}
