package space

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// createdSpaceResult is what "playctl create-space" prints.
type createdSpaceResult struct {
	Context    string          `json:"context,omitempty"`
	SpaceID    string          `json:"spaceId"`
	NodeID     string          `json:"nodeId"`    // the id of the space's own node
	Structure  json.RawMessage `json:"structure"` // the row of its structure on the map
	Phrase     string          `json:"phrase,omitempty"`
	PhraseFile string          `json:"phraseFile,omitempty"`
}

// spaceFlags describe a new space.
type spaceFlags struct {
	request protocol.CreateSpaceRequest
	kinds   []string
	phrase  command.PhraseFlags
}

func newCreateSpaceCommand(a *command.App) *cobra.Command {
	var flags spaceFlags
	cmd := &cobra.Command{
		Use:     "create-space <name>",
		GroupID: command.GroupWorld,
		Short:   "Create a space: its structure on the map and a node of its own",
		Long: `Create a space of the context's main node. The host puts a structure on the map for it and
creates a node for it, whose phrase is shown once: anyone with it may change the space. You may
too, as the one who created it.`,
		Example: command.Example(
			"playctl create-space \"Corner shop\" --design bazaar --owner Ada",
			"playctl create-space Mill --design mill --owner Bo --amenity shop --amenity car_wash --phrase-file mill.txt"),
		Args: command.Takes("name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.request.Name, flags.request.Amenities = args[0], flags.kinds
			return createSpace(cmd.Context(), a, &flags)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.request.DesignKey, "design", "", "the look of the building (`key`): bazaar, mill or another")
	f.StringVar(&flags.request.OwnerDisplayName, "owner", "", "the `name` of its owner, as people see it")
	f.StringVar(&flags.request.Description, "description", "", "a `text` about it")
	f.StringVar(&flags.request.StructureName, "structure", "", "the `name` of its structure (default: its own)")
	f.StringSliceVar(&flags.kinds, "amenity", nil, "a `kind` of amenity: shop, supermarket or car_wash; may be repeated (default: shop)")
	f.StringVar(&flags.phrase.To, "phrase-file", "", "write the new phrase to this `file`, which must not exist")
	f.BoolVar(&flags.phrase.Show, "show-phrase", false, "print the phrase with the result, even if others may read it")
	command.Choices(cmd, "amenity", protocol.Amenities()...)
	return cmd
}

func createSpace(ctx context.Context, a *command.App, flags *spaceFlags) error {
	switch {
	case flags.request.DesignKey == "":
		return command.Usagef("the design is missing: add --design")
	case flags.request.OwnerDisplayName == "":
		return command.Usagef("the owner is missing: add --owner")
	}
	phrase, err := a.ReservePhrase(&flags.phrase)
	if err != nil {
		return err
	}
	created := false
	err = a.AsMain(ctx, "Creating the space", func(ctx context.Context, who *command.Caller, c *client.Client) (*render.Document, error) {
		reply, err := c.CreateSpace(ctx, &flags.request)
		if err != nil {
			return nil, err
		}
		created = true
		phrase.Secret = reply.Phrase.Secret
		// The result does not name a file that could not be written.
		unsaved := phrase.Save()
		return createdSpace(who, reply, phrase), unsaved
	})
	if err != nil && !created {
		return errors.Join(err, phrase.Discard())
	}
	if created {
		a.ShowPhrase(phrase)
	}
	return err
}

func createdSpace(who *command.Caller, reply *protocol.CreateSpaceReply, phrase *command.NodePhrase) *render.Document {
	result := createdSpaceResult{
		Context: who.ContextName(), SpaceID: reply.SpaceID, NodeID: reply.NodeID, Structure: reply.Structure,
		Phrase: phrase.Shown(), PhraseFile: phrase.File,
	}
	return &render.Document{Data: result, Views: []render.View{command.CreatedSpaceFields(reply,
		render.Field{Name: "context", Value: result.Context},
		render.Field{Name: "phrase", Value: result.Phrase},
	)}}
}
