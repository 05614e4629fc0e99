package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// createdSpaceResult is what "playctl create-space" prints.
type createdSpaceResult struct {
	Context    string          `json:"context,omitempty"`
	SpaceID    string          `json:"spaceId"`
	NodeID     string          `json:"nodeId"`
	Structure  json.RawMessage `json:"structure"`
	Phrase     string          `json:"phrase,omitempty"`
	PhraseFile string          `json:"phraseFile,omitempty"`
}

// spaceFlags describe a new space.
type spaceFlags struct {
	request protocol.CreateSpaceRequest
	kinds   []string
	phrase  phraseFlags
}

func newCreateSpaceCommand(a *app) *cobra.Command {
	var flags spaceFlags
	cmd := &cobra.Command{
		Use:   "create-space <name>",
		Short: "Make a space: its structure on the map and a node of its own",
		Long: `Make a space of the context's main node. The host puts a structure on the map for it and
makes a node for it, whose phrase is shown once: whoever has it may change the space. You may
too, as the one who made it.`,
		Example: example(
			"playctl create-space \"Corner shop\" --design bazaar --owner Ada",
			"playctl create-space Mill --design mill --owner Bo --amenity shop --amenity car_wash --phrase-file mill.txt"),
		Args: takes("name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.request.Name, flags.request.Amenities = args[0], flags.kinds
			return a.createSpace(cmd.Context(), &flags)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.request.DesignKey, "design", "", "the `key` of its looks")
	f.StringVar(&flags.request.OwnerDisplayName, "owner", "", "the `name` of its owner, as people see it")
	f.StringVar(&flags.request.Description, "description", "", "a `text` about it")
	f.StringVar(&flags.request.StructureName, "structure", "", "the `name` of its structure (default: its own)")
	f.StringSliceVar(&flags.kinds, "amenity", nil, "a `kind` of amenity: shop, supermarket or car_wash; may be repeated (default: shop)")
	f.StringVar(&flags.phrase.to, "phrase-file", "", "write the new phrase to this `file`, which must not exist")
	f.BoolVar(&flags.phrase.show, "show-phrase", false, "print the phrase with the result, also where others may read it")
	completeChoices(cmd, "amenity", protocol.Amenities()...)
	return cmd
}

func (a *app) createSpace(ctx context.Context, flags *spaceFlags) error {
	switch {
	case flags.request.DesignKey == "":
		return usagef("the design is missing: add --design")
	case flags.request.OwnerDisplayName == "":
		return usagef("the owner is missing: add --owner")
	}
	phrase, err := a.reservePhrase(&flags.phrase)
	if err != nil {
		return err
	}
	created := false
	err = a.asMain(ctx, "Making the space", func(ctx context.Context, who *caller, c *client.Client) (*render.Document, error) {
		reply, err := c.CreateSpace(ctx, &flags.request)
		if err != nil {
			return nil, err
		}
		created = true
		phrase.phrase = creds.NewSecret(reply.Phrase.Reveal())
		return createdSpace(who, reply, phrase), phrase.save()
	})
	if err != nil && !created {
		return errors.Join(err, phrase.refused())
	}
	if created {
		a.tell(phrase)
	}
	return err
}

// reservePhrase makes sure, before anything is made, that the phrase which the
// host will make is seen by somebody or kept in a file. The file is made empty
// now, so that no other can take its name.
func (a *app) reservePhrase(flags *phraseFlags) (*newPhrase, error) {
	p := &newPhrase{flags: flags}
	if flags.to == "" {
		if !flags.show && !a.phraseIsSeen() {
			return nil, hintf(usagef("there is no terminal, so nobody would ever see the new phrase"),
				"add --phrase-file FILE to save it, or --show-phrase to print it")
		}
		return p, nil
	}
	path := a.absolute(flags.to)
	err := creds.WriteSecretFile(path, nil, false)
	if errors.Is(err, fs.ErrExist) {
		return nil, hintf(fmt.Errorf("%s: there is a file already, and a phrase is never written over one", flags.to), "name another file")
	}
	if err != nil {
		return nil, fmt.Errorf("make the file for the phrase: %w", err)
	}
	p.written = path
	return p, nil
}

// save writes the phrase to the file that was made for it. Where that fails the
// phrase is shown at the terminal instead, if there is one.
func (p *newPhrase) save() error {
	if p.written == "" {
		return nil
	}
	if err := creds.WriteSecretFile(p.written, []byte(p.phrase.Reveal()+"\n"), true); err != nil {
		p.written = ""
		return fmt.Errorf("the space was made, but its phrase cannot be saved: %w", err)
	}
	return nil
}

func createdSpace(who *caller, reply *protocol.CreateSpaceReply, phrase *newPhrase) *render.Document {
	result := createdSpaceResult{
		Context: who.contextName(), SpaceID: reply.SpaceID, NodeID: reply.NodeID, Structure: reply.Structure,
		Phrase: phrase.shown(), PhraseFile: phrase.written,
	}
	return &render.Document{Data: result, Views: []render.View{render.Fields{
		{Name: "space", Value: result.SpaceID},
		{Name: "space node", Value: result.NodeID},
		{Name: "cell", Value: describeRow(result.Structure)[3]},
		{Name: "context", Value: result.Context},
		{Name: "phrase", Value: result.Phrase},
	}}}
}
