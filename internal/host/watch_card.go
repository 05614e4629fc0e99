package host

import (
	"cmp"
	"strings"
	"sync"
	"time"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/card"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

const (
	// cardAge is for how long a picture is sent although the map has changed since: a
	// picture takes 0.1 s of processor time, and every display of a link requests it.
	cardAge = 10 * time.Second
	// cacheCard lets sites that show a link cache its picture for a while.
	cacheCard = "public, max-age=60"
)

// cardCache keeps the newest picture of the world.
type cardCache struct {
	mu      sync.Mutex
	sid     string
	rev     uint64
	drawn   time.Time
	picture encoded
}

// of returns the picture of a view, or one from up to cardAge before now. While
// one is drawn, other calls wait for it.
func (c *cardCache) of(v *world.View, name string, now time.Time) (encoded, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	age := now.Sub(c.drawn)
	if len(c.picture.body) > 0 && (c.sid == v.SID && c.rev == v.Rev || age >= 0 && age < cardAge) {
		return c.picture, nil
	}
	body, err := card.Draw(townOf(v, name))
	if err != nil {
		return encoded{}, err
	}
	c.sid, c.rev, c.drawn = v.SID, v.Rev, now
	c.picture = encoded{body: body, tag: tagOf(body)}
	return c.picture, nil
}

// townOf reads the rows that a picture shows. Of the remaining rows it counts the agents.
func townOf(v *world.View, name string) *card.Town {
	town := &card.Town{World: cmp.Or(name, unnamedWorld)}
	for _, leaf := range v.Tree.Occupants() {
		if strings.HasPrefix(leaf.Key(), string(protocol.KindAgent)+":") {
			town.Agents++
		}
		if len(town.Residents) == card.MostDrawn {
			continue
		}
		row, err := chain.ParseOccupant(leaf.Payload())
		if err != nil {
			// A kind of row that this host does not know has no form to draw.
			continue
		}
		r := card.Resident{Kind: row.OccupantKind()}
		r.X, r.Y = row.Position()
		switch row := row.(type) {
		case *protocol.Agent:
			r.ID, r.Name = row.AgentID, row.Name
		case *protocol.MCP:
			r.ID, r.Name = row.ID, row.Name
		case *protocol.Structure:
			r.ID, r.Name = row.ID, row.Name
		case *protocol.Human:
			r.ID, r.Name = row.ID, row.Name
		}
		town.Residents = append(town.Residents, r)
	}
	return town
}

// sendCard sends the picture of the world where everybody may watch.
func sendCard(c *call) error {
	if c.host.options.WatchAccess != WatchPublic {
		return protocol.Errorf(protocol.CodeNotFound, "there is no such route")
	}
	picture, err := c.host.card.of(c.host.world.View(), c.host.options.WorldName, c.host.world.Now())
	if err != nil {
		return err
	}
	header := c.w.Header()
	for k, v := range pageHeaders {
		header.Set(k, v)
	}
	// The picture is meant to be shown on other sites.
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	c.sendFile(picture, mediaTypes[".png"], cacheCard, world.Identity)
	return nil
}
