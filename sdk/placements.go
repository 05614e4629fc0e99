package sdk

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/playctl/playctl/protocol"
)

// MCP is an MCP placement to put on the map.
type MCP struct {
	// Name identifies the placement within the account.
	Name string
	// URL is absolute, http or https; empty for none.
	URL string
}

// placements are the MCP rows that this program registered, and registers again in
// a new session.
type placements struct {
	world   *RemotePlayWorld
	renewal chan struct{}
	started sync.Once

	mu sync.Mutex
	// byName holds the registered placements; names has the name of each id, including
	// ids of earlier sessions.
	byName map[string]placement
	names  map[string]string
}

type placement struct {
	mcp MCP
	id  string // the host's, in the present session
}

// RegisterMCP puts an MCP placement of the main node on the map and returns its
// id. The same name again changes the row and keeps the id. It stays when the
// world is closed; UnregisterMCP removes it.
func (w *RemotePlayWorld) RegisterMCP(ctx context.Context, mcp MCP) (id string, err error) {
	reply, err := duringWith(ctx, w, w.client.RegisterMCP, protocol.MCPRegisterRequest{Name: mcp.Name, URL: mcp.URL})
	if err != nil {
		return "", err
	}
	w.placements.keep(mcp, reply.ID)
	return reply.ID, nil
}

// UnregisterMCP removes an MCP placement from the map; it returns false if there was
// none with that id. An id from before a reset means the placement of the same
// name.
func (w *RemotePlayWorld) UnregisterMCP(ctx context.Context, id string) (bool, error) {
	ok, err := isOK(duringWith(ctx, w, w.client.UnregisterMCP, w.placements.present(id)))
	if err == nil {
		w.placements.drop(id)
	}
	return ok, err
}

func (p *placements) keep(mcp MCP, id string) {
	p.mu.Lock()
	p.byName[mcp.Name] = placement{mcp: mcp, id: id}
	p.names[id] = mcp.Name
	p.mu.Unlock()
	p.started.Do(func() { p.world.start(p.run) })
}

func (p *placements) drop(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.byName, p.names[id])
	delete(p.names, id)
}

// present returns the id that a placement has in the present session.
func (p *placements) present(id string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if kept, ok := p.byName[p.names[id]]; ok {
		return kept.id
	}
	return id
}

// all returns the names of the placements.
func (p *placements) all() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Keys(p.byName))
}

// named returns the placement with a name; false if it was removed from the map.
func (p *placements) named(name string) (MCP, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept, ok := p.byName[name]
	return kept.mcp, ok
}

// wake makes the placements register again.
func (p *placements) wake() { wake(p.renewal) }

// run registers everything again whenever it is woken.
func (p *placements) run() {
	for {
		select {
		case <-p.world.life.Done():
			return
		case <-p.renewal:
		}
		for _, name := range p.all() {
			mcp, kept := p.named(name)
			if !kept {
				continue // it was removed from the map while others were registered
			}
			if err := p.renew(mcp); err != nil && p.world.life.Err() == nil {
				p.world.warn("an MCP placement could not be registered again", "name", name, "reason", err)
			}
		}
	}
}

// renew registers a placement again, and removes it if it was removed from the map
// meanwhile: its id of the earlier session did not name it.
func (p *placements) renew(mcp MCP) error {
	c, ctx := p.world.client, p.world.life
	reply, err := c.RegisterMCP(ctx, protocol.MCPRegisterRequest{Name: mcp.Name, URL: mcp.URL})
	if err != nil {
		return err
	}
	p.mu.Lock()
	_, kept := p.byName[mcp.Name]
	if kept {
		p.byName[mcp.Name], p.names[reply.ID] = placement{mcp: mcp, id: reply.ID}, mcp.Name
	}
	p.mu.Unlock()
	if !kept {
		_, err = c.UnregisterMCP(ctx, reply.ID)
	}
	return err
}
