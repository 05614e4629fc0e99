package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/protocol"
)

var update = flag.Bool("update", false, "rewrite the command reference and the golden files with what is made now")

// These are the folders of the generated command reference and of the manual pages.
const (
	referenceFolder = "../../docs/cli"
	manualFolder    = "../../docs/man"
)

// neutralProgram returns a program without an environment, whose output is the same on every
// machine.
func neutralProgram() *command.Program {
	return &command.Program{
		LookupEnv: func(string) (string, bool) { return "", false },
		Home:      "~", Now: func() time.Time { return time.Time{} },
		Stdin: strings.NewReader(""), Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{},
	}
}

// The command reference and the manual pages match the commands.
func TestCommandReference(t *testing.T) {
	t.Parallel()
	checkPages(t, referenceFolder, referencePages(t, newRootCommand(&command.App{Program: neutralProgram()})))
	checkPages(t, manualFolder, manualPages(t, newRootCommand(&command.App{Program: neutralProgram()})))
}

// checkPages compares a folder with newly generated pages.
func checkPages(t *testing.T, folder string, pages map[string]string) {
	t.Helper()
	if *update {
		writePages(t, folder, pages)
	}
	shown := strings.TrimPrefix(folder, "../../")
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if _, ok := pages[entry.Name()]; !ok {
			t.Errorf("%s/%s is about a removed command: run go generate ./cmd/playctl", shown, entry.Name())
		}
	}
	for name, want := range pages {
		got, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Errorf("%s/%s: %v: run go generate ./cmd/playctl", shown, name, err)
			continue
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s/%s is stale: run go generate ./cmd/playctl\n%s", shown, name, diff)
		}
	}
}

func writePages(t *testing.T, folder string, pages map[string]string) {
	t.Helper()
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// referencePages returns the pages by file name: one for each command and help topic, and
// an index.
func referencePages(t *testing.T, root *cobra.Command) map[string]string {
	t.Helper()
	pages := map[string]string{"README.md": referenceIndex(root), "fields.md": fieldsPage(t)}
	eachCommand(root, func(cmd *cobra.Command) {
		cmd.DisableAutoGenTag = true
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "_") + ".md"
		if cmd.IsAdditionalHelpTopicCommand() {
			pages[name] = fmt.Sprintf("## %s\n\n%s\n\n```\n%s\n```\n", cmd.CommandPath(), cmd.Short, cmd.Long)
			return
		}
		var page bytes.Buffer
		if err := doc.GenMarkdown(cmd, &page); err != nil {
			t.Fatal(err)
		}
		pages[name] = page.String()
	})
	return pages
}

// manualPages returns the pages for man by file name, one for each command. They have no
// date, which would change every month.
func manualPages(t *testing.T, root *cobra.Command) map[string]string {
	t.Helper()
	pages := map[string]string{}
	eachCommand(root, func(cmd *cobra.Command) {
		cmd.DisableAutoGenTag = true
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
		header := &doc.GenManHeader{Title: strings.ToUpper(name), Section: "1", Source: "playctl", Manual: "playctl", Date: new(time.Time)}
		var page bytes.Buffer
		if err := doc.GenMan(cmd, header, &page); err != nil {
			t.Fatal(err)
		}
		pages[name+".1"] = strings.Replace(page.String(), new(time.Time).Format("Jan 2006"), "", 1)
	})
	return pages
}

func referenceIndex(root *cobra.Command) string {
	var index strings.Builder
	index.WriteString("# Commands\n\nThis folder is generated from what the commands say of themselves: `go generate ./cmd/playctl`.\n\n" +
		"[The fields of results](fields.md) are what commands print as JSON.\n")
	section := func(title string, belongs func(*cobra.Command) bool) {
		fmt.Fprintf(&index, "\n## %s\n\n", title)
		for _, cmd := range root.Commands() {
			if !belongs(cmd) {
				continue
			}
			line(&index, cmd, "")
			for _, sub := range cmd.Commands() {
				line(&index, sub, "  ")
			}
		}
	}
	for _, group := range root.Groups() {
		section(strings.TrimSuffix(group.Title, ":"), func(cmd *cobra.Command) bool { return cmd.GroupID == group.ID })
	}
	section("Topics", (*cobra.Command).IsAdditionalHelpTopicCommand)
	return index.String()
}

func line(index *strings.Builder, cmd *cobra.Command, indent string) {
	path := cmd.CommandPath()
	fmt.Fprintf(index, "%s- [%s](%s.md): %s\n", indent, path, strings.ReplaceAll(path, " ", "_"), cmd.Short)
}

// eachCommand visits a command and all commands below it, but not cobra's own.
func eachCommand(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, sub := range cmd.Commands() {
		if sub.Name() != "help" && !sub.Hidden {
			eachCommand(sub, visit)
		}
	}
}

// Every command has a description, an example and a group.
func TestCommandsHaveHelp(t *testing.T) {
	t.Parallel()
	root := newRootCommand(&command.App{Program: neutralProgram()})
	eachCommand(root, func(cmd *cobra.Command) {
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
	root := newRootCommand(&command.App{Program: neutralProgram()})
	eachCommand(root, func(cmd *cobra.Command) {
		for _, word := range secrets {
			for _, name := range []string{word, "api-" + word} {
				if f := cmd.Flags().Lookup(name); f != nil && f.Value.Type() != "bool" {
					t.Errorf("%s has a flag that accepts a %s", cmd.CommandPath(), word)
				}
			}
		}
	})
	settings := settingNames(neutralProgram())
	for _, secret := range []string{"phrase", "api-key", "admin-token", "registration-token"} {
		if slices.Contains(settings, secret) {
			t.Errorf("the config file accepts %s", secret)
		}
	}
}

// The help states the limits of the protocol as they are.
func TestHelpStatesLimits(t *testing.T) {
	t.Parallel()
	pages := referencePages(t, newRootCommand(&command.App{Program: neutralProgram()}))
	for page, want := range map[string]string{
		"playctl_record-interaction.md": fmt.Sprintf("cut at\n%d characters", protocol.MaxInteractionChars),
		"playctl_interactions.md":       fmt.Sprintf("at most %d (default %d)", protocol.MaxListLimit, protocol.DefaultListLimit),
		"playctl_add-agent.md":          fmt.Sprintf("from %ds to %ds (default %ds)", protocol.MinLeaseTTLSeconds, protocol.MaxLeaseTTLSeconds, protocol.DefaultLeaseTTLSeconds),
		"playctl_agent_run.md":          fmt.Sprintf("the host waits %ds", protocol.MaxIntercomSilenceSeconds),
		"playctl_key_create.md":         fmt.Sprintf("to %dh; 0", protocol.MaxKeySeconds/int(time.Hour/time.Second)),
		"playctl_invite.md":             fmt.Sprintf("to %dh (default", protocol.MaxInvitationSeconds/int(time.Hour/time.Second)),
	} {
		if !strings.Contains(pages[page], want) {
			t.Errorf("%s does not contain %q", page, want)
		}
	}
}
