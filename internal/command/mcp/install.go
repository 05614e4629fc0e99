package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
)

// serverName is the name of the server in clients.
const serverName = "playctl"

// mostConfiguration limits the size of a client's configuration.
const mostConfiguration = 4 << 20

// target is the configuration file in which a client has its MCP servers.
type target struct {
	// path is relative to the working folder, or to the home folder.
	path   string
	inHome bool
	// member is the member with the servers in a JSON file; empty for TOML.
	member string
}

// targets are from the documentation of the clients: the file of a project if there is
// one.
var targets = map[string]target{
	"claude": {path: ".mcp.json", member: "mcpServers"},
	"cursor": {path: ".cursor/mcp.json", member: "mcpServers"},
	"vscode": {path: ".vscode/mcp.json", member: "servers"},
	"codex":  {path: ".codex/config.toml", inHome: true},
}

// clientNames are the clients in the order of the help.
var clientNames = []string{"claude", "cursor", "vscode", "codex"}

// installed is what "playctl mcp install" prints.
type installed struct {
	Client  string `json:"client"`  // the MCP client
	File    string `json:"file"`    // its configuration file
	Changed bool   `json:"changed"` // whether the file was changed; false where it had it already
}

func newInstallCommand(a *command.App) *cobra.Command {
	var flags serveFlags
	cmd := &cobra.Command{
		Use:   "install <client>",
		Short: "Write the configuration of an MCP client",
		Long: `Add this program to the MCP servers of a client: claude (.mcp.json), cursor (.cursor/mcp.json) and
vscode (.vscode/mcp.json) in this folder, codex (~/.codex/config.toml). The change is shown first. The
client then starts "playctl mcp" with the context of this run; no secret is written.`,
		Example:   command.Example("playctl mcp install claude --agent Ada", "playctl mcp install codex --read-only --yes"),
		Args:      command.Takes("client"),
		ValidArgs: clientNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			to, ok := targets[args[0]]
			if !ok {
				return command.Usagef("unknown client %q: use %s", args[0], strings.Join(clientNames, ", "))
			}
			if err := flags.check(cmd.Context()); err != nil {
				return err
			}
			return install(cmd, a, args[0], to, &flags)
		},
	}
	flags.register(cmd)
	cmd.Flags().BoolP("yes", "y", false, "write without asking")
	command.RegisterDryRun(cmd)
	a.CompleteFlag(cmd, "agent", command.Agents(command.SeekOwn))
	return cmd
}

func install(cmd *cobra.Command, a *command.App, name string, to target, flags *serveFlags) error {
	path := a.Absolute(to.path)
	if to.inHome {
		if a.Home == "" {
			return fmt.Errorf("%w for the configuration of %s: set HOME", creds.ErrNoHome, name)
		}
		path = filepath.Join(a.Home, to.path)
	}
	before, err := a.ReadInput(path, mostConfiguration)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	after, err := configured(before, to, program(a), arguments(a, flags))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	result := installed{Client: name, File: path, Changed: !bytes.Equal(before, after)}
	if !result.Changed {
		return a.PrintSentence(result, "%s has it already.", path)
	}
	a.Note("%s changes:\n\n%s", path, changes(string(before), string(after)))
	change := command.Change{Action: "replace", Kind: "file", Name: path}
	if before == nil {
		change.Action = "add"
	}
	if err := a.Confirm(cmd.Context(), "Write "+path+"?", command.Changes(change)); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("create the folder of the configuration: %w", err)
	}
	if err := replace(path, after); err != nil {
		return err
	}
	return a.PrintSentence(result, "Written to %s. Restart the client to use it.", path)
}

// program returns the command for the client to start: this program by its name if it is
// in the PATH, else by its path.
func program(a *command.App) string {
	if filepath.Base(a.Name) == a.Name {
		return a.Name
	}
	path := a.Absolute(a.Name)
	if found, err := exec.LookPath(filepath.Base(path)); err == nil && sameFile(found, path) {
		return filepath.Base(path)
	}
	return path
}

func sameFile(one, other string) bool {
	a, err := os.Stat(one)
	if err != nil {
		return false
	}
	b, err := os.Stat(other)
	return err == nil && os.SameFile(a, b)
}

// arguments returns the arguments of that command.
func arguments(a *command.App, flags *serveFlags) []string {
	args := append([]string{"mcp"}, a.SameAccount()...)
	if flags.agent != "" {
		args = append(args, "--agent", flags.agent)
	}
	if flags.readOnly {
		args = append(args, "--read-only")
	}
	return args
}

// replace replaces a file atomically and keeps its mode.
func replace(path string, text []byte) error {
	mode := fs.FileMode(0o600)
	if before, err := os.Stat(path); err == nil {
		mode = before.Mode().Perm()
	}
	if err := creds.WriteSecretFile(path, text, true); err != nil {
		return fmt.Errorf("save the configuration: %w", err)
	}
	if err := os.Chmod(path, mode); err != nil {
		return fmt.Errorf("save the configuration: %w", err)
	}
	return nil
}
