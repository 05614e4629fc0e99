package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

func newCompletionCommand(a *app) *cobra.Command {
	writers := map[string]func(root *cobra.Command, out io.Writer) error{
		"bash":       func(root *cobra.Command, out io.Writer) error { return root.GenBashCompletionV2(out, true) },
		"zsh":        (*cobra.Command).GenZshCompletion,
		"fish":       func(root *cobra.Command, out io.Writer) error { return root.GenFishCompletion(out, true) },
		"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
	}
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a script that completes commands in a shell",
		Long: `Print a script that completes playctl's commands and flags in a shell. Save it where
the shell looks for such scripts.`,
		Example: example(
			"playctl completion bash > ~/.local/share/bash-completion/completions/playctl",
			"playctl completion zsh > \"${fpath[1]}/_playctl\"",
			"playctl completion fish > ~/.config/fish/completions/playctl.fish",
			"playctl completion powershell >> $PROFILE"),
		Args:      takes("shell"),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			write, known := writers[args[0]]
			if !known {
				return usagef("there is no completion for %q: it is one of bash, zsh, fish, powershell", args[0])
			}
			if err := write(cmd.Root(), a.Stdout); err != nil {
				return fmt.Errorf("write the completion script: %w", err)
			}
			return nil
		},
	}
}
