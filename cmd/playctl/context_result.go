package main

import (
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// contextResult is a context as commands print it.
type contextResult struct {
	Context   string        `json:"context"`
	Current   bool          `json:"current"`
	Server    string        `json:"server"`
	Service   string        `json:"service"`
	NodeID    string        `json:"nodeId,omitempty"`
	HasAPIKey bool          `json:"hasApiKey"`
	Agents    []knownResult `json:"agents"`
	CreatedAt string        `json:"createdAt"`
}

func describeContext(c *creds.Context, current bool) contextResult {
	result := contextResult{
		Context: c.Name, Current: current, Server: c.ServerURL, Service: string(c.Service),
		Agents: []knownResult{}, CreatedAt: protocol.FormatTime(c.CreatedAt),
	}
	if c.Main != nil {
		result.NodeID, result.HasAPIKey = c.Main.NodeID, !c.Main.APIKey.IsZero()
	}
	for _, agent := range c.Agents() {
		result.Agents = append(result.Agents, knownResult{agent.NodeID, agent.Label})
	}
	return result
}

// contextDocument shows one context.
func contextDocument(c *creds.Context, current bool) render.Document {
	result := describeContext(c, current)
	inUse := ""
	if current {
		inUse = "yes"
	}
	views := []render.View{render.Fields{
		{Name: "context", Value: result.Context},
		{Name: "in use", Value: inUse},
		{Name: "server", Value: result.Server},
		{Name: "service", Value: result.Service},
		{Name: "main node", Value: result.NodeID},
	}}
	if len(result.Agents) > 0 {
		table := render.Table{Columns: []render.Column{{Title: "agent"}, {Title: "label"}}}
		for _, agent := range result.Agents {
			table.Rows = append(table.Rows, []string{render.ShortID(agent.AgentID), agent.Label})
		}
		views = append(views, render.Line(""), table)
	}
	return render.Document{Data: result, Views: views}
}
