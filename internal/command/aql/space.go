package aql

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/playctl/playctl/internal/aql"
	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// usedSpace is the space of USE SPACE NODE, with the client that calls for it.
type usedSpace struct {
	id, name string
	caller   *client.Client
}

// errSpaceGone is an error that Check cannot detect: the space in use was removed by its
// name.
var errSpaceGone = errors.New("the space in use was removed: put USE SPACE NODE before this")

// created is the result of CREATE SPACE, with the phrase if --show-phrase is set.
type created struct {
	SpaceID    string          `json:"spaceId"`
	NodeID     string          `json:"nodeId"`              // the id of the space's own node
	PhraseFile string          `json:"phraseFile,omitzero"` // the file that has its phrase
	Structure  json.RawMessage `json:"structure"`           // the row of its structure on the map
	Phrase     string          `json:"phrase,omitzero"`
}

func (s *session) createSpace(ctx context.Context, st aql.CreateSpace) (*outcome, error) {
	request, keyfile, err := s.createRequest(&st)
	if err != nil {
		return nil, err
	}
	// If the phrase cannot be saved, that is an error before the space is created.
	phrase, err := s.reservePhrase(keyfile)
	if err != nil {
		return nil, at(st.Keyfile, err)
	}
	reply, err := s.main.CreateSpace(ctx, request)
	if err != nil {
		return nil, errors.Join(err, phrase.Discard())
	}
	phrase.Secret = reply.Phrase.Secret
	unsaved := s.savePhrase(reply.SpaceID, phrase)
	data := &created{SpaceID: reply.SpaceID, NodeID: reply.NodeID, PhraseFile: phrase.File, Structure: reply.Structure, Phrase: phrase.Shown()}
	return &outcome{data: data, into: st.Into, phrase: phrase.Secret, views: []render.View{command.CreatedSpaceFields(reply,
		render.Field{Name: "phrase file", Value: data.PhraseFile},
		render.Field{Name: "phrase", Value: data.Phrase},
	)}}, unsaved
}

func (s *session) createRequest(st *aql.CreateSpace) (request *protocol.CreateSpaceRequest, keyfile string, err error) {
	request = &protocol.CreateSpaceRequest{}
	for _, clause := range []struct {
		from *aql.Operand
		to   *string
	}{
		{&st.Name, &request.Name}, {st.Design, &request.DesignKey}, {st.Owner, &request.OwnerDisplayName},
		{st.Description, &request.Description}, {st.Structure, &request.StructureName}, {st.Keyfile, &keyfile},
	} {
		if *clause.to, err = s.text(clause.from); err != nil {
			return nil, "", err
		}
	}
	for i := range st.Amenities {
		kind, err := s.amenity(&st.Amenities[i])
		if err != nil {
			return nil, "", err
		}
		request.Amenities = append(request.Amenities, kind)
	}
	return request, keyfile, nil
}

// amenity returns the amenity that an operand names.
func (s *session) amenity(o *aql.Operand) (string, error) {
	kind, err := s.text(o)
	if err == nil && !slices.Contains(protocol.Amenities(), kind) {
		err = at(o, aql.UnknownAmenity(kind))
	}
	return kind, err
}

// reservePhrase ensures, before a space is created, that the phrase of its node can be
// shown or saved.
func (s *session) reservePhrase(keyfile string) (*command.NodePhrase, error) {
	flags := &command.PhraseFlags{To: keyfile, Show: s.flags.showPhrase}
	if keyfile != "" || s.flags.showPhrase || s.PhraseIsSeen() {
		return s.ReservePhrase(flags)
	}
	if s.StateFolder() == "" {
		return nil, command.Hintf(errors.New("there is no terminal to show the phrase at, and no home folder to save it in"),
			"add KEYFILE \"path\" to the statement")
	}
	return &command.NodePhrase{Flags: flags}, nil
}

// savePhrase saves the phrase of a new space's node in the reserved file; if it would be
// neither saved nor shown, in a new file in the state folder.
func (s *session) savePhrase(spaceID string, phrase *command.NodePhrase) error {
	if phrase.File != "" || phrase.Flags.Show || s.PhraseIsSeen() {
		return phrase.Save()
	}
	// The host chose the id, so it is never used as a path.
	name := spaceID
	if strings.Trim(strings.ToLower(name), "0123456789abcdefghijklmnopqrstuvwxyz-") != "" || name == "" {
		sum := sha256.Sum256([]byte(spaceID))
		name = hex.EncodeToString(sum[:16])
	}
	phrase.Flags.To = filepath.Join(s.StateFolder(), "spaces", name+".phrase")
	err := os.MkdirAll(filepath.Dir(phrase.Flags.To), 0o700)
	if err == nil {
		err = phrase.SaveNew(s.App)
	}
	if err != nil {
		return command.Unsaved(err)
	}
	return nil
}

// showPhrase prints which file has the phrase of a new space's node, or shows the phrase.
func (s *session) showPhrase(made *created, phrase protocol.Secret) {
	switch {
	case made.PhraseFile != "":
		s.Note("The phrase of the space's node is in %s. Anyone with this phrase controls this node.", made.PhraseFile)
	case !s.flags.showPhrase:
		s.ShowPhrase(&command.NodePhrase{Flags: &command.PhraseFlags{}, Secret: phrase})
	}
}

