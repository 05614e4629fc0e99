package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/playctl/playctl/internal/aql"
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
		return d, lines("%s has %s now.", d.Space.Name, strings.Join(d.Space.Amenities, ", "))
	case *aql.Removed:
		if !d.OK {
			return d, lines("There is no space %s any more.", d.Name)
		}
		return d, lines("Removed the space %s with its structure, its node and its log.", d.Name)
	case *aql.InspectedSpace:
		return d, s.spaceViews(d)
	case *aql.InspectedMain:
		main := s.who.mainDocument(s.printer.Look, &protocol.NodesReply{GenesisNodeID: d.GenesisNodeID, MainNode: d.MainNode})
		agents := s.who.agentsDocument(s.printer.Look, d.AgentNodes)
		return d, slices.Concat(main.Views, []render.View{render.Line("")}, agents.Views)
	case *aql.InspectedAgent:
		return d, s.agentViews(d)
	case *aql.Sent:
		if protocol.NormalizeText(d.Text) == "" {
			return d, lines("Nothing was recorded: the text is blank.")
		}
		return d, lines("Sent.")
	case aql.Occupants:
		return d, []render.View{occupantTable(d)}
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
		return d, []render.View{render.Text(shownText(d.Value))}
	case aql.VariableList:
		table := render.Table{Columns: []render.Column{{Title: "variable"}, {Title: "value", Wraps: true}}, Empty: "No variable is set."}
		for _, v := range d {
			table.Rows = append(table.Rows, []string{"$" + v.Name, inline(v.Value)})
		}
		return d, []render.View{table}
	case *aql.SpaceList:
		return d, []render.View{spaceTable(d.Spaces)}
	case *aql.AgentList:
		return d, s.who.agentsDocument(s.printer.Look, d.Agents).Views
	case *aql.ConnectionState:
		return d, []render.View{render.Fields{
			{Name: "server", Value: d.Server}, {Name: "context", Value: d.Context}, {Name: "main node", Value: d.MainNode},
			{Name: "space in use", Value: d.SpaceID}, {Name: "agent in use", Value: d.AgentID},
		}}
	}
	return data, []render.View{render.Text(shownText(data))}
}

// lines is a view of one sentence.
func lines(format string, args ...any) []render.View {
	return []render.View{render.Line(render.Clean(fmt.Sprintf(format, args...)))}
}

func (s *aqlSession) createdViews(d *aql.Created) (any, []render.View) {
	fields := render.Fields{
		{Name: "space", Value: d.SpaceID},
		{Name: "space node", Value: d.NodeID},
		{Name: "cell", Value: describeRow(d.Structure)[3]},
		{Name: "phrase file", Value: d.PhraseFile},
	}
	if !s.flags.showPhrase {
		return d, []render.View{fields}
	}
	fields = append(fields, render.Field{Name: "phrase", Value: d.Phrase.Reveal()})
	return createdWithPhrase{d, d.Phrase.Reveal()}, []render.View{fields}
}

func (s *aqlSession) spaceViews(d *aql.InspectedSpace) []render.View {
	views := []render.View{render.Fields{
		{Name: "space", Value: d.Space.ID},
		{Name: "name", Value: d.Space.Name},
		{Name: "description", Value: d.Space.Description},
		{Name: "design", Value: d.Space.DesignKey},
		{Name: "owner", Value: d.Space.Owner.DisplayName},
		{Name: "node", Value: d.Space.Owner.NodeID},
		{Name: "amenities", Value: strings.Join(d.Space.Amenities, ", ")},
	}}
	if d.Log == nil {
		return views
	}
	log := render.Table{
		Columns: []render.Column{{Title: "when"}, {Title: "action"}, {Title: "by"}, {Title: "what", Wraps: true}},
		Empty:   "Its log is empty.",
	}
	for _, entry := range d.Log {
		log.Rows = append(log.Rows, []string{s.printer.Look.AgeOf(entry.At), entry.Action, render.ShortID(entry.By), entry.Detail})
	}
	return append(views, render.Line(""), log)
}

func (s *aqlSession) agentViews(d *aql.InspectedAgent) []render.View {
	fields := render.Fields{{Name: "agent node", Value: d.AgentID}}
	if d.Node != nil {
		fields = append(fields,
			render.Field{Name: "name", Value: d.Node.Name},
			render.Field{Name: "tools", Value: strings.Join(d.Node.ToolNames, ", ")},
			render.Field{Name: "zones", Value: zones(*d.Node)},
			render.Field{Name: "yields", Value: decimal(d.Node.YieldCount)},
			render.Field{Name: "created", Value: s.printer.Look.AgeOf(d.Node.CreatedAt)})
	}
	if d.Occupant == nil {
		return []render.View{append(fields, render.Field{Name: "on the map", Value: "no"})}
	}
	return []render.View{fields, render.Line(""), occupantTable([]json.RawMessage{d.Occupant})}
}

func occupantTable(rows []json.RawMessage) render.Table {
	table := render.Table{
		Columns: []render.Column{{Title: "kind"}, {Title: "name", Wraps: true}, {Title: "id"}, {Title: "cell"}, {Title: "about", Wraps: true}},
		Empty:   "The map is empty.",
	}
	for _, row := range rows {
		table.Rows = append(table.Rows, describeRow(row))
	}
	return table
}

func spaceTable(spaces []protocol.Space) render.Table {
	table := render.Table{
		Columns: []render.Column{{Title: "space"}, {Title: "name", Wraps: true}, {Title: "design"}, {Title: "owner", Wraps: true}, {Title: "amenities", Wraps: true}},
		Empty:   "There are no spaces yet. CREATE SPACE makes one.",
	}
	for i := range spaces {
		space := &spaces[i]
		table.Rows = append(table.Rows, []string{
			space.ID, space.Name, space.DesignKey, space.Owner.DisplayName, strings.Join(space.Amenities, ", "),
		})
	}
	return table
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
		leaves = decimal(int64(d.MerkleLeafCount))
	}
	return []render.View{render.Fields{
		{Name: "session", Value: d.SID},
		{Name: "root key", Value: d.MainNodeID},
		{Name: "rev", Value: number(d.Rev)},
		{Name: "seq", Value: number(d.Seq)},
		{Name: "root", Value: d.MerkleRootHex},
		{Name: "leaves", Value: leaves},
		{Name: "map", Value: fmt.Sprintf("(%v, %v) to (%v, %v)", d.Bounds.MinX, d.Bounds.MinY, d.Bounds.MaxX, d.Bounds.MaxY)},
		{Name: "occupants", Value: strings.Join(counts, ", ")},
		{Name: "spaces", Value: decimal(int64(d.SpaceCount))},
	}}
}

func snapshotViews(text aql.Snapshot) []render.View {
	var snapshot protocol.Snapshot
	if err := protocol.Decode(text, &snapshot); err != nil {
		return lines("The snapshot cannot be read.")
	}
	return snapshotDocument(json.RawMessage(text), &snapshot).Views
}

// shownText is a value for a person: a text as it is, anything else as JSON.
func shownText(value any) string {
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
