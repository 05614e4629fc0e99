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
	Created    bool            `json:"created"`             // false if the account has had it before, with --if-missing
	NodeID     string          `json:"nodeId"`              // the id of the space's own node
	Structure  json.RawMessage `json:"structure,omitempty"` // the row of its structure on the map, of a new space
	Phrase     string          `json:"phrase,omitempty"`
	PhraseFile string          `json:"phraseFile,omitempty"`
}

// spaceFlags describe a new space.
type spaceFlags struct {
	request protocol.CreateSpaceRequest
	kinds   []string
	phrase  command.PhraseFlags
	// ifMissing leaves an existing space of the account with that name as it is.
	ifMissing bool
}

func newCreateSpaceCommand(a *command.App) *cobra.Command {
	var flags spaceFlags
	cmd := &cobra.Command{
		Use:     "create-space <name>",
		GroupID: command.GroupWorld,
		Short:   "Create a space: its structure on the map and a node of its own",
		Long: `Create a space of the context's main node. The host puts a structure on the map for it and creates a
node for it, whose phrase is shown once: anyone with it may change the space. As its creator, you
may as well.`,
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
	f.StringVar(&flags.request.DesignKey, "design", "", "the look of the building: a `key` of your choice, which the host stores as it is")
	f.StringVar(&flags.request.OwnerDisplayName, "owner", "", "the `name` of its owner, as people see it")
	f.StringVar(&flags.request.Description, "description", "", "a `text` about it")
	f.StringVar(&flags.request.StructureName, "structure", "", "the `name` of its structure (default: its own)")
	f.StringSliceVar(&flags.kinds, "amenity", nil, "a `kind` of amenity: shop, supermarket or car_wash; may be repeated (default: shop)")
	f.StringVar(&flags.phrase.To, "phrase-file", "", "write the new phrase to this new `file`")
	f.BoolVar(&flags.phrase.Show, "show-phrase", false, "print the phrase with the result, even if others may read it")
	command.Choices(cmd, "amenity", protocol.Amenities()...)
	command.RegisterIfMissing(cmd, &flags.ifMissing)
	a.CompleteFlag(cmd, "design", command.Designs)
	return cmd
}

// ownSpace returns the space of the account with a name, nil if there is none.
func ownSpace(ctx context.Context, a *command.App, name string) (*createdSpaceResult, error) {
	caller, err := a.MainCaller()
	if err != nil {
		return nil, err
	}
	return command.Request(ctx, a, caller, caller.Main, "Looking for the space", func(ctx context.Context, c *client.Client) (*createdSpaceResult, error) {
		reply, err := c.ListSpaceNodes(ctx)
		if err != nil {
			return nil, err
		}
		for i := range reply.Spaces {
			space := &reply.Spaces[i]
			if space.Name != name {
				continue
			}
			own, err := command.OwnsSpace(ctx, c, space.ID)
			if err != nil {
				return nil, err
			}
			if own {
				return &createdSpaceResult{Context: caller.ContextName(), SpaceID: space.ID, NodeID: space.Owner.NodeID}, nil
			}
		}
		return nil, nil //nolint:nilnil // no error, and no such space
	})
}

// printExisting prints a space that the account has had before, if there is one.
func printExisting(a *command.App, existing *createdSpaceResult) error {
	if existing == nil {
		return nil
	}
	views := append(command.Sentence("The account has this space already."), render.Fields{{Name: "space", Value: existing.SpaceID}, {Name: "node", Value: existing.NodeID}})
	return a.Printer.Print(render.Document{Data: existing, Views: views})
}

func createSpace(ctx context.Context, a *command.App, flags *spaceFlags) error {
	switch {
	case flags.request.DesignKey == "":
		return command.Usagef("the design is missing: add --design")
	case flags.request.OwnerDisplayName == "":
		return command.Usagef("the owner is missing: add --owner")
	}
	if flags.ifMissing {
		if existing, err := ownSpace(ctx, a, flags.request.Name); err != nil || existing != nil {
			return errors.Join(err, printExisting(a, existing))
		}
	}
	phrase, err := a.ReservePhrase(&flags.phrase)
	if err != nil {
		return err
	}
	created := false
	err = a.AsMain(ctx, "Creating the space", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
		reply, err := c.CreateSpace(ctx, &flags.request)
		if err != nil {
			return nil, err
		}
		created = true
		phrase.Secret = reply.Phrase.Secret
		// The result does not name a file that could not be written.
		unsaved := phrase.Save()
		return createdSpace(caller, reply, phrase), unsaved
	})
	if err != nil && !created {
		return errors.Join(err, phrase.Discard())
	}
	if created {
		a.ShowPhrase(phrase)
	}
	return err
}

func createdSpace(caller *command.Caller, reply *protocol.CreateSpaceReply, phrase *command.NodePhrase) *render.Document {
	result := createdSpaceResult{
		Context: caller.ContextName(), SpaceID: reply.SpaceID, Created: true, NodeID: reply.NodeID, Structure: reply.Structure,
		Phrase: phrase.Shown(), PhraseFile: phrase.File,
	}
	return &render.Document{Data: result, Views: []render.View{command.CreatedSpaceFields(reply,
		render.Field{Name: "context", Value: result.Context},
		render.Field{Name: "phrase", Value: result.Phrase},
	)}}
}