// findSpace finds the space that an operand names.
func (s *session) findSpace(ctx context.Context, o *aql.Operand) (*protocol.Space, error) {
	ref, err := s.text(o)
	if err != nil {
		return nil, err
	}
	reply, err := s.main.ListSpaceNodes(ctx)
	if err != nil {
		return nil, err
	}
	found := command.MatchSpaces(reply.Spaces, ref)
	switch len(found) {
	case 0:
		return nil, at(o, protocol.Errorf(protocol.CodeSpaceUnknown, "there is no space %.40q here: SHOW SPACES lists them", ref))
	case 1:
		return found[0], nil
	}
	var ids []string
	for _, space := range found {
		ids = append(ids, space.ID)
	}
	return nil, at(o, fmt.Errorf("%d spaces are called %.40q: use an id: %s", len(found), ref, strings.Join(ids, ", ")))
}

// spaceMeant returns the space that an operand names, or for nil the one in use.
func (s *session) spaceMeant(ctx context.Context, o *aql.Operand) (id, name string, err error) {
	switch {
	case o != nil:
		space, err := s.findSpace(ctx, o)
		if err != nil {
			return "", "", err
		}
		return space.ID, space.Name, nil
	case s.space == nil:
		return "", "", errSpaceGone
	}
	return s.space.id, s.space.name, nil
}

// useSpace selects a space, after the host has checked the passphrase.
func (s *session) useSpace(ctx context.Context, st aql.UseSpaceNode) (*outcome, error) {
	space, err := s.findSpace(ctx, &st.Node)
	if err != nil {
		return nil, err
	}
	used := &usedSpace{id: space.ID, name: space.Name, caller: s.main}
	if st.Passphrase != nil {
		phrase, err := s.phrase(st.Passphrase)
		if err != nil {
			return nil, err
		}
		if used.caller, err = s.as(space.Owner.NodeID, phrase); err != nil {
			return nil, at(st.Passphrase, err)
		}
		if err := validate(ctx, used.caller, protocol.ValidateRequest{}); err != nil {
			return nil, at(st.Passphrase, err)
		}
	}
	s.space = used
	return &outcome{note: fmt.Sprintf("Using the space %s (%s).", space.Name, space.ID)}, nil
}

// validate lets the host validate a node.
func validate(ctx context.Context, caller *client.Client, request protocol.ValidateRequest) error {
	reply, err := caller.ValidateNode(ctx, request)
	if err == nil && !reply.OK {
		err = fmt.Errorf("the host does not accept the node: %s", reply.Reason)
	}
	return err
}

func (s *session) changeAmenity(ctx context.Context, st aql.ChangeAmenity) (*outcome, error) {
	if s.space == nil {
		return nil, errSpaceGone
	}
	kind, err := s.amenity(&st.Amenity)
	if err != nil {
		return nil, err
	}
	change := s.space.caller.AddSpaceAmenity
	if st.Verb == "REMOVE SPACE AMENITY" {
		change = s.space.caller.RemoveSpaceAmenity
	}
	reply, err := change(ctx, protocol.AmenityRequest{SpaceID: s.space.id, Kind: kind})
	if err != nil {
		return nil, at(&st.Amenity, err)
	}
	return reading(nil, reply, command.Sentence("%s has %s now.", reply.Space.Name, strings.Join(reply.Space.Amenities, ", "))...)
}

// removed is the result of REMOVE SPACE.
type removed struct {
	OK      bool   `json:"ok"` // always true
	SpaceID string `json:"spaceId"`
	Name    string `json:"name"` // the name that the space had
}

func (s *session) removeSpace(ctx context.Context, st aql.RemoveSpace) (*outcome, error) {
	id, name, err := s.spaceMeant(ctx, st.Space)
	if err != nil {
		return nil, err
	}
	// Only the main node that created a space may remove it, not the space's own node.
	reply, err := s.main.RemoveSpace(ctx, id)
	if err != nil {
		return nil, at(st.Space, err)
	}
	if s.space != nil && s.space.id == id {
		s.space = nil
	}
	views := command.Sentence("Removed the space %s with its structure, its node and its log.", name)
	if !reply.OK {
		views = command.Sentence("There is no space %s.", name)
	}
	return reading(nil, &removed{OK: reply.OK, SpaceID: id, Name: name}, views...)
}

func (s *session) inspectSpace(ctx context.Context, st aql.InspectSpace) (*outcome, error) {
	id, _, err := s.spaceMeant(ctx, st.Space)
	if err != nil {
		return nil, err
	}
	caller := s.main
	if s.space != nil && s.space.id == id {
		// The space's own node may see its log.
		caller = s.space.caller
	}
	reply, err := caller.InspectSpace(ctx, id)
	if err != nil {
		return nil, at(st.Space, err)
	}
	return reading(st.Into, reply, command.SpaceViews(s.Printer.Look, &reply.Space, reply.Log)...)
}
