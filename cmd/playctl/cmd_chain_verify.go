package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/render"
)

func newChainVerifyCommand(a *app) *cobra.Command {
	var file string
	var want trusted
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Rebuild the root from a snapshot and compare it",
		Long: `Rebuild the root of the chain from every row of a snapshot, the host's or that of a file, and
compare it and the number of leaves with what the snapshot states, or with --root and --leaves.
It ends with exit code 5 if they differ.

The snapshot of a file is what "playctl snapshot --output json" prints.`,
		Example: example("playctl chain verify", "playctl snapshot -o json | playctl chain verify --file -"),
		Args:    takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := want.check(); err != nil {
				return err
			}
			world, err := a.worldOf(cmd.Context(), file)
			if err != nil {
				return err
			}
			world.stated = want.over(world.stated)
			if world.stated.MerkleRootHex == "" {
				return hintf(fmt.Errorf("nothing can be compared: %w", errNoRoot), "give the root with --root and --leaves")
			}
			result := chainOf(world, world.stated)
			return errors.Join(a.printer.Print(render.Document{Data: result, Views: []render.View{chainFields(&result)}}), world.verify())
		},
	}
	cmd.Flags().StringVar(&file, "file", "", "read the snapshot from this `file`, - for standard input, and not from the host")
	want.register(cmd)
	return cmd
}
