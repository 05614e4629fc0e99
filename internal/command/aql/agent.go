package aql

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/playctl/playctl/internal/aql"
	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// usedAgent is the agent of USE AGENT NODE, with the client that calls for it.
type usedAgent struct {
	id     string
	caller *client.Client
}

// useAgent selects an agent, after the host has checked that the session may act for it.
func (s *session) useAgent(ctx context.Context, st aql.UseAgentNode) (*outcome, error) {
	ref, err := s.text(&st.Node)
	if err != nil {
		return nil, err
	}
	found, err := s.host.FindAgent(ctx, s.caller, ref, command.SeekOwn)
	if err != nil {
		return nil, at(&st.Node, err)
	}
	used, proof := &usedAgent{id: found.ID, caller: s.main.As(found.Node)}, &st.Node
	if st.Passphrase != nil {
		proof = st.Passphrase
		phrase, err := s.phrase(st.Passphrase)
		if err != nil {
			return nil, err
		}
		if used.caller, err = s.as(used.id, phrase); err != nil {
			return nil, at(st.Passphrase, err)
		}
	}
	request := protocol.ValidateRequest{}
	if !found.Own && st.Passphrase == nil {
		request.NodeID = used.id // its main node calls for it
	}
	if err := validate(ctx, used.caller, request); err != nil {
		return nil, at(proof, err)
	}
	s.agent = used
	return &outcome{note: "Using the agent " + found.Name() + "."}, nil
}

// sent is the result of SEND. Seq is absent if the text was blank and nothing was
// recorded, and on hosts that do not number events.
type sent struct {
	PlayerID string  `json:"playerId"`
	Text     string  `json:"text"`         // what was said
	Seq      *uint64 `json:"seq,omitzero"` // the number of its event; absent where the text was blank
}

// send sends a chat line as the agent in use, with the role assistant.
func (s *session) send(ctx context.Context, st aql.Send) (*outcome, error) {
	text, secret, err := s.join(st.Text, func(protocol.Secret) string { return "" })
	if err == nil && secret {
		err = errSecretValue
	}
	if err != nil {
		return nil, err
	}
	text = protocol.NormalizeText(text)
	reply, err := s.agent.caller.RecordInteraction(ctx, protocol.RecordInteractionRequest{
		PlayerID: s.agent.id, Role: protocol.RoleAssistant, Text: text,
	})
	if err != nil {
		return nil, err
	}
	views := command.Sentence("Sent.")
	if text == "" {
		views = command.Sentence("Nothing was recorded: the text is blank.")
	}
	return reading(nil, &sent{PlayerID: s.agent.id, Text: text, Seq: reply.Seq}, views...)
}

func (s *session) inspectMain(ctx context.Context, st aql.InspectMainNode) (*outcome, error) {
	reply, err := s.main.Nodes(ctx)
	if err != nil {
		return nil, err
	}
	main, agents := s.caller.MainDocument(s.Printer.Look, reply), s.caller.AgentsDocument(s.App, reply.AgentNodes)
	return reading(st.Into, reply, slices.Concat(main.Views, []render.View{render.Line("")}, agents.Views)...)
}

// inspectedAgent is the result of INSPECT AGENT.
type inspectedAgent struct {
	AgentID  string                `json:"agentId"`
	Node     *protocol.AgentRecord `json:"node,omitzero"`     // the host's record, for agents of the main node that connects
	Occupant json.RawMessage       `json:"occupant,omitzero"` // the agent's row on the map; absent where it is not there
}

// inspectAgent reads the main node's record of an agent and the agent's row on the map.
func (s *session) inspectAgent(ctx context.Context, st aql.InspectAgent) (*outcome, error) {
	ref, err := s.agentMeant(st.Agent)
	if err != nil {
		return nil, err
	}
	_, snapshot, err := command.Snapshot(ctx, s.main)
	if err != nil {
		return nil, err
	}
	var records []protocol.AgentRecord
	if s.main.Node() != "" {
		reply, err := s.main.Nodes(ctx)
		if err != nil {
			return nil, err
		}
		records = reply.AgentNodes
	}
	found, err := chooseAgent(records, snapshot, ref)
	if err != nil {
		return nil, at(st.Agent, err)
	}
	return reading(st.Into, found, s.agentViews(found)...)
}

// agentMeant resolves an operand to the id of an agent whose credentials are known; any
// other text is returned unchanged. nil is the agent in use.
func (s *session) agentMeant(o *aql.Operand) (string, error) {
	if o == nil {
		return s.agent.id, nil
	}
	ref, err := s.text(o)
	if err != nil {
		return "", err
	}
	if agent, known := s.caller.Known(ref); known {
		return agent.NodeID, nil
	}
	return ref, nil
}

// chooseAgent finds an agent by its id, its name, or a prefix of its id.
func chooseAgent(records []protocol.AgentRecord, snapshot *protocol.Snapshot, ref string) (*inspectedAgent, error) {
	found := map[string]*inspectedAgent{}
	note := func(id, name string) *inspectedAgent {
		prefix := len(ref) >= command.LeastPrefix && strings.HasPrefix(id, strings.ToLower(ref))
		if id != protocol.NormalizeAgentID(ref) && name != ref && !prefix {
			return &inspectedAgent{} // does not match
		}
		if found[id] == nil {
			found[id] = &inspectedAgent{AgentID: id}
		}
		return found[id]
	}
	for i := range records {
		note(records[i].AgentID, records[i].Name).Node = &records[i]
	}
	for text, row := range client.Rows[*protocol.Agent](snapshot) {
		note(row.AgentID, row.Name).Occupant = text
	}
	if exact := found[protocol.NormalizeAgentID(ref)]; exact != nil {
		return exact, nil
	}
	if len(found) > 1 {
		return nil, fmt.Errorf("%d agents are called %.40q: use an id", len(found), ref)
	}
	for _, only := range found {
		return only, nil
	}
	return nil, protocol.Errorf(protocol.CodePlayerUnknown, "there is no agent %.40q in your account or on the map", ref)
}

