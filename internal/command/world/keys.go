package world

import (
	"context"
	"strings"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
)

// meantKey returns the stable key for a typed one, which may be abbreviated: a kind with
// a prefix of the row's id, or with its name. A text that fits no row is returned
// unchanged.
func meantKey(ctx context.Context, c *client.Client, typed string) (string, error) {
	reply, err := c.ChainNode(ctx, typed, client.At{})
	if err != nil || !reply.Node.Removed {
		return typed, nil //nolint:nilerr // the caller's request reports the error
	}
	world, _, err := c.World(ctx)
	if err != nil {
		return "", err
	}
	kind, ref, _ := strings.Cut(typed, ":")
	var meant []string
	for _, leaf := range world.Tree().All() {
		of, rest, _ := strings.Cut(leaf.Key(), ":")
		id := rest[strings.LastIndexByte(rest, ':')+1:]
		if of == kind && (begins(id, ref) || command.NameIn(leaf.Payload()) == ref) {
			meant = append(meant, leaf.Key())
		}
	}
	switch len(meant) {
	case 0:
		return typed, nil
	case 1:
		return meant[0], nil
	}
	return "", command.Hintf(command.Usagef("%q may be one of %s", typed, strings.Join(meant, ", ")), "type the whole key, or more of its id")
}

// begins reports whether a text is a prefix of an id and long enough to identify it.
func begins(id, text string) bool {
	return len(text) >= command.LeastPrefix && strings.HasPrefix(id, strings.ToLower(text))
}

// keyOnMap is meantKey with the administrator's token.
func keyOnMap(ctx context.Context, a *command.App, admin *command.AdminFlags, typed string) (key string, err error) {
	err = a.AsAdmin(ctx, admin, "Reading the map", func(ctx context.Context, _ *command.Caller, c *client.Client) (_ *render.Document, err error) {
		key, err = meantKey(ctx, c, typed)
		return nil, err
	})
	return key, err
}
