package command

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// Sentence returns a view of one sentence.
func Sentence(format string, args ...any) []render.View {
	return []render.View{render.Line(render.Clean(fmt.Sprintf(format, args...)))}
}

// SentenceDocument returns the document of a result that one sentence shows to people.
func SentenceDocument(data any, format string, args ...any) *render.Document {
	return &render.Document{Data: data, Views: Sentence(format, args...)}
}

// PrintSentence prints a result that one sentence shows to people.
func (a *App) PrintSentence(data any, format string, args ...any) error {
	return a.Printer.Print(*SentenceDocument(data, format, args...))
}

// OwnsSpace reports whether a space is of the calling account. A space that was removed
// meanwhile is not.
func OwnsSpace(ctx context.Context, c *client.Client, id string) (bool, error) {
	inspected, err := c.InspectSpace(ctx, id)
	if protocol.HasCode(err, protocol.CodeSpaceUnknown) {
		return false, nil
	}
	// The log is visible only to the account that created the space.
	return err == nil && len(inspected.Log) > 0, err
}

// MatchSpaces returns the spaces that fit a reference: the id of the space or its node,
// else its name, else a prefix of an id.
func MatchSpaces(spaces []protocol.Space, ref string) []*protocol.Space {
	nodeID := protocol.NormalizeNodeID(ref)
	if nodeID == "" {
		return nil // it would be a prefix of every id
	}
	for _, matches := range []func(*protocol.Space) bool{
		func(s *protocol.Space) bool { return s.ID == ref || s.Owner.NodeID == nodeID },
		func(s *protocol.Space) bool { return s.Name == ref },
		func(s *protocol.Space) bool {
			return len(ref) >= LeastPrefix && (strings.HasPrefix(s.ID, ref) || strings.HasPrefix(s.Owner.NodeID, nodeID))
		},
	} {
		var found []*protocol.Space
		for i := range spaces {
			if matches(&spaces[i]) {
				found = append(found, &spaces[i])
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// SpaceViews show a space, and its log if it is known.
func SpaceViews(look render.Look, space *protocol.Space, entries []protocol.SpaceLogEntry) []render.View {
	views := []render.View{render.Fields{
		{Name: "space", Value: space.ID},
		{Name: "name", Value: space.Name},
		{Name: "description", Value: space.Description},
		{Name: "design", Value: space.DesignKey},
		{Name: "owner", Value: space.Owner.DisplayName},
		{Name: "node", Value: space.Owner.NodeID},
		{Name: "amenities", Value: strings.Join(space.Amenities, ", ")},
	}}
	if entries == nil {
		return views
	}
	log := render.Table{
		Columns: []render.Column{{Title: "when"}, {Title: "action"}, {Title: "by"}, {Title: "what", Wraps: true}},
		Empty:   "Its log is empty.",
	}
	for _, entry := range entries {
		log.Rows = append(log.Rows, []string{look.AgeOf(entry.At), entry.Action, render.ShortID(entry.By), entry.Detail})
	}
	return append(views, render.Line(""), log)
}

// OccupantTable lists rows of the map.
func OccupantTable(rows []json.RawMessage) render.Table {
	table := render.Table{
		Columns: []render.Column{{Title: "kind"}, {Title: "name", Wraps: true}, {Title: "id"}, {Title: "cell"}, {Title: "about", Wraps: true}},
		Empty:   "The map is empty.",
	}
	for _, row := range rows {
		table.Rows = append(table.Rows, DescribeRow(row))
	}
	return table
}

// SpacesDocument lists spaces; empty is the text for a world without any.
func SpacesDocument(data any, spaces []protocol.Space, empty string) *render.Document {
	table := render.Table{
		Columns: []render.Column{{Title: "space"}, {Title: "name", Wraps: true}, {Title: "design"}, {Title: "owner", Wraps: true}, {Title: "amenities", Wraps: true}},
		Empty:   empty,
	}
	return render.ListOf(data, spaces, table, func(space protocol.Space) []string {
		return []string{render.ShortID(space.ID), space.Name, space.DesignKey, space.Owner.DisplayName, strings.Join(space.Amenities, ", ")}
	})
}

// ShownText returns a value for a person: a text unchanged, any other value as JSON.
func ShownText(value any) string {
	shown, ok := value.(string)
	if !ok {
		text, err := json.MarshalIndent(value, "", "  ")
		if err != nil {
			return "a value that cannot be shown\n"
		}
		shown = string(text)
	}
	var out strings.Builder
	for line := range strings.SplitSeq(shown, "\n") {
		out.WriteString(render.Clean(line) + "\n")
	}
	return out.String()
}

// agentsResult is what "playctl list-agent-nodes" prints.
type agentsResult struct {
	Context string                 `json:"context,omitempty"`
	Agents  []protocol.AgentRecord `json:"agents"` // the agent nodes of the account
}

// AgentsDocument shows the agents of the account, with the labels that the context
// has for them.
func (c *Caller) AgentsDocument(a *App, agents []protocol.AgentRecord) *render.Document {
	result := agentsResult{Context: c.ContextName(), Agents: []protocol.AgentRecord{}}
	table := render.Table{
		Columns: []render.Column{{Title: "agent"}, {Title: "label"}, {Title: "name", Wraps: true}, {Title: "tools", Wraps: true}, {Title: "zones", Right: true}, {Title: "yields", Right: true}, {Title: "created"}},
		Empty:   a.LikeThis("There are no agent nodes yet. \"playctl create-agent-node\" creates one."),
	}
	for _, record := range agents {
		record.Label = cmp.Or(c.NameOf(record.AgentID), record.Label)
		result.Agents = append(result.Agents, record)
	}
	return render.ListOf(result, result.Agents, table, func(record protocol.AgentRecord) []string {
		return []string{
			render.ShortID(record.AgentID), record.Label, record.Name, strings.Join(record.ToolNames, ", "),
			zones(&record), Decimal(record.YieldCount), a.Printer.Look.AgeOf(record.CreatedAt),
		}
	})
}

// AgentFields returns the fields of an agent node in the host's record.
func AgentFields(look render.Look, record *protocol.AgentRecord) render.Fields {
	return render.Fields{
		{Name: "name", Value: record.Name},
		{Name: "tools", Value: strings.Join(record.ToolNames, ", ")},
		{Name: "zones", Value: zones(record)},
		{Name: "yields", Value: Decimal(record.YieldCount)},
		{Name: "created", Value: look.AgeOf(record.CreatedAt)},
	}
}

// zones returns an agent's count of zones, with a note if the host flagged the agent.
func zones(record *protocol.AgentRecord) string {
	if record.Flagged {
		return Decimal(record.ZoneCount) + " (flagged)"
	}
	return Decimal(record.ZoneCount)
}

// mainResult is what "playctl inspect-node" prints of a main node.
type mainResult struct {
	Context       string                  `json:"context,omitempty"`
	GenesisNodeID string                  `json:"genesisNodeId"` // the root key of the world
	MainNode      protocol.MainNodeRecord `json:"mainNode"`      // the main node
}

// MainDocument shows the account's main node.
func (c *Caller) MainDocument(look render.Look, reply *protocol.NodesReply) *render.Document {
	node := reply.MainNode
	return &render.Document{
		Data: mainResult{Context: c.ContextName(), GenesisNodeID: reply.GenesisNodeID, MainNode: node},
		Views: []render.View{render.Fields{
			{Name: "main node", Value: node.NodeID},
			{Name: "root", Value: reply.GenesisNodeID},
			{Name: "agents", Value: Decimal(int64(len(node.AgentNodeIDs)))},
			{Name: "created", Value: look.AgeOf(node.CreatedAt)},
		}},
	}
}

// SnapshotDocument shows a snapshot: as JSON for programs, with a table of its rows.
func SnapshotDocument(text json.RawMessage, snapshot *protocol.Snapshot) *render.Document {
	bounds := snapshot.WorldMap.Bounds
	about := render.Fields{
		{Name: "session", Value: snapshot.SID},
		{Name: "rev", Value: Number(snapshot.Rev)},
		{Name: "seq", Value: Number(snapshot.Seq)},
		{Name: "root", Value: snapshot.MerkleRootHex},
		{Name: "map", Value: fmt.Sprintf("(%v, %v) to (%v, %v)", bounds.MinX, bounds.MinY, bounds.MaxX, bounds.MaxY)},
		{Name: "spaces", Value: Decimal(int64(len(snapshot.Spaces)))},
	}
	doc := render.ListOf(text, snapshot.WorldMap.Occupants, OccupantTable(nil), DescribeRow)
	doc.Views = append([]render.View{about, render.Line("")}, doc.Views...)
	return doc
}

// CreatedSpaceFields returns the fields of a new space, and more of them after these.
func CreatedSpaceFields(reply *protocol.CreateSpaceReply, more ...render.Field) render.Fields {
	return append(render.Fields{
		{Name: "space", Value: reply.SpaceID},
		{Name: "space node", Value: reply.NodeID},
		{Name: "cell", Value: DescribeRow(reply.Structure)[3]},
	}, more...)
}

// DescribeRow returns the cells of a row of the map: kind, name, id, cell, about.
func DescribeRow(text json.RawMessage) []string {
	row, err := chain.ParseOccupant(text)
	if err != nil {
		return []string{"?", "", "", "", err.Error()}
	}
	var name, id, about string
	switch row := row.(type) {
	case *protocol.Agent:
		name, id, about = row.Name, row.AgentID, row.Platform
		// Some hosts omit stationary in the row of an agent that has not journeyed.
		if !row.Stationary && row.LastUpdate != nil {
			about += ", traveled"
		}
	case *protocol.MCP:
		name, id, about = row.Name, row.ID, row.URL
	case *protocol.Human:
		name, id = row.Name, row.ID
	case *protocol.Structure:
		name, id, about = row.Name, row.ID, row.PrimaryAmenity
	}
	x, y := row.Position()
	return []string{string(row.OccupantKind()), name, render.ShortID(id), fmt.Sprintf("(%v, %v)", x, y), about}
}