func (s *session) agentViews(d *inspectedAgent) []render.View {
	fields := render.Fields{{Name: "agent node", Value: d.AgentID}}
	if d.Node != nil {
		fields = append(fields, command.AgentFields(s.Printer.Look, d.Node)...)
	}
	if d.Occupant == nil {
		return []render.View{append(fields, render.Field{Name: "on the map", Value: "no"})}
	}
	return []render.View{fields, render.Line(""), command.OccupantTable([]json.RawMessage{d.Occupant})}
}

func (s *session) fetch(ctx context.Context, st aql.Fetch) (*outcome, error) {
	raw, snapshot, err := command.Snapshot(ctx, s.main)
	if err != nil {
		return nil, err
	}
	switch st.Verb {
	case "FETCH OCCUPANTS":
		rows := snapshot.WorldMap.Occupants
		return reading(st.Into, rows, command.OccupantTable(rows))
	case "FETCH METADATA":
		m := &metadata{
			SID: snapshot.SID, MainNodeID: snapshot.MainNodeID, Rev: snapshot.Rev, Seq: snapshot.Seq,
			MerkleRootHex: snapshot.MerkleRootHex, MerkleLeafCount: snapshot.MerkleLeafCount,
			Bounds: snapshot.WorldMap.Bounds, SpaceCount: len(snapshot.Spaces), OccupantCounts: client.Kinds(snapshot),
		}
		return reading(st.Into, m, m.view())
	}
	return reading(st.Into, raw, command.SnapshotDocument(raw, snapshot).Views...)
}

// metadata is the result of FETCH METADATA: the snapshot without its rows. Rev, Seq and
// the tree's root are absent on hosts without them.
type metadata struct {
	SID             string          `json:"sid"`
	MainNodeID      string          `json:"mainNodeId"` // the root key of the world
	Rev             *uint64         `json:"rev,omitzero"`
	Seq             *uint64         `json:"seq,omitzero"`
	MerkleRootHex   string          `json:"merkleRootHex,omitzero"`
	MerkleLeafCount int             `json:"merkleLeafCount,omitzero"`
	Bounds          protocol.Bounds `json:"bounds"`         // the corners of the map
	OccupantCounts  map[string]int  `json:"occupantCounts"` // rows on the map by kind
	SpaceCount      int             `json:"spaceCount"`     // how many spaces there are
}

func (m *metadata) view() render.View {
	var counts []string
	for _, kind := range slices.Sorted(maps.Keys(m.OccupantCounts)) {
		counts = append(counts, fmt.Sprintf("%d %s", m.OccupantCounts[kind], kind))
	}
	leaves := ""
	if m.MerkleLeafCount > 0 {
		leaves = command.Decimal(int64(m.MerkleLeafCount))
	}
	return render.Fields{
		{Name: "session", Value: m.SID},
		{Name: "root key", Value: m.MainNodeID},
		{Name: "rev", Value: command.Number(m.Rev)},
		{Name: "seq", Value: command.Number(m.Seq)},
		{Name: "root", Value: m.MerkleRootHex},
		{Name: "leaves", Value: leaves},
		{Name: "map", Value: fmt.Sprintf("(%v, %v) to (%v, %v)", m.Bounds.MinX, m.Bounds.MinY, m.Bounds.MaxX, m.Bounds.MaxY)},
		{Name: "occupants", Value: cmp.Or(strings.Join(counts, ", "), "none")},
		{Name: "spaces", Value: command.Decimal(int64(m.SpaceCount))},
	}
}

// agentList is the result of SHOW AGENTS.
type agentList struct {
	Agents protocol.List[protocol.AgentRecord] `json:"agents"` // the agent nodes of the account
}

// connection is the result of SHOW CONNECTION.
type connection struct {
	Server   string `json:"server"`
	Context  string `json:"context,omitzero"`
	MainNode string `json:"mainNode,omitzero"` // the main node that connects
	SpaceID  string `json:"spaceId,omitzero"`  // the space in use
	AgentID  string `json:"agentId,omitzero"`  // the agent in use
}

// showList shows a list from the host or the session.
func (s *session) showList(ctx context.Context, st aql.ShowList) (*outcome, error) {
	switch st.Verb {
	case "SHOW SPACES":
		reply, err := s.main.ListSpaceNodes(ctx)
		if err != nil {
			return nil, err
		}
		return reading(nil, reply, command.SpacesDocument(reply, reply.Spaces, "There are no spaces yet. CREATE SPACE creates one.").Views...)
	case "SHOW AGENTS":
		reply, err := s.main.Nodes(ctx)
		if err != nil {
			return nil, err
		}
		return reading(nil, &agentList{reply.AgentNodes}, s.caller.AgentsDocument(s.App, reply.AgentNodes).Views...)
	}
	c := &connection{Server: s.main.BaseURL(), Context: s.caller.ContextName(), MainNode: s.main.Node()}
	if s.space != nil {
		c.SpaceID = s.space.id
	}
	if s.agent != nil {
		c.AgentID = s.agent.id
	}
	return reading(nil, c, render.Fields{
		{Name: "server", Value: c.Server}, {Name: "context", Value: c.Context}, {Name: "main node", Value: c.MainNode},
		{Name: "space in use", Value: c.SpaceID}, {Name: "agent in use", Value: c.AgentID},
	})
}
