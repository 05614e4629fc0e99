// Package about has the commands and the help topics for playctl itself.
package about

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
)

// Commands returns the commands and the help topics of this package.
func Commands(a *command.App) []*cobra.Command {
	return append(helpTopics(), newConfigCommand(a), newVersionCommand(a), newCompletionCommand(a))
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
				return command.Usagef("there is no completion for %q: it is one of bash, zsh, fish, powershell", args[0])
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
