package world

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// Space is a space with the data that is not on the map.
type Space struct {
	Entry protocol.Space `json:"entry"`
	// Creator is the main node that created the space.
	Creator string `json:"creator"`
	// NodeID is the space's own node; empty if it has none.
	NodeID string `json:"nodeId,omitempty"`
	// StructureID is the structure that was created with it; empty for none.
	StructureID string `json:"structureId,omitempty"`

	// Size is how many bytes the space takes on the map, with its structure.
	Size int `json:"-"`
}

// RegisterSpace creates a space without a node of its own and without a place.
type RegisterSpace struct{ protocol.RegisterSpaceRequest }

// CreateSpace creates a space with its node and a structure. The host derives
// NodeID from the phrase that it generated.
type CreateSpace struct {
	protocol.CreateSpaceRequest
	NodeID string
	Digest [32]byte
	Phrase protocol.Secret
}

// CreateSpaceNode gives a space a node of its own. Phrase is empty if the caller
// sent the hash.
type CreateSpaceNode struct {
	SpaceID string
	NodeID  string
	Digest  [32]byte
	Phrase  protocol.Secret
}

// RemoveSpace removes a space with everything that belongs to it.
type RemoveSpace struct{ protocol.SpaceRequest }

// AddAmenity and RemoveAmenity change what a space offers.
type AddAmenity struct{ protocol.AmenityRequest }

// RemoveAmenity removes an amenity from a space, but not the last one.
type RemoveAmenity struct{ protocol.AmenityRequest }

func (c RegisterSpace) plan(p *planner) (any, error) {
	creator, err := p.mainCaller()
	if err != nil {
		return nil, err
	}
	id := c.ID
	if id == "" {
		if id, err = newUUID(p.options.Random); err != nil {
			return nil, err
		}
	}
	if p.st.spaces[id] != nil {
		return nil, protocol.Errorf(protocol.CodeSpaceExists, "a space with this id already exists")
	}
	if err := p.checkQuota(creator, Spaces); err != nil {
		return nil, err
	}
	s := &Space{Creator: creator, Entry: protocol.Space{
		ID: id, Name: c.Name, Description: c.Description, DesignKey: c.DesignKey, Amenities: c.Amenities,
		Owner: protocol.SpaceOwner{DisplayName: c.Owner.DisplayName, PlayerID: c.Owner.PlayerID, NodeID: creator},
	}}
	return &protocol.SpaceReply{Space: s.Entry}, p.addSpace(s, "registered")
}

func (c CreateSpace) plan(p *planner) (any, error) {
	creator, err := p.mainCaller()
	if err != nil {
		return nil, err
	}
	if err := p.checkFree(c.NodeID); err != nil {
		return nil, err
	}
	if err := p.checkQuota(creator, Spaces); err != nil {
		return nil, err
	}
	s := &Space{Creator: creator, NodeID: c.NodeID, Entry: protocol.Space{
		Name: c.Name, Description: c.Description, DesignKey: c.DesignKey, Amenities: c.Amenities,
		Owner: protocol.SpaceOwner{DisplayName: c.OwnerDisplayName, NodeID: c.NodeID},
	}}
	for _, id := range [...]*string{&s.Entry.ID, &s.StructureID} {
		if *id, err = newUUID(p.options.Random); err != nil {
			return nil, err
		}
	}
	structure := &protocol.Structure{
		ID: s.StructureID, Name: c.StructureName, WorldID: worldID, SpaceIDs: []string{s.Entry.ID},
		PrimaryAmenity: c.Amenities[0], Amenities: c.Amenities, Stationary: true,
	}
	structure.X, structure.Y = p.placeNew(structure.StableKey())
	row, _, err := p.putRow(structure)
	if err != nil {
		return nil, err
	}
	if err := p.putSpaceNode(s, c.Digest); err != nil {
		return nil, err
	}
	reply := &protocol.CreateSpaceReply{
		SpaceID: s.Entry.ID, NodeID: c.NodeID, Phrase: c.Phrase.Wire(), Structure: row,
	}
	return reply, p.addSpace(s, "created with a structure")
}

// worldID is the `worldId` of structures: the one world of a host.
const worldID = "overworld"

