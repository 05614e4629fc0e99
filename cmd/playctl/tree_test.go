package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

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
