package aql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/playctl/playctl/protocol"
)

func (in *Interpreter) createSpace(ctx context.Context, s CreateSpace) (outcome, error) {
	var request protocol.CreateSpaceRequest
	var keyfile string
	err := in.texts(
		wanted{&s.Name, &request.Name}, wanted{s.Design, &request.DesignKey}, wanted{s.Owner, &request.OwnerDisplayName},
		wanted{s.Description, &request.Description}, wanted{s.Structure, &request.StructureName}, wanted{s.Keyfile, &keyfile},
	)
	if err != nil {
		return outcome{}, err
	}
	for i := range s.Amenities {
		kind, err := in.amenity(&s.Amenities[i])
		if err != nil {
			return outcome{}, err
		}
		request.Amenities = append(request.Amenities, kind)
	}
	// That a phrase has nowhere to go is found before the space is made.
	if err := in.env.CanSave(keyfile); err != nil {
		return outcome{}, at(s.Keyfile, err)
	}
	reply, err := in.host.Main().CreateSpace(ctx, &request)
	if err != nil {
		return outcome{}, err
	}
	created := &Created{
		SpaceID: reply.SpaceID, NodeID: reply.NodeID, Structure: reply.Structure,
		Phrase: reply.Phrase.Secret,
	}
	created.PhraseFile, err = in.env.Save(created.SpaceID, keyfile, created.Phrase)
	if err != nil {
		err = fmt.Errorf("the space was made, but the phrase of its node is not saved: %w", err)
	}
	return outcome{data: created, into: s.Into}, err
}

// amenity is an operand that names an amenity.
func (in *Interpreter) amenity(o *Operand) (string, error) {
	kind, err := in.text(o)
	if err == nil && !slices.Contains(protocol.Amenities(), kind) {
		return "", at(o, errors.New(unknownAmenity(kind)))
	}
	return kind, err
}

// useSpace chooses a space, and has the host check the passphrase at once.
func (in *Interpreter) useSpace(ctx context.Context, s UseSpaceNode) (outcome, error) {
	space, err := in.findSpace(ctx, &s.Node)
	if err != nil {
		return outcome{}, err
	}
	used := &usedSpace{id: space.ID, name: space.Name, caller: in.host.Main()}
	if s.Passphrase != nil {
		phrase, err := in.phrase(s.Passphrase)
		if err != nil {
			return outcome{}, err
		}
		if used.caller, err = in.host.As(space.Owner.NodeID, phrase); err != nil {
			return outcome{}, at(s.Passphrase, err)
		}
		if err := validate(ctx, used.caller, protocol.ValidateRequest{}); err != nil {
			return outcome{}, at(s.Passphrase, err)
		}
	}
	in.space = used
	return outcome{quiet: true, note: fmt.Sprintf("Using the space %s (%s).", space.Name, space.ID)}, nil
}

// validate has the host check a node.
func validate(ctx context.Context, caller Caller, request protocol.ValidateRequest) error {
	reply, err := caller.ValidateNode(ctx, request)
	if err == nil && !reply.OK {
		err = fmt.Errorf("the host does not accept the node: %s", reply.Reason)
	}
	return err
}

// findSpace finds the space that an operand names: by its id, its node's id, its
// name, or the beginning of an id.
func (in *Interpreter) findSpace(ctx context.Context, o *Operand) (*protocol.Space, error) {
	ref, err := in.text(o)
	if err != nil {
		return nil, err
	}
	reply, err := in.host.Main().ListSpaceNodes(ctx)
	if err != nil {
		return nil, err
	}
	space, err := chooseSpace(reply.Spaces, ref)
	return space, at(o, err)
}

// leastPrefix is how many characters of an id name a space or an agent: fewer
// could be typed by mistake.
const leastPrefix = 4

func chooseSpace(spaces []protocol.Space, ref string) (*protocol.Space, error) {
	matches := []func(s *protocol.Space) bool{
		func(s *protocol.Space) bool { return s.ID == ref || s.Owner.NodeID == protocol.NormalizeNodeID(ref) },
		func(s *protocol.Space) bool { return s.Name == ref },
		func(s *protocol.Space) bool {
			return len(ref) >= leastPrefix && (strings.HasPrefix(s.ID, ref) || strings.HasPrefix(s.Owner.NodeID, strings.ToLower(ref)))
		},
	}
	for _, match := range matches {
		var found []*protocol.Space
		var ids []string
		for i := range spaces {
			if match(&spaces[i]) {
				found, ids = append(found, &spaces[i]), append(ids, spaces[i].ID)
			}
		}
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return nil, fmt.Errorf("%d spaces are called %s: name one by its id, %s", len(found), quoted(ref), anyOf(ids))
		}
	}
	return nil, protocol.Errorf(protocol.CodeSpaceUnknown, "there is no space %s here: SHOW SPACES lists them", quoted(ref))
}

func (in *Interpreter) changeAmenity(ctx context.Context, s ChangeAmenity) (outcome, error) {
	if in.space == nil {
		return outcome{}, errSpaceGone
	}
	kind, err := in.amenity(&s.Amenity)
	if err != nil {
		return outcome{}, err
	}
	change := in.space.caller.AddSpaceAmenity
	if s.Verb == "REMOVE SPACE AMENITY" {
		change = in.space.caller.RemoveSpaceAmenity
	}
	reply, err := change(ctx, protocol.AmenityRequest{SpaceID: in.space.id, Kind: kind})
	if err != nil {
		return outcome{}, at(&s.Amenity, err)
	}
	return outcome{data: &Changed{Space: reply.Space}}, nil
}

// errSpaceGone is what Check cannot see: the space in use was removed by its
// name.
var errSpaceGone = errors.New("the space in use was removed: put USE SPACE NODE before this")

func (in *Interpreter) removeSpace(ctx context.Context, s RemoveSpace) (outcome, error) {
	removed := &Removed{}
	if s.Space == nil {
		if in.space == nil {
			return outcome{}, errSpaceGone
		}
		removed.SpaceID, removed.Name = in.space.id, in.space.name
	} else {
		space, err := in.findSpace(ctx, s.Space)
		if err != nil {
			return outcome{}, err
		}
		removed.SpaceID, removed.Name = space.ID, space.Name
	}
	// Only the main node that made a space may remove it, not its own node.
	reply, err := in.host.Main().RemoveSpace(ctx, removed.SpaceID)
	if err != nil {
		return outcome{}, at(s.Space, err)
	}
	removed.OK = reply.OK
	if in.space != nil && in.space.id == removed.SpaceID {
		in.space = nil
	}
	return outcome{data: removed}, nil
}

func (in *Interpreter) inspectSpace(ctx context.Context, s InspectSpace) (outcome, error) {
	var id string
	switch {
	case s.Space != nil:
		space, err := in.findSpace(ctx, s.Space)
		if err != nil {
			return outcome{}, err
		}
		id = space.ID
	case in.space == nil:
		return outcome{}, errSpaceGone
	default:
		id = in.space.id
	}
	caller := in.host.Main()
	if in.space != nil && in.space.id == id {
		// The space's own node may see its log.
		caller = in.space.caller
	}
	reply, err := caller.InspectSpace(ctx, id)
	if err != nil {
		return outcome{}, at(s.Space, err)
	}
	return reading(&InspectedSpace{Space: reply.Space, Log: reply.Log}, s.Into), nil
}
