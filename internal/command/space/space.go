// Package space has the commands for spaces and their amenities.
package space

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// Commands returns the commands of this package.
func Commands(a *command.App) []*cobra.Command {
	return []*cobra.Command{
		newCreateSpaceCommand(a), newListSpacesCommand(a), newInspectSpaceCommand(a), newRemoveSpaceCommand(a),
		newAmenityCommand(a, "add-amenity", "Add an amenity to a space", (*client.Client).AddSpaceAmenity),
		newAmenityCommand(a, removeAmenity, "Remove an amenity from a space; the last one cannot be removed", (*client.Client).RemoveSpaceAmenity),
	}
}

// Results returns what the commands of this package print, by the commands.
func Results() map[string]any {
	return map[string]any{
		"create-space": createdSpaceResult{},
		"list-spaces":  spacesResult{},
		"inspect-space, add-amenity, remove-amenity": spaceResult{},
		"remove-space": removedSpaceResult{},
	}
}

// spacesResult is what "playctl list-spaces" prints.
type spacesResult struct {
	Context string                        `json:"context,omitempty"`
	Spaces  protocol.List[protocol.Space] `json:"spaces"` // the spaces of the world
}

// spaceResult is what the commands for one space print. The log is present if the caller
// may see it.
type spaceResult struct {
	Context string                   `json:"context,omitempty"`
	Space   protocol.Space           `json:"space"`         // the space
	Log     []protocol.SpaceLogEntry `json:"log,omitempty"` // what was done to it, the oldest first; for its owners only
}

// removedSpaceResult is what "playctl remove-space" prints.
type removedSpaceResult struct {
	Context          string `json:"context,omitempty"`
	SpaceID          string `json:"spaceId"`
	Name             string `json:"name"` // the name that the space had
	UnconfirmedHosts int    `json:"unconfirmedHosts,omitempty"`
}

func newListSpacesCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:        "list-spaces",
		SuggestFor: []string{"space", "spaces"},
		GroupID:    command.GroupWorld,
		Short:      "List the spaces of the world",
		Example:    command.Example("playctl list-spaces", "playctl list-spaces --output ndjson"),
		Args:       command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.AsReader(cmd.Context(), "Reading the spaces", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
				reply, err := c.ListSpaceNodes(ctx)
				if err != nil {
					return nil, err
				}
				empty := a.LikeThis("There are no spaces yet. \"playctl create-space\" creates one.")
				return command.SpacesDocument(spacesResult{caller.ContextName(), reply.Spaces}, reply.Spaces, empty), nil
			})
		},
	}
}

func newInspectSpaceCommand(a *command.App) *cobra.Command {
	var admin command.AdminFlags
	cmd := &cobra.Command{
		Use:     "inspect-space <space>",
		GroupID: command.GroupWorld,
		Short:   "Show a space, and its log to those who may see it",
		Long: `Show a space. Only the main node that created it, the space's own node and the administrator see its
log. Identify a space by its name, its id or the beginning of its id.`,
		Example: command.Example("playctl inspect-space \"Corner shop\"", "playctl inspect-space \"$ID\" --output yaml"),
		Args:    command.Takes("space"), ValidArgsFunction: a.Completes(command.Spaces),
		RunE: func(cmd *cobra.Command, args []string) error {
			ask := func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
				space, err := findSpace(ctx, c, args[0])
				if err != nil {
					return nil, err
				}
				reply, err := c.InspectSpace(ctx, space.ID)
				if err != nil {
					return nil, err
				}
				return &render.Document{
					Data:  spaceResult{caller.ContextName(), reply.Space, reply.Log},
					Views: command.SpaceViews(a.Printer.Look, &reply.Space, reply.Log),
				}, nil
			}
			if admin.Admin {
				return a.AsAdmin(cmd.Context(), &admin, "Reading the space", ask)
			}
			return a.AsReader(cmd.Context(), "Reading the space", ask)
		},
	}
	admin.Register(cmd)
	return cmd
}

func newRemoveSpaceCommand(a *command.App) *cobra.Command {
	var admin command.AdminFlags
	cmd := &cobra.Command{
		Use:     "remove-space <space>",
		GroupID: command.GroupWorld,
		Short:   "Remove a space with its structure, its node and its log",
		Long: `Remove a space that you created, or any space with --admin, with its structure, its node and its
log.`,
		Example: command.Example("playctl remove-space \"Corner shop\"", "playctl remove-space \"$ID\" --yes"),
		Args:    command.Takes("space"), ValidArgsFunction: a.Completes(command.Spaces),
		RunE: func(cmd *cobra.Command, args []string) error {
			caller, err := a.Caller()
			if err != nil {
				return err
			}
			space, err := command.Request(cmd.Context(), a, caller, caller.Reader(), "Looking for the space", func(ctx context.Context, c *client.Client) (*protocol.Space, error) {
				return findSpace(ctx, c, args[0])
			})
			if err != nil && !admin.Admin {
				return err
			}
			name := args[0]
			if space != nil {
				name = space.Name
			}
			if err := a.Confirm(cmd.Context(), fmt.Sprintf("Remove the space %s with everything in it?", render.Clean(name)), removedSpace(space, name)); err != nil {
				return err
			}
			return a.AsOwner(cmd.Context(), &admin, "Removing", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
				space, err := findSpace(ctx, c, args[0])
				if err != nil {
					return nil, err
				}
				if _, err := c.RemoveSpace(ctx, space.ID); err != nil {
					return nil, err
				}
				result := removedSpaceResult{caller.ContextName(), space.ID, space.Name, a.Unconfirmed()}
				return command.SentenceDocument(result, "Removed the space %s with its structure, its node and its log.", space.Name), nil
			})
		},
	}
	admin.Register(cmd)
	command.RegisterConfirmation(cmd)
	command.IgnoreMissing(a, cmd)
	return cmd
}