func (c CreateSpaceNode) plan(p *planner) (any, error) {
	creator, err := p.mainCaller()
	if err != nil {
		return nil, err
	}
	prev, err := p.space(c.SpaceID)
	if err != nil {
		return nil, err
	}
	if prev.Creator != creator {
		return nil, protocol.Errorf(protocol.CodeForbidden, "only the main node that created the space may give it a node")
	}
	if err := p.checkFree(c.NodeID); err != nil {
		return nil, err
	}
	if prev.NodeID != "" {
		return nil, protocol.Errorf(protocol.CodeNodeExists, "the space already has a node")
	}
	next := *prev
	next.NodeID, next.Entry.Owner.NodeID = c.NodeID, c.NodeID
	if err := p.putSpaceNode(&next, c.Digest); err != nil {
		return nil, err
	}
	return &protocol.CreateNodeReply{NodeID: c.NodeID, Phrase: c.Phrase.Wire()},
		p.putSpace(&next, protocol.SpaceChanged, "given a node")
}

func (p *planner) putSpaceNode(s *Space, digest [32]byte) error {
	now := p.now.UnixMilli()
	return p.put(store.Nodes, s.NodeID, &Node{
		ID: s.NodeID, Kind: protocol.NodeKindSpace, Parent: s.Creator, SpaceID: s.Entry.ID, Digest: digest[:],
		CreatedAt: now, UpdatedAt: now,
	})
}

func (c RemoveSpace) plan(p *planner) (any, error) {
	s, err := p.space(c.SpaceID)
	if err != nil {
		return nil, err
	}
	if !p.req.Caller.Admin && !p.madeSpace(s) {
		return nil, protocol.Errorf(protocol.CodeForbidden, "only the main node that created the space, or the administrator, may remove it")
	}
	if err := p.dropSpace(s); err != nil {
		return nil, err
	}
	return &protocol.OKReply{OK: true}, p.emitSpace(s, protocol.SpaceRemoved)
}

func (c AddAmenity) plan(p *planner) (any, error) {
	reply, err := p.changeAmenities(c.SpaceID, "added "+c.Kind, func(has []string) ([]string, error) {
		if slices.Contains(has, c.Kind) {
			return nil, protocol.Errorf(protocol.CodeAmenityExists, "the space already has a %s", c.Kind)
		}
		return append(slices.Clone(has), c.Kind), nil
	})
	if err != nil {
		return nil, err
	}
	return reply, p.checkMapBytes(p.st.spaces[c.SpaceID].Creator)
}

func (c RemoveAmenity) plan(p *planner) (any, error) {
	return p.changeAmenities(c.SpaceID, "removed "+c.Kind, func(has []string) ([]string, error) {
		i := slices.Index(has, c.Kind)
		switch {
		case i < 0:
			return nil, protocol.Errorf(protocol.CodeNotFound, "the space has no %s", c.Kind)
		case len(has) == 1:
			return nil, protocol.Errorf(protocol.CodeAmenityLast, "a space keeps at least one amenity: add another first, or remove the space")
		}
		return slices.Delete(slices.Clone(has), i, i+1), nil
	})
}

func (p *planner) changeAmenities(spaceID, detail string, change func([]string) ([]string, error)) (any, error) {
	prev, err := p.space(spaceID)
	if err != nil {
		return nil, err
	}
	if caller := p.req.Caller.NodeID; !p.madeSpace(prev) && (prev.NodeID == "" || caller != prev.NodeID) {
		return nil, protocol.Errorf(protocol.CodeForbidden, "only the space's own node or the main node that created it may change it")
	}
	next := *prev
	if next.Entry.Amenities, err = change(prev.Entry.Amenities); err != nil {
		return nil, err
	}
	if err := p.copyAmenities(&next); err != nil {
		return nil, err
	}
	return &protocol.SpaceReply{Space: next.Entry}, p.putSpace(&next, protocol.SpaceChanged, detail)
}

// copyAmenities copies a space's amenities to its structure.
func (p *planner) copyAmenities(s *Space) error {
	prev, ok := p.st.rows[protocol.StructureKeyPrefix+s.StructureID].(*protocol.Structure)
	if !ok {
		return nil
	}
	row := *prev
	row.Amenities, row.PrimaryAmenity = s.Entry.Amenities, s.Entry.Amenities[0]
	_, _, err := p.putRow(&row)
	return err
}

// space finds a space by its id.
func (p *planner) space(id string) (*Space, error) {
	if s := p.st.spaces[id]; s != nil {
		return s, nil
	}
	return nil, protocol.Errorf(protocol.CodeSpaceUnknown, "there is no space with this id")
}

