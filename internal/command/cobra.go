package command

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/suggest"
	"github.com/playctl/playctl/protocol"
)

// Number returns a position as text, "" if the host sent none.
func Number(position *uint64) string {
	if position == nil {
		return ""
	}
	return strconv.FormatUint(*position, 10)
}

// These are the groups of commands in the help.
const (
	GroupNodes = "nodes"
	GroupWorld = "world"
	GroupHost  = "host"
	GroupOther = "other"
)

// NewRoot returns the root command, with the flags that all commands have.
func NewRoot(a *App) *cobra.Command {
	root := &cobra.Command{
		Use:   "playctl",
		Short: "Host a world of AI agents and drive it",
		Long: `Playctl hosts a world and drives it. A world is one shared map of AI agents and
MCP servers with their chat and their journeys; people watch it live.

Start with "playctl serve --demo", which creates a world with agents in it, or with
"playctl serve" and then "playctl agent run", which creates an agent of yours that answers.`,
		Example: `  playctl serve --demo
  playctl agent run Ada -- ./agent.sh
  playctl tail`,
		Args:              cobra.ArbitraryArgs,
		RunE:              RunGroup,
		PersistentPreRunE: a.begin,
		Version:           a.ThisVersion().Version,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	a.Settings.register(root.PersistentFlags())
	for flag, complete := range map[string]cobra.CompletionFunc{
		"context": func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			return a.CompletesContext(cmd, nil, typed)
		},
		"server": cobra.NoFileCompletions, "timeout": cobra.NoFileCompletions,
	} {
		registerCompletion(root, flag, complete)
	}
	CompleteChoices(root, "service", string(protocol.ServicePlay), string(protocol.ServiceAgentPlay))
	CompleteChoices(root, "output", "table", "json", "ndjson", "yaml")
	CompleteChoices(root, "color", "auto", "always", "never")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		a.readOutput()
		return badFlag(cmd, err)
	})
	root.AddGroup(
		&cobra.Group{ID: GroupNodes, Title: "Nodes:"},
		&cobra.Group{ID: GroupWorld, Title: "World:"},
		&cobra.Group{ID: GroupHost, Title: "Host:"},
		&cobra.Group{ID: GroupOther, Title: "Other:"},
	)
	root.SetVersionTemplate(a.versionLine())
	root.SetHelpCommandGroupID(GroupOther)
	root.SetHelpCommand(newHelpCommand(root))
	a.setHelp(root)
	return root
}

// Results returns what the code of this package prints, by the commands.
func Results() map[string]any {
	return map[string]any{
		"--dry-run":        dryRunResult{},
		"error":            failure{},
		"version":          Version{},
		"list-agent-nodes": agentsResult{},
		"inspect-node":     mainResult{},
		"snapshot":         protocol.Snapshot{},
	}
}

// newHelpCommand is cobra's help command, except for a command that does not exist.
func newHelpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [command]",
		Short:   "Show the help of a command or a topic",
		GroupID: GroupOther,
		Example: Example("playctl help tail", "playctl help exit-codes"),
		Args:    cobra.ArbitraryArgs,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			found, _, err := root.Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return subcommands(found), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			found, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return RunGroup(found, rest)
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}

// Group makes a command a group, which only has subcommands.
func Group(cmd *cobra.Command, below ...*cobra.Command) *cobra.Command {
	cmd.Args, cmd.RunE = cobra.ArbitraryArgs, RunGroup
	cmd.AddCommand(below...)
	return cmd
}

// RunGroup runs a command that only has subcommands.
func RunGroup(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		if !cmd.HasParent() {
			if err := cmd.Help(); err != nil {
				return fmt.Errorf("print the help: %w", err)
			}
			return nil
		}
		return Usagef("%s requires a command: %s", cmd.CommandPath(), strings.Join(subcommands(cmd), ", "))
	}
	err := Usagef("there is no command %q", strings.TrimSpace(cmd.CommandPath()+" "+args[0]))
	if other := calledOtherwise(cmd, args[0]); other != nil {
		return Hintf(err, "did you mean %q?", other.CommandPath())
	}
	if near := suggest.Nearest(args[0], subcommands(cmd)); near != "" {
		return Hintf(err, "did you mean \"%s %s\"?", cmd.CommandPath(), near)
	}
	return Hintf(err, "\"%s --help\" lists the commands", cmd.CommandPath())
}

// calledOtherwise returns the subcommand that a person may know by another word; nil for
// none.
func calledOtherwise(cmd *cobra.Command, word string) *cobra.Command {
	for _, sub := range cmd.Commands() {
		if slices.Contains(sub.SuggestFor, word) {
			return sub
		}
		if found := calledOtherwise(sub, word); found != nil {
			return found
		}
	}
	return nil
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

// Takes checks that exactly the named arguments are given, and that they are UTF-8. A name
// that ends in "?" may be missing.
func Takes(names ...string) cobra.PositionalArgs {
	least := 0
	for _, name := range names {
		if !strings.HasSuffix(name, "?") {
			least++
		}
	}
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return Usagef("the %s is missing", strings.TrimSuffix(names[len(args)], "?"))
		case len(args) > len(names) && len(names) == 0:
			return Usagef("unexpected argument: %q", args[0])
		case len(args) > len(names):
			return Usagef("unexpected argument: %q", args[len(names)])
		}
		return CheckArguments(args, names...)
	}
}

// Example joins the lines of a command's example.
func Example(lines ...string) string {
	return "  " + strings.Join(lines, "\n  ")
}

// Plural returns "1 agent" or "3 agents".
func Plural(n int, one, many string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", one)
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Decimal returns a whole number as text.
func Decimal(n int64) string { return strconv.FormatInt(n, 10) }

// Operand returns a word for a shell where a command expects an argument: a word that
// looks like a flag is after --.
func Operand(word string) string {
	if strings.HasPrefix(word, "-") {
		return "-- " + ShellWord(word)
	}
	return ShellWord(word)
}

// ShellWord quotes a word for a shell if that is necessary.
func ShellWord(word string) string {
	if strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@%+,~") == "" && word != "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
