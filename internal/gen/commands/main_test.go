package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/command/tree"
	"github.com/playctl/playctl/internal/gen"
	"github.com/playctl/playctl/protocol"
)

func TestGeneratedFilesAreCurrent(t *testing.T) {
	t.Parallel()
	root, err := gen.Root()
	if err != nil {
		t.Fatal(err)
	}
	output, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	outdated, err := output.Outdated(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range outdated {
		t.Errorf("%s is out of date: run go generate ./cmd/playctl", name)
	}
}

// A command without a result and a result without a command are named.
func TestResultsAreOfCommands(t *testing.T) {
	t.Parallel()
	root := &cobra.Command{Use: "playctl"}
	root.AddCommand(&cobra.Command{Use: "novel", Run: func(*cobra.Command, []string) {}})
	err := checkDocumented(root, map[string][]field{"gone --all; a line": nil, "error": nil})
	if err == nil || !strings.Contains(err.Error(), "playctl novel has no result") || !strings.Contains(err.Error(), `a result of "gone"`) {
		t.Errorf("a new command and a result of a removed one: %v", err)
	}
}

// The help states the limits of the protocol as they are.
func TestHelpStatesLimits(t *testing.T) {
	t.Parallel()
	files := map[string][]byte{}
	if err := pages(tree.Documented(), files); err != nil {
		t.Fatal(err)
	}
	for page, want := range map[string]string{
		"playctl_record-interaction.md": fmt.Sprintf("cut at\n%d characters", protocol.MaxInteractionChars),
		"playctl_interactions.md":       fmt.Sprintf("at most %d (default %d)", protocol.MaxListLimit, protocol.DefaultListLimit),
		"playctl_add-agent.md":          fmt.Sprintf("from %ds to %ds (default %ds)", protocol.MinLeaseTTLSeconds, protocol.MaxLeaseTTLSeconds, protocol.DefaultLeaseTTLSeconds),
		"playctl_agent_run.md":          fmt.Sprintf("the host waits %ds", protocol.MaxIntercomSilenceSeconds),
		"playctl_key_create.md":         fmt.Sprintf("to %dh; 0", protocol.MaxKeySeconds/int(time.Hour/time.Second)),
		"playctl_invite.md":             fmt.Sprintf("to %dh (default", protocol.MaxInvitationSeconds/int(time.Hour/time.Second)),
	} {
		if !strings.Contains(string(files[referenceFolder+"/"+page]), want) {
			t.Errorf("%s does not contain %q", page, want)
		}
	}
}
