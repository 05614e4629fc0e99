package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/suggest"
)

// The command reference in docs/cli is made of this tree, and a test compares it.
//
//go:generate go test -count=1 -run ^TestCommandReference$ . -update

// The groups of commands in the help.
const (
	groupNodes = "nodes"
	groupWorld = "world"
	groupHost  = "host"
	groupOther = "other"
)

// newRootCommand builds the whole command tree. It does nothing that takes
// time: "playctl --help" pays for all of it.
func newRootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "playctl",
		Short: "Host a world of AI agents and drive it",
		Long: `Playctl hosts a world and drives it. A world is one shared map of AI agents and
MCP placements with their chat and their journeys; people watch it live.

Start with "playctl serve --demo", which makes a world with agents in it, or with
"playctl serve" and then "playctl create-main-node".`,
		Example: `  playctl serve --demo
  playctl create-main-node --context home
  playctl tail`,
		Args:              cobra.ArbitraryArgs,
		RunE:              runGroup,
		PersistentPreRunE: a.prepare,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	a.settings.register(root.PersistentFlags())
	completeChoices(root, "output", "table", "json", "ndjson", "yaml")
	completeChoices(root, "color", "auto", "always", "never")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	root.AddGroup(
		&cobra.Group{ID: groupNodes, Title: "Nodes:"},
		&cobra.Group{ID: groupWorld, Title: "World:"},
		&cobra.Group{ID: groupHost, Title: "Host:"},
		&cobra.Group{ID: groupOther, Title: "Other:"},
	)
	root.SetHelpCommandGroupID(groupOther)
	addGroup(root, groupNodes, nodeCommands(a))
	addGroup(root, groupWorld, worldCommands(a))
	addGroup(root, groupHost, hostCommands(a))
	addGroup(root, groupOther, []*cobra.Command{newVersionCommand(a), newCompletionCommand(a)})
	root.AddCommand(helpTopics()...)
	return root
}

func addGroup(root *cobra.Command, id string, commands []*cobra.Command) {
	for _, cmd := range commands {
		cmd.GroupID = id
		root.AddCommand(cmd)
	}
}

// runGroup is what a command does that only has others below it.
func runGroup(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		if !cmd.HasParent() {
			if err := cmd.Help(); err != nil {
				return fmt.Errorf("print the help: %w", err)
			}
			return nil
		}
		return usagef("%s needs one of: %s", cmd.CommandPath(), strings.Join(subcommands(cmd), ", "))
	}
	err := usagef("there is no command %q", strings.TrimSpace(cmd.CommandPath()+" "+args[0]))
	if near := suggest.Nearest(args[0], subcommands(cmd)); near != "" {
		return hintf(err, "did you mean \"%s %s\"?", cmd.CommandPath(), near)
	}
	return err
}

func subcommands(cmd *cobra.Command) []string {
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return names
}

func nodeCommands(a *app) []*cobra.Command {
	return []*cobra.Command{
		newCreateRootKeyCommand(a), newCreateMainNodeCommand(a), newCreateAgentNodeCommand(a), newCreateAPIKeyCommand(a),
		newWhoamiCommand(a), newListAgentNodesCommand(a), newInspectNodeCommand(a),
		newValidateMainNodeCommand(a), newValidateAgentNodeCommand(a),
		newDeleteAgentNodeCommand(a), newDeleteMainNodeCommand(a),
		newCredentialsCommand(a), newContextCommand(a), newNodesCommand(a),
	}
}

func worldCommands(a *app) []*cobra.Command {
	return []*cobra.Command{
		newConnectCommand(a), newAddAgentCommand(a), newRemoveAgentCommand(a),
		newRegisterMCPCommand(a), newUnregisterMCPCommand(a),
		newRecordInteractionCommand(a), newRecordJourneyCommand(a), newInteractionsCommand(a),
		newWatchCommand(a), newQRCommand(a), newSnapshotCommand(a), newTailCommand(a), newReplayCommand(a), newChainCommand(a), newAQLCommand(a),
		newIntercomCommand(a),
		newCreateSpaceCommand(a), newListSpacesCommand(a), newInspectSpaceCommand(a), newRemoveSpaceCommand(a),
		newAddAmenityCommand(a), newRemoveAmenityCommand(a),
	}
}

func hostCommands(a *app) []*cobra.Command {
	return []*cobra.Command{
		newServeCommand(a), newStatusCommand(a), newStoreCommand(a), newConfigCommand(a),
		newSessionCommand(a), newRemoveCommand(a),
	}
}

// takes checks that exactly the named arguments are given. A name that ends in
// "?" may be missing.
func takes(names ...string) cobra.PositionalArgs {
	least := 0
	for _, name := range names {
		if !strings.HasSuffix(name, "?") {
			least++
		}
	}
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usagef("the %s is missing", strings.TrimSuffix(names[len(args)], "?"))
		case len(args) > len(names) && len(names) == 0:
			return usagef("no argument is expected, but there is %q", args[0])
		case len(args) > len(names):
			return usagef("there is one argument too many: %q", args[len(names)])
		}
		return nil
	}
}

// example joins the lines of a command's example.
func example(lines ...string) string {
	return "  " + strings.Join(lines, "\n  ")
}

// plural is "1 agent" or "3 agents".
func plural(n int, one, many string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", one)
	}
	return fmt.Sprintf("%d %s", n, many)
}

// decimal is a whole number as text.
func decimal(n int64) string { return strconv.FormatInt(n, 10) }
