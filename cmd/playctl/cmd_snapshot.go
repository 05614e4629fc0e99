package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

func newSnapshotCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "snapshot",
		Short: "Show the whole world as it is now",
		Long: `Show the whole world as it is now. With --output json or yaml it is the snapshot exactly as
the host sent it, with every field; ndjson is one row of the map a line.`,
		Example: example("playctl snapshot", "playctl snapshot --output json > world.json"),
		Args:    takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.asReader(cmd.Context(), "Reading the world", func(ctx context.Context, _ *caller, c *client.Client) (*render.Document, error) {
				text, _, err := c.WorldSnapshot(ctx)
				if err != nil {
					return nil, err
				}
				var snapshot protocol.Snapshot
				if err := protocol.Decode(text, &snapshot); err != nil {
					return nil, fmt.Errorf("read the snapshot: %w", err)
				}
				return snapshotDocument(text, &snapshot), nil
			})
		},
	}
}

func snapshotDocument(text json.RawMessage, snapshot *protocol.Snapshot) *render.Document {
	bounds := snapshot.WorldMap.Bounds
	table := render.Table{
		Columns: []render.Column{{Title: "kind"}, {Title: "name", Wraps: true}, {Title: "id"}, {Title: "cell"}, {Title: "about", Wraps: true}},
		Empty:   "The map is empty.",
	}
	items := []any{}
	for _, row := range snapshot.WorldMap.Occupants {
		items = append(items, row)
		table.Rows = append(table.Rows, describeRow(row))
	}
	views := []render.View{
		render.Fields{
			{Name: "session", Value: snapshot.SID},
			{Name: "rev", Value: number(snapshot.Rev)},
			{Name: "seq", Value: number(snapshot.Seq)},
			{Name: "root", Value: snapshot.MerkleRootHex},
			{Name: "map", Value: fmt.Sprintf("(%v, %v) to (%v, %v)", bounds.MinX, bounds.MinY, bounds.MaxX, bounds.MaxY)},
			{Name: "spaces", Value: decimal(int64(len(snapshot.Spaces)))},
		},
		render.Line(""), table,
	}
	return &render.Document{Data: text, Items: items, Views: views}
}

// rowOverview is what a table shows of a row of any kind.
type rowOverview struct {
	Kind        protocol.OccupantKind `json:"kind"`
	Name        string                `json:"name"`
	ID          string                `json:"id"`
	AgentID     string                `json:"agentId"`
	X           float64               `json:"x"`
	Y           float64               `json:"y"`
	Platform    string                `json:"platform"`
	AgentType   string                `json:"agentType"`
	URL         string                `json:"url"`
	Stationary  *bool                 `json:"stationary"`
	Interactive *bool                 `json:"interactive"`
	Amenity     string                `json:"primaryAmenity"`
}

func describeRow(text json.RawMessage) []string {
	var row rowOverview
	if err := protocol.Decode(text, &row); err != nil {
		return []string{"?", "", "", "", "a row that cannot be read"}
	}
	id, about := row.ID, row.URL
	switch row.Kind {
	case protocol.KindAgent:
		id, about = row.AgentID, row.Platform+row.AgentType
		if row.Stationary != nil && !*row.Stationary {
			about += ", travelled"
		}
	case protocol.KindStructure:
		about = row.Amenity
	case protocol.KindMCP, protocol.KindHuman:
	}
	return []string{string(row.Kind), row.Name, render.ShortID(id), fmt.Sprintf("(%v, %v)", row.X, row.Y), about}
}