// removedSpace returns what "remove-space" removes. An administrator without an account
// may not see the space.
func removedSpace(space *protocol.Space, name string) func() ([]command.Change, error) {
	if space == nil {
		return command.Removes("space", "", name)
	}
	return command.Removes("space", space.ID, space.Name)
}

const removeAmenity = "remove-amenity"

func newAmenityCommand(a *command.App, name, short string,
	change func(*client.Client, context.Context, protocol.AmenityRequest) (*protocol.SpaceReply, error),
) *cobra.Command {
	kinds := protocol.Amenities()
	var phraseFile string
	cmd := &cobra.Command{
		Use:     name + " <space> <amenity>",
		GroupID: command.GroupWorld,
		Short:   short,
		Long: short + `.
The amenities are ` + strings.Join(kinds, ", ") + `. It is for the main node that
created the space, and with --phrase-from for the space's own node.`,
		Example: command.Example(
			"playctl "+name+" \"Corner shop\" car_wash",
			"playctl "+name+" \"Corner shop\" car_wash --phrase-from shop.txt"),
		Args: command.Takes("space", "amenity"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return kinds, cobra.ShellCompDirectiveNoFileComp
			}
			return a.Completes(command.Spaces)(cmd, args, typed)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := confirmAmenity(cmd.Context(), a, name == removeAmenity, args[0], args[1]); err != nil {
				return err
			}
			return a.AsMain(cmd.Context(), "Changing the space", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
				space, err := findSpace(ctx, c, args[0])
				if err != nil {
					return nil, err
				}
				if phraseFile != "" {
					phrase, err := a.ReadPhrase(ctx, phraseFile, "")
					if err != nil {
						return nil, err
					}
					c = c.As(client.Credentials{NodeID: space.Owner.NodeID, Hash: creds.HashPhrase(phrase.Reveal())})
				}
				reply, err := change(c, ctx, protocol.AmenityRequest{SpaceID: space.ID, Kind: args[1]})
				if name == removeAmenity && protocol.HasCode(err, protocol.CodeNotFound) {
					err = command.Missing(err)
				}
				if err != nil {
					return nil, err
				}
				result := spaceResult{Context: caller.ContextName(), Space: reply.Space}
				return command.SentenceDocument(result, "%s has %s now.", reply.Space.Name, strings.Join(reply.Space.Amenities, ", ")), nil
			})
		},
	}
	cmd.Flags().StringVar(&phraseFile, "phrase-from", "", "call as the space's own node, with the phrase in this `file`; - is standard input")
	if name == removeAmenity {
		command.RegisterConfirmation(cmd)
		command.IgnoreMissing(a, cmd)
	} else {
		command.RegisterDryRun(cmd)
	}
	return cmd
}

// confirmAmenity asks before an amenity is removed, and ends a dry run.
func confirmAmenity(ctx context.Context, a *command.App, remove bool, space, amenity string) error {
	change := command.Change{Action: "add", Kind: "amenity", ID: space, Name: amenity}
	check := func() error { return canChange(ctx, a, remove, space, amenity) }
	if remove {
		change.Action = "remove"
		return a.Confirm(ctx, fmt.Sprintf("Remove the amenity %s of %s?", amenity, render.Clean(space)), change.If(check))
	}
	return a.DryRun(fmt.Sprintf("Add the amenity %s to %s.", amenity, render.Clean(space)), change.If(check))
}

// canChange returns an error if an amenity cannot be added to a space, or cannot be
// removed from it.
func canChange(ctx context.Context, a *command.App, remove bool, ref, kind string) error {
	return a.AsMain(ctx, "Reading the spaces", func(ctx context.Context, _ *command.Caller, c *client.Client) (*render.Document, error) {
		space, err := findSpace(ctx, c, ref)
		if err != nil {
			return nil, err
		}
		switch has := slices.Contains(space.Amenities, kind); {
		case !has && !slices.Contains(protocol.Amenities(), kind):
			return nil, command.Usagef("%q is not an amenity: use one of: %s", kind, strings.Join(protocol.Amenities(), ", "))
		case !remove && has:
			return nil, protocol.Errorf(protocol.CodeAmenityExists, "the space already has a %s", kind)
		case remove && !has:
			return nil, command.Missing(protocol.Errorf(protocol.CodeNotFound, "the space has no %s", kind))
		case remove && len(space.Amenities) == 1:
			return nil, protocol.Errorf(protocol.CodeAmenityLast, "a space keeps at least one amenity: add another first, or remove the space")
		}
		return nil, nil //nolint:nilnil // no error, and nothing to print
	})
}

// findSpace finds the space that a person named.
func findSpace(ctx context.Context, c *client.Client, ref string) (*protocol.Space, error) {
	reply, err := c.ListSpaceNodes(ctx)
	if err != nil {
		return nil, err
	}
	found := command.MatchSpaces(reply.Spaces, ref)
	switch len(found) {
	case 0:
		return nil, command.Missing(command.Hintf(protocol.Errorf(protocol.CodeSpaceUnknown, "there is no space %q", creds.Shorten(ref)), "\"playctl list-spaces\" lists them"))
	case 1:
		return found[0], nil
	}
	return nil, command.Hintf(command.Usagef("%d spaces match %q", len(found), creds.Shorten(ref)), "use an id: \"playctl list-spaces\" lists them")
}
