package world

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
)

func newChainCommand(a *command.App) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:     "chain",
		GroupID: command.GroupWorld,
		Short:   "Inspect the player chain and prove its content",
		Long: `Inspect the player chain: the Merkle tree over everything on the map, whose root and number of
leaves stand for the whole world. docs/chain.md explains it.`,
		Example: command.Example("playctl chain verify", "playctl chain show --tree"),
	}, newChainShowCommand(a), newChainNodeCommand(a), newChainProveCommand(a),
		newChainVerifyProofCommand(a), newChainVerifyCommand(a))
}

// errNoRoot means that there is no root to compare with.
var errNoRoot = errors.New("no root is stated")

// worldOf reads the world from a file, - for standard input, or without a name from the
// host, with the stated root and leaf count.
func worldOf(ctx context.Context, a *command.App, file string) (world *chain.Snapshot, stated chain.Stated, err error) {
	if file != "" {
		text, err := a.ReadText(file, longestInput)
		if err != nil {
			return nil, stated, err
		}
		if world, stated, err = chain.ParseSnapshot(text); err != nil {
			err = fmt.Errorf("%s: %w", command.InputName(file), err)
		}
		return world, stated, err
	}
	caller, err := a.Caller()
	if err != nil {
		return nil, stated, err
	}
	err = a.Call(ctx, caller, caller.Reader(), "Reading the world", func(ctx context.Context, c *client.Client) error {
		if world, stated, err = c.World(ctx); err != nil {
			return err
		}
		world, err = c.WithGenesis(ctx, world)
		return err
	})
	return world, stated, err
}

// longestInput limits the size of a file or of standard input.
const longestInput = 256 << 20

// trusted are a root and a number of leaves from another source.
type trusted struct {
	root   string
	leaves int
	flags  *pflag.FlagSet
}

func (t *trusted) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&t.root, "root", "", "the root to compare with (64 hex `digits`), instead of the stated one")
	cmd.Flags().IntVar(&t.leaves, "leaves", 0, "the number of leaves that belongs to --root")
	t.flags = cmd.Flags()
}

// given reports whether there are a root and a number of leaves to compare with. An
// empty root of a script is given as well: check refuses it.
func (t *trusted) given() bool { return t.flags.Changed("root") }

// check validates the flags.
func (t *trusted) check() error {
	if t.given() != t.flags.Changed("leaves") {
		return command.Hintf(command.Usagef("--root and --leaves must be used together"), "a root alone does not fix the number of leaves")
	}
	if !t.given() {
		return nil
	}
	if _, err := chain.ParseDigest(t.root); err != nil {
		return command.Usagef("--root: %q is not 64 lower-case hex digits", t.root)
	}
	if t.leaves < 1 {
		return command.Usagef("--leaves must be at least 1")
	}
	return nil
}

// over returns the root and leaf count to compare with: from the flags, else the stated
// ones.
func (t *trusted) over(stated chain.Stated) chain.Stated {
	if !t.given() {
		return stated
	}
	return chain.Stated{MerkleRootHex: t.root, MerkleLeafCount: t.leaves}
}

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
	return "", command.Hintf(command.Usagef("%q matches %s", typed, strings.Join(meant, ", ")), "type the whole key, or more of its id")
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