// madeSpace reports whether the caller is the space's creator.
func (p *planner) madeSpace(s *Space) bool {
	return p.options.NoRepository || p.req.Caller.NodeID == s.Creator
}

// addSpace is putSpace for a new one, if there is room for it on the map.
func (p *planner) addSpace(s *Space, detail string) error {
	if err := p.putSpace(s, protocol.SpaceCreated, detail); err != nil {
		return err
	}
	return p.checkMapBytes(s.Creator)
}

// putSpace stages a space's entry on the map, its record, its log and its event.
func (p *planner) putSpace(s *Space, action, detail string) error {
	row, err := chain.AppendSpace(nil, &s.Entry)
	if err != nil {
		return fmt.Errorf("encode the space %s: %w", s.Entry.ID, err)
	}
	p.stage(s.Entry.StableKey(), row, nil)
	if err := p.put(store.Spaces, s.Entry.ID, s); err != nil {
		return err
	}
	entry, err := json.Marshal(&protocol.SpaceLogEntry{
		At: p.at(), Action: action, By: p.req.Caller.NodeID, Detail: detail,
	})
	if err != nil {
		return fmt.Errorf("encode a space's log: %w", err)
	}
	if err := p.keep(spaceLog, s.Creator, s.Entry.ID, p.nextSeq(), entry); err != nil {
		return err
	}
	return p.emitSpace(s, action)
}

func (p *planner) emitSpace(s *Space, action string) error {
	return p.emit(protocol.EventSpaceChanged, &protocol.SpaceChangedData{SpaceID: s.Entry.ID, Action: action})
}

// dropSpace stages the removal of a space, of its node, its log and, if it is the
// last space in it, of its structure, without an event.
func (p *planner) dropSpace(s *Space) error {
	p.dropRow(s.Entry.StableKey())
	p.erase(store.Spaces, s.Entry.ID)
	if p.st.nodes[s.NodeID] != nil {
		p.erase(store.Nodes, s.NodeID)
	}
	if err := p.forgetAll(spaceLog, s.Creator, s.Entry.ID); err != nil {
		return err
	}
	structure, ok := p.st.rows[protocol.StructureKeyPrefix+s.StructureID].(*protocol.Structure)
	if !ok {
		return nil
	}
	row := *structure
	row.SpaceIDs = slices.DeleteFunc(slices.Clone(row.SpaceIDs), func(id string) bool { return id == s.Entry.ID })
	if len(row.SpaceIDs) == 0 {
		p.dropRow(row.StableKey())
		return nil
	}
	_, _, err := p.putRow(&row)
	return err
}

// spacesOf lists the spaces that a main node created, by id.
func (s *state) spacesOf(creator string) []*Space {
	var made []*Space
	for _, space := range s.spaces {
		if space.Creator == creator {
			made = append(made, space)
		}
	}
	slices.SortFunc(made, func(a, b *Space) int { return strings.Compare(a.Entry.ID, b.Entry.ID) })
	return made
}

// Space reads a space with the data that is not on the map. Its errors are
// space_unknown and store_unavailable.
func (w *World) Space(ctx context.Context, id string) (*Space, error) {
	b, err := w.get(ctx, store.Spaces, []byte(id))
	if err != nil {
		return nil, unreadable(err)
	}
	if b == nil {
		return nil, protocol.Errorf(protocol.CodeSpaceUnknown, "there is no space with this id")
	}
	s := new(Space)
	if err := json.Unmarshal(b, s); err != nil {
		return nil, unreadable(fmt.Errorf("space record %q: %w: %w", id, store.ErrCorrupt, err))
	}
	return s, nil
}

// SpaceLog reads the log of a space, oldest first, each entry as the JSON of a
// protocol.SpaceLogEntry, without damaged ones. The result is not nil.
func (w *World) SpaceLog(ctx context.Context, id string) ([][]byte, error) {
	ctx, cancel := w.bounded(ctx)
	defer cancel()
	entries := [][]byte{}
	for pair, err := range w.options.Journal.Scan(ctx, spaceLog.byPlayer, store.Range{Prefix: historyPrefix(id)}) {
		if store.IsDamaged(err) {
			continue
		}
		if err != nil {
			return nil, unreadable(err)
		}
		entries = append(entries, pair.Value)
	}
	return entries, nil
}
