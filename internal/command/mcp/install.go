package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

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
	after, added, err := configured(before, to, program(a), arguments(a, flags))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	result := installed{Client: name, File: path, Changed: !bytes.Equal(before, after)}
	if !result.Changed {
		return a.PrintSentence(result, "%s has it already.", path)
	}
	a.Note("%s gets:\n\n%s", path, strings.TrimRight(added, "\n"))
	if err := a.Confirm(cmd.Context(), "Write "+path+"?", command.Changes()); err != nil {
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

// configured returns a configuration with the server, and the added text.
func configured(before []byte, to target, program string, args []string) (after []byte, added string, err error) {
	if to.member == "" {
		return configuredTOML(before, program, args)
	}
	text, held := before, []byte("{}")
	file := map[string]json.RawMessage{}
	servers := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(before)) == 0 {
		text = held
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, "", fmt.Errorf("it is not plain JSON, so it is left unchanged: add the server by hand (%w)", err)
	}
	if given, ok := file[to.member]; ok {
		if err := json.Unmarshal(given, &servers); err != nil {
			return nil, "", fmt.Errorf("its member %s is not an object: %w", to.member, err)
		}
		if servers != nil {
			held = given
		}
	}
	entry, err := json.Marshal(map[string]any{"type": "stdio", "command": program, "args": args})
	if err != nil {
		return nil, "", fmt.Errorf("write the entry of the server: %w", err)
	}
	if given, ok := servers[serverName]; ok && sameJSON(given, entry) {
		return before, "", nil
	}
	if held, err = withMember(held, serverName, entry); err != nil {
		return nil, "", err
	}
	if text, err = withMember(text, to.member, held); err != nil {
		return nil, "", err
	}
	var out bytes.Buffer
	err = json.Indent(&out, bytes.TrimSpace(text), "", "  ")
	out.WriteByte('\n')
	return out.Bytes(), fmt.Sprintf("%q: %s", serverName, entry), err
}

// withMember sets a member of an object, in its place or at the end. The other members
// keep their order and their values, because people read the file and keep it under
// version control.
func withMember(object []byte, name string, value []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(object))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return nil, errors.New("it is not a JSON object, so it is left unchanged: add the server by hand")
	}
	comma := ""
	for ; d.More(); comma = "," {
		key, err := d.Token()
		var held json.RawMessage
		if err == nil {
			err = d.Decode(&held)
		}
		if err != nil {
			return nil, fmt.Errorf("read its members: %w", err)
		}
		if end := d.InputOffset(); key == name {
			return slices.Concat(object[:int(end)-len(held)], value, object[end:]), nil
		}
	}
	end := d.InputOffset()
	return slices.Concat(object[:end], fmt.Appendf(nil, "%s%q:", comma, name), value, object[end:]), nil
}

func sameJSON(one, other []byte) bool {
	var a, b any
	return json.Unmarshal(one, &a) == nil && json.Unmarshal(other, &b) == nil && reflect.DeepEqual(a, b)
}

// tomlTable matches the server's table up to the next one.
var tomlTable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\[mcp_servers\.` + serverName + `\][^\n]*\n(?:[^\[\n][^\n]*\n|\n)*`)
})

func configuredTOML(before []byte, program string, args []string) (after []byte, added string, err error) {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = strconv.Quote(arg)
	}
	table := fmt.Sprintf("[mcp_servers.%s]\ncommand = %s\nargs = [%s]\n", serverName, strconv.Quote(program), strings.Join(quoted, ", "))
	text := string(before)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if place := tomlTable().FindStringIndex(text); place != nil {
		if strings.TrimSpace(text[place[0]:place[1]]) == strings.TrimSpace(table) {
			return before, "", nil
		}
		rest := strings.TrimLeft(text[place[1]:], "\n")
		if rest != "" {
			rest = "\n" + rest
		}
		return []byte(text[:place[0]] + table + rest), table, nil
	}
	if text != "" {
		text += "\n"
	}
	return []byte(text + table), table, nil
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
