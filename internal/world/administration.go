package world

import (
	"maps"
	"slices"
	"strings"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

func (p *planner) checkAdmin() error {
	if p.req.Caller.Admin {
		return nil
	}
	return protocol.Errorf(protocol.CodeForbidden, "only the administrator may do this")
}

func (c RemoveOccupant) plan(p *planner) (any, error) {
	if err := p.checkAdmin(); err != nil {
		return nil, err
	}
	if isSpaceKey(c.StableKey) || !strings.Contains(c.StableKey, ":") {
		return nil, protocol.Errorf(protocol.CodeStableKeyUnknown, "the stable key is not an occupant's")
	}
	switch row := p.st.rows[c.StableKey].(type) {
	case *protocol.Agent:
		return &protocol.OKReply{OK: true}, p.takeOff(row, protocol.RemovedAdmin)
	case *protocol.Human:
		return &protocol.OKReply{OK: true}, p.takePersonOff(row, protocol.RemovedAdmin)
	case *protocol.MCP:
		p.dropRow(row.StableKey())
		return &protocol.OKReply{OK: true}, p.emit(protocol.EventMCPUnregistered,
			&protocol.MCPUnregisteredData{ID: row.ID, Reason: protocol.RemovedAdmin})
	case *protocol.Structure:
		return &protocol.OKReply{OK: true}, p.removeStructure(row)
	}
	return &protocol.OKReply{OK: false}, nil
}

// removeStructure removes a structure from the map. Its spaces stay, without a place; the
// event is the one of the first space.
func (p *planner) removeStructure(row *protocol.Structure) error {
	p.dropRow(row.StableKey())
	announced := false
	for _, id := range row.SpaceIDs {
		prev := p.st.spaces[id]
		if prev == nil {
			continue
		}
		next := *prev
		next.StructureID = ""
		if err := p.put(store.Spaces, id, &next); err != nil {
			return err
		}
		if !announced {
			announced = true
			if err := p.emitSpace(&next, protocol.SpaceChanged); err != nil {
				return err
			}
		}
	}
	return nil
}

// clearedAtReset are the tables that end with a session. Nodes and aggregates
// stay.
var clearedAtReset = [...]store.Table{
	store.Leases, store.Interactions, store.InteractionOrder, store.Journeys, store.JourneyOrder,
	store.Spaces, store.SpaceLogs, store.Usage, store.Intercom,
}

func (c ResetSession) plan(p *planner) (any, error) {
	if err := p.checkAdmin(); err != nil {
		return nil, err
	}
	sid, err := newUUID(p.options.Random)
	if err != nil {
		return nil, err
	}
	p.entry.Cleared = true
	p.entry.Header = smallestGrid.header(sid)
	for _, table := range clearedAtReset {
		p.entry.Records = append(p.entry.Records, store.Record{Table: table})
	}
	for _, id := range slices.Sorted(maps.Keys(p.st.nodes)) {
		if p.st.nodes[id].Kind == protocol.NodeKindSpace {
			p.erase(store.Nodes, id)
		}
	}
	p.putBytes(store.Meta, []byte(store.ResetSeqKey), seqKey(p.nextSeq()))
	return &protocol.ResetReply{SID: sid}, p.emit(protocol.EventSessionReset,
		&protocol.SessionResetData{Reason: c.Reason, SID: sid})
}
