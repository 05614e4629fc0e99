// Package about has the commands and the help topics for playctl itself.
package about

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
)

// Commands returns the commands and the help topics of this package.
func Commands(a *command.App) []*cobra.Command {
	return append(helpTopics(), newConfigCommand(a), newVersionCommand(a), newCompletionCommand(a))
}

// Results returns what the commands of this package print, by the commands.
func Results() map[string]any {
	return map[string]any{
		"config show":                 configResult{},
		"config show --output ndjson": settingResult{},
	}
}

func newCompletionCommand(a *command.App) *cobra.Command {
	writers := map[string]func(root *cobra.Command, out io.Writer) error{
		"bash":       bashCompletion,
		"zsh":        (*cobra.Command).GenZshCompletion,
		"fish":       func(root *cobra.Command, out io.Writer) error { return root.GenFishCompletion(out, true) },
		"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
	}
	return &cobra.Command{
		Use:     "completion bash|zsh|fish|powershell",
		GroupID: command.GroupOther,
		Short:   "Print a script that completes commands in a shell",
		Long: `Print a script that completes playctl's commands and flags in a shell. Save it where
the shell looks for such scripts.`,
		Example: command.Example(
			"playctl completion bash > ~/.local/share/bash-completion/completions/playctl",
			"playctl completion zsh > \"${fpath[1]}/_playctl\"",
			"playctl completion fish > ~/.config/fish/completions/playctl.fish",
			"playctl completion powershell >> $PROFILE"),
		Args:      command.Takes("shell"),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			write, known := writers[args[0]]
			if !known {
				return command.Usagef("unknown shell %q: use bash, zsh, fish or powershell", args[0])
			}
			if err := write(cmd.Root(), a.Stdout); err != nil {
				return fmt.Errorf("write the completion script: %w", err)
			}
			return nil
		},
	}
}

// withoutPackage defines the functions of the package bash-completion that the script
// uses, if the package is not installed.
const withoutPackage = `
if ! declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref() {
        words=("${COMP_WORDS[@]}")
        cword=$COMP_CWORD
        cur=${COMP_WORDS[COMP_CWORD]}
        prev=${COMP_WORDS[COMP_CWORD-1]}
    }
fi
if ! declare -F _filedir >/dev/null; then
    _filedir() { COMPREPLY=($(compgen -f -- "$cur")); }
fi
`

func bashCompletion(root *cobra.Command, out io.Writer) error {
	if err := root.GenBashCompletionV2(out, true); err != nil {
		return fmt.Errorf("for bash: %w", err)
	}
	if _, err := io.WriteString(out, withoutPackage); err != nil {
		return fmt.Errorf("for bash: %w", err)
	}
	return nil
}

func newVersionCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		GroupID: command.GroupOther,
		Short:   "Show the version of playctl",
		Example: command.Example("playctl version", "playctl version --output json"),
		Args:    command.Takes(),
		RunE: func(*cobra.Command, []string) error {
			info := a.ThisVersion()
			commit := info.Commit
			if info.Modified {
				commit += " (modified)"
			}
			return a.Printer.Print(render.Document{Data: info, Views: []render.View{
				render.Line("playctl " + info.Version),
				render.Fields{{Name: "commit", Value: commit}, {Name: "built with", Value: info.Go}, {Name: "platform", Value: info.Platform}},
			}})
		},
	}
}

func newConfigCommand(a *command.App) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:     "config",
		GroupID: command.GroupHost,
		Short:   "Show the settings and where they came from",
		Long:    "Show the settings of this run. \"playctl help environment\" explains where they can be set.",
		Example: command.Example("playctl config show"),
	}, newConfigShowCommand(a))
}

// settingResult is one setting of "playctl config show".
type settingResult struct {
	Key    string `json:"key"`    // the name of the setting, which is the flag's without --
	Value  string `json:"value"`  // the value as text; passwords in addresses are hidden
	Origin string `json:"origin"` // where it comes from: flag, environment, file with its line, or default
}

// configResult is what "playctl config show" prints.
type configResult struct {
	File     string          `json:"file"`     // the config file, which need not exist
	Settings []settingResult `json:"settings"` // the settings that were asked for, by name
}

func newConfigShowCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:        "show [key]",
		SuggestFor: []string{"settings"},
		Short:      "Show every setting, its value and where it came from",
		Long: `Show every setting that the config file and the environment can set, its value in this
run, and where it came from: a flag, the environment, the config file with the line, or
the default. It takes the flags of "playctl serve", to show what they would do.`,
		Example: command.Example("playctl config show", "playctl config show listen", "PLAYCTL_LISTEN=:8080 playctl config show --output json"),
		Args:    command.Takes("key?"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (keys []cobra.Completion, _ cobra.ShellCompDirective) {
			if len(args) == 0 {
				command.EachSetting(cmd.Flags(), func(flag *pflag.Flag) { keys = append(keys, flag.Name) })
			}
			return keys, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			result := configResult{File: a.Sources.Path, Settings: []settingResult{}}
			command.EachSetting(cmd.Flags(), func(flag *pflag.Flag) {
				if len(args) == 0 || flag.Name == args[0] {
					result.Settings = append(result.Settings, settingResult{flag.Name, valueText(flag), a.Sources.Origin(flag.Name)})
				}
			})
			if len(args) > 0 && len(result.Settings) == 0 {
				return command.Hintf(command.Usagef("there is no setting called %q", args[0]), "\"playctl config show\" lists all")
			}
			return a.Printer.Print(*result.document())
		},
	}
	a.HostFlags(cmd.Flags())
	return cmd
}

func valueText(flag *pflag.Flag) string {
	if list, ok := flag.Value.(pflag.SliceValue); ok {
		return strings.Join(list.GetSlice(), ",")
	}
	return flag.Value.String()
}

func (r configResult) document() *render.Document {
	table := render.Table{Columns: []render.Column{{Title: "setting"}, {Title: "value", Wraps: true}, {Title: "from", Wraps: true}}}
	return render.ListOf(r, r.Settings, table, func(s settingResult) []string { return []string{s.Key, s.Value, s.Origin} })
}
