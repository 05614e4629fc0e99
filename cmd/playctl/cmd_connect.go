package main

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// connectResult is what "playctl connect" prints. Rev and seq are absent on
// hosts that do not say.
type connectResult struct {
	Context       string                `json:"context,omitempty"`
	Server        string                `json:"server"`
	NodeID        string                `json:"nodeId,omitempty"`
	SID           string                `json:"sid"`
	Rev           *uint64               `json:"rev,omitempty"`
	Seq           *uint64               `json:"seq,omitempty"`
	Capabilities  []protocol.Capability `json:"capabilities"`
	LatencyMillis int64                 `json:"latencyMillis"`
}

func newConnectCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "connect",
		Short: "Check that the host can be reached and accepts you",
		Long: `Check that the host can be reached and accepts the credentials and the API key of the
context. It changes nothing.`,
		Example: example("playctl connect", "playctl connect --server http://127.0.0.1:7420 --timeout 2s"),
		Args:    takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.asReader(cmd.Context(), "Connecting", func(ctx context.Context, who *caller, c *client.Client) (*render.Document, error) {
				start := a.Now()
				session, err := c.Session(ctx)
				if err != nil {
					return nil, err
				}
				result := connectResult{
					Context: who.contextName(), Server: c.BaseURL(), NodeID: who.main.NodeID, SID: session.SID,
					Rev: session.Rev, Seq: session.Seq, Capabilities: append([]protocol.Capability{}, session.Capabilities...),
					LatencyMillis: a.Now().Sub(start).Milliseconds(),
				}
				return result.document(a.printer.Look), nil
			})
		},
	}
}

func (r connectResult) document(look render.Look) *render.Document {
	names := make([]string, len(r.Capabilities))
	for i, c := range r.Capabilities {
		names[i] = string(c)
	}
	return &render.Document{Data: r, Views: []render.View{
		render.Line(look.Good("connected") + " to " + render.Clean(r.Server)),
		render.Fields{
			{Name: "context", Value: r.Context},
			{Name: "main node", Value: render.ShortID(r.NodeID)},
			{Name: "session", Value: r.SID},
			{Name: "rev", Value: number(r.Rev)},
			{Name: "seq", Value: number(r.Seq)},
			{Name: "can", Value: strings.Join(names, ", ")},
		},
	}}
}

// number is a position as text, "" where a host gives none.
func number(position *uint64) string {
	if position == nil {
		return ""
	}
	return strconv.FormatUint(*position, 10)
}
