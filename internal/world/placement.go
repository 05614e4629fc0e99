package world

import (
	"fmt"
	"io"

	"github.com/playctl/playctl/protocol"
)

// reasonUnregister is the reason of a placement that its owner removed.
const reasonUnregister = "unregister"

func (c RegisterMCP) plan(p *planner) (any, error) {
	owner, err := p.mainCaller()
	if err != nil {
		return nil, err
	}
	row := &protocol.MCP{NodeID: owner, Name: c.Name, URL: c.URL}
	if id, known := p.st.placements[placement{owner, c.Name}]; known {
		row.ID = id
		row.X, row.Y = p.st.rows[protocol.MCPKey(id)].Position()
	} else {
		if err := p.checkQuota(owner, MCPServers); err != nil {
			return nil, err
		}
		if err := p.checkRoom(owner); err != nil {
			return nil, err
		}
		if row.ID, err = newUUID(p.options.Random); err != nil {
			return nil, err
		}
		row.X, row.Y = p.placeNew(row.StableKey())
	}
	encoded, changed, err := p.putRow(row)
	if err != nil {
		return nil, err
	}
	if err := p.checkMapBytes(owner); err != nil {
		return nil, err
	}
	if changed {
		p.emitBytes(protocol.EventMCPRegistered, wrapObject("mcp", encoded))
	}
	return &protocol.IDReply{ID: row.ID}, nil
}

func (c UnregisterMCP) plan(p *planner) (any, error) {
	owner, err := p.mainCaller()
	if err != nil {
		return nil, err
	}
	row, ok := p.st.rows[protocol.MCPKey(c.ID)].(*protocol.MCP)
	if !ok {
		return &protocol.OKReply{OK: false}, nil
	}
	if row.NodeID != owner && !p.options.NoRepository {
		return nil, protocol.Errorf(protocol.CodeForbidden, "the MCP placement belongs to another main node")
	}
	p.dropRow(row.StableKey())
	return &protocol.OKReply{OK: true}, p.emit(protocol.EventMCPUnregistered,
		&protocol.MCPUnregisteredData{ID: row.ID, Reason: reasonUnregister})
}

// newUUID returns a random UUID (version 4, RFC 9562).
func newUUID(random io.Reader) (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("read randomness for an id: %w", err)
	}
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16]), nil
}
