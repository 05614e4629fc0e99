package aql

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/playctl/playctl/internal/aql"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// createdWithPhrase is the result of CREATE SPACE with --show-phrase.
type createdWithPhrase struct {
	*aql.Created
	Phrase string `json:"phrase"`
}

// document is the result of a statement for programs and for people.
func (s *aqlSession) document(data any) (forPrograms any, views []render.View) {
	switch d := data.(type) {
	case *aql.Created:
		return s.createdViews(d)
	case *aql.Changed:
		return d, command.Sentence("%s has %s now.", d.Space.Name, strings.Join(d.Space.Amenities, ", "))
	case *aql.Removed:
		if !d.OK {
			return d, command.Sentence("There is no space %s any more.", d.Name)
		}
		return d, command.Sentence("Removed the space %s with its structure, its node and its log.", d.Name)
	case *aql.InspectedSpace:
		return d, command.SpaceViews(s.Printer.Look, &d.Space, d.Log)
	case *aql.InspectedMain:
		main := s.who.MainDocument(s.Printer.Look, &protocol.NodesReply{GenesisNodeID: d.GenesisNodeID, MainNode: d.MainNode})
		agents := s.who.AgentsDocument(s.Printer.Look, d.AgentNodes)
		return d, slices.Concat(main.Views, []render.View{render.Line("")}, agents.Views)
	case *aql.InspectedAgent:
		return d, s.agentViews(d)
	case *aql.Sent:
		if protocol.NormalizeText(d.Text) == "" {
			return d, command.Sentence("Nothing was recorded: the text is blank.")
		}
		return d, command.Sentence("Sent.")
	case aql.Occupants:
		return d, []render.View{command.OccupantTable(d)}
	case *aql.Metadata:
		return d, metadataViews(d)
	case aql.Snapshot:
		return d, snapshotViews(d)
	}
	return s.listDocument(data)
}

// listDocument is the result of SHOW.
func (s *aqlSession) listDocument(data any) (forPrograms any, views []render.View) {
	switch d := data.(type) {
	case aql.Shown:
		return d, []render.View{render.Text(command.ShownText(d.Value))}
	case aql.VariableList:
		table := render.Table{Columns: []render.Column{{Title: "variable"}, {Title: "value", Wraps: true}}, Empty: "No variable is set."}
		for _, v := range d {
			table.Rows = append(table.Rows, []string{"$" + v.Name, inline(v.Value)})
		}
		return d, []render.View{table}
	case *aql.SpaceList:
		return d, []render.View{command.SpaceTable(d.Spaces)}
	case *aql.AgentList:
		return d, s.who.AgentsDocument(s.Printer.Look, d.Agents).Views
	case *aql.ConnectionState:
		return d, []render.View{render.Fields{
			{Name: "server", Value: d.Server}, {Name: "context", Value: d.Context}, {Name: "main node", Value: d.MainNode},
			{Name: "space in use", Value: d.SpaceID}, {Name: "agent in use", Value: d.AgentID},
		}}
	}
	return data, []render.View{render.Text(command.ShownText(data))}
}

func (s *aqlSession) createdViews(d *aql.Created) (any, []render.View) {
	fields := render.Fields{
		{Name: "space", Value: d.SpaceID},
		{Name: "space node", Value: d.NodeID},
		{Name: "cell", Value: command.DescribeRow(d.Structure)[3]},
		{Name: "phrase file", Value: d.PhraseFile},
	}
	if !s.flags.showPhrase {
		return d, []render.View{fields}
	}
	fields = append(fields, render.Field{Name: "phrase", Value: d.Phrase.Reveal()})
	return createdWithPhrase{d, d.Phrase.Reveal()}, []render.View{fields}
}

func (s *aqlSession) agentViews(d *aql.InspectedAgent) []render.View {
	fields := render.Fields{{Name: "agent node", Value: d.AgentID}}
	if d.Node != nil {
		fields = append(fields,
			render.Field{Name: "name", Value: d.Node.Name},
			render.Field{Name: "tools", Value: strings.Join(d.Node.ToolNames, ", ")},
			render.Field{Name: "zones", Value: command.Zones(*d.Node)},
			render.Field{Name: "yields", Value: command.Decimal(d.Node.YieldCount)},
			render.Field{Name: "created", Value: s.Printer.Look.AgeOf(d.Node.CreatedAt)})
	}
	if d.Occupant == nil {
		return []render.View{append(fields, render.Field{Name: "on the map", Value: "no"})}
	}
	return []render.View{fields, render.Line(""), command.OccupantTable([]json.RawMessage{d.Occupant})}
}

func metadataViews(d *aql.Metadata) []render.View {
	var counts []string
	for _, kind := range slices.Sorted(maps.Keys(d.OccupantCounts)) {
		counts = append(counts, fmt.Sprintf("%d %s", d.OccupantCounts[kind], kind))
	}
	if counts == nil {
		counts = []string{"none"}
	}
	leaves := ""
	if d.MerkleLeafCount > 0 {
		leaves = command.Decimal(int64(d.MerkleLeafCount))
	}
	return []render.View{render.Fields{
		{Name: "session", Value: d.SID},
		{Name: "root key", Value: d.MainNodeID},
		{Name: "rev", Value: command.Number(d.Rev)},
		{Name: "seq", Value: command.Number(d.Seq)},
		{Name: "root", Value: d.MerkleRootHex},
		{Name: "leaves", Value: leaves},
		{Name: "map", Value: fmt.Sprintf("(%v, %v) to (%v, %v)", d.Bounds.MinX, d.Bounds.MinY, d.Bounds.MaxX, d.Bounds.MaxY)},
		{Name: "occupants", Value: strings.Join(counts, ", ")},
		{Name: "spaces", Value: command.Decimal(int64(d.SpaceCount))},
	}}
}

func snapshotViews(text aql.Snapshot) []render.View {
	var snapshot protocol.Snapshot
	if err := protocol.Decode(text, &snapshot); err != nil {
		return command.Sentence("The snapshot cannot be read.")
	}
	return command.SnapshotDocument(json.RawMessage(text), &snapshot).Views
}

// inline is a value on one line.
func inline(value any) string {
	if shown, ok := value.(string); ok {
		return shown
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "a value that cannot be shown"
	}
	return string(text)
}
