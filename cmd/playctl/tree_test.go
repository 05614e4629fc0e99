package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/command/tree"
)

// Every command has a description, an example and a group.
func TestCommandsHaveHelp(t *testing.T) {
	t.Parallel()
	root := tree.Documented()
	tree.Each(root, func(cmd *cobra.Command) {
		if cmd.IsAdditionalHelpTopicCommand() {
			return
		}
		path := cmd.CommandPath()
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: its summary is %q, want a line without a period", path, cmd.Short)
		}
		if !strings.Contains(cmd.Example, "playctl") {
			t.Errorf("%s has no example", path)
		}
		if cmd.Parent() == root && cmd.GroupID == "" {
			t.Errorf("%s is in no group", path)
		}
		for text := range strings.Lines(cmd.Long) {
			if len([]rune(strings.TrimSpace(text))) > 110 {
				t.Errorf("%s: a line of its help is longer than a window: %q", path, text)
			}
		}
	})
}

// A command that removes or replaces something has --yes, and is refused without it where
// nobody can be asked, before it looks at its arguments or calls a host.
func TestRemovalsNeedConfirmation(t *testing.T) {
	t.Parallel()
	removes := regexp.MustCompile(`^(remove|delete|revoke|clear|reset|unregister|prune|create-api-key)`)
	found := 0
	tree.Each(tree.Documented(), func(cmd *cobra.Command) {
		if !removes.MatchString(cmd.Name()) || cmd.HasSubCommands() {
			return
		}
		found++
		if !command.IsConfirmed(cmd) {
			t.Errorf("%s has no confirmation", cmd.CommandPath())
			return
		}
		args := slices.Concat(strings.Fields(cmd.CommandPath())[1:], []string{"--output", "json"})
		for range strings.Count(cmd.Use, "<") {
			args = append(args, "none")
		}
		p := inProcess(t.TempDir(), nil, args...)
		p.Stderr = new(strings.Builder)
		code := command.Run(t.Context(), p, tree.New)
		if shown := fmt.Sprint(p.Stderr); code != command.ExitUsage || !strings.Contains(shown, `"code":"confirmation_required"`) {
			t.Errorf("%s ends with %d: %s", cmd.CommandPath(), code, shown)
		}
	})
	if found < 14 {
		t.Errorf("only %d commands remove something", found)
	}
}

// No flag accepts a secret: other people on the machine can read command lines.
func TestNoFlagAcceptsSecret(t *testing.T) {
	t.Parallel()
	secrets := []string{"phrase", "passw", "password", "secret", "token", "key"}
	root := tree.Documented()
	tree.Each(root, func(cmd *cobra.Command) {
		for _, word := range secrets {
			for _, name := range []string{word, "api-" + word} {
				if f := cmd.Flags().Lookup(name); f != nil && f.Value.Type() != "bool" {
					t.Errorf("%s has a flag that accepts a %s", cmd.CommandPath(), word)
				}
			}
		}
	})
	settings := settingNames(inProcess(t.TempDir(), nil))
	for _, secret := range []string{"phrase", "api-key", "admin-token", "registration-token"} {
		if slices.Contains(settings, secret) {
			t.Errorf("the config file accepts %s", secret)
		}
	}
}
