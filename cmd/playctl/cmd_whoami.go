package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/render"
)

// whoamiResult is what "playctl whoami" prints.
type whoamiResult struct {
	Context         string        `json:"context,omitempty"`
	Server          string        `json:"server"`
	Service         string        `json:"service"`
	NodeID          string        `json:"nodeId"`
	HasAPIKey       bool          `json:"hasApiKey"`
	Agents          []knownResult `json:"agents"`
	CredentialsFile string        `json:"credentialsFile"`
}

// knownResult is an agent whose credentials are at hand.
type knownResult struct {
	AgentID string `json:"agentId"`
	Label   string `json:"label,omitempty"`
}

func newWhoamiCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "whoami",
		Short: "Show whom commands call as, and where",
		Long: `Show whom commands call as, and where. It asks nobody: "playctl validate-main-node" asks
the host whether it agrees.`,
		Example: example("playctl whoami", "playctl whoami --context work --output json"),
		Args:    takes(),
		RunE: func(*cobra.Command, []string) error {
			who, err := a.caller()
			if err != nil {
				return err
			}
			if who.main.IsZero() {
				return who.noMain()
			}
			return a.printer.Print(who.document())
		},
	}
}

func (c *caller) document() render.Document {
	result := whoamiResult{
		Context: c.contextName(), Server: c.server, Service: string(c.service), NodeID: c.main.NodeID,
		HasAPIKey: !c.apiKey.IsZero(), Agents: []knownResult{}, CredentialsFile: c.store.Path(),
	}
	var names []string
	if c.context != nil {
		for _, agent := range c.context.Agents() {
			result.Agents = append(result.Agents, knownResult{agent.NodeID, agent.Label})
			name := agent.Label
			if name == "" {
				name = render.ShortID(agent.NodeID)
			}
			names = append(names, name)
		}
	}
	key := "none"
	if result.HasAPIKey {
		key = "known"
	}
	return render.Document{Data: result, Views: []render.View{render.Fields{
		{Name: "main node", Value: result.NodeID},
		{Name: "server", Value: result.Server},
		{Name: "context", Value: result.Context},
		{Name: "API key", Value: key},
		{Name: "agents", Value: strings.Join(names, ", ")},
		{Name: "credentials", Value: result.CredentialsFile},
	}}}
}
