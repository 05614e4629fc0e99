package mcp_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/command"
)

func TestExclusiveFlags(t *testing.T) {
	f := newFixture(t)
	for _, args := range [][]string{{"--token-file", "t"}, {"--http", "127.0.0.1:0"}, {"--agent", "Ada", "--read-only"}} {
		var errs bytes.Buffer
		if code := f.run(t.Context(), strings.NewReader(""), io.Discard, &errs, append([]string{"mcp"}, args...)...); code != command.ExitUsage {
			t.Errorf("%v: exit code %d: %s", args, code, &errs)
		}
	}
}

// An installation that the client could not start is refused, and nothing is written.
func TestRefusedInstall(t *testing.T) {
	for name, want := range map[string]struct {
		args []string
		home bool
		code int
	}{
		"flags that mcp refuses": {[]string{"claude", "--agent", "Ada", "--read-only"}, true, command.ExitUsage},
		"no home folder":         {[]string{"codex"}, false, command.ExitUsage},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			t.Chdir(t.TempDir())
			folder := f.home
			if !want.home {
				f.home = ""
			}
			var errs bytes.Buffer
			args := append([]string{"mcp", "install", "--yes"}, want.args...)
			if code := f.run(t.Context(), strings.NewReader(""), io.Discard, &errs, args...); code != want.code {
				t.Errorf("exit code %d: %s", code, &errs)
			}
			for _, file := range []string{filepath.Join(folder, ".mcp.json"), ".codex"} {
				if _, err := os.Stat(file); err == nil {
					t.Errorf("%s was written", file)
				}
			}
		})
	}
}

func TestInstall(t *testing.T) {
	f := newFixture(t)
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(f.home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(".vscode/mcp.json", `{"inputs":[],"servers":{"other":{"command":"x"}}}`)
	write(".codex/config.toml", "model = \"m\"\n\n[mcp_servers.playctl]\ncommand = \"old\"\n\n[other]\nx = 1")
	write(".cursor/mcp.json", "// a comment\n{}")
	for client, want := range map[string]struct {
		file string
		has  []string
		code int
	}{
		"claude": {".mcp.json", []string{`"mcpServers"`, `"mcp"`, `"--agent"`, `"Ada"`}, command.ExitDone},
		"vscode": {".vscode/mcp.json", []string{`"inputs"`, `"other"`, `"command": "playctl"`}, command.ExitDone},
		"codex":  {".codex/config.toml", []string{`model = "m"`, `args = ["mcp", "--server", "`, `"--agent", "Ada"]`, "[other]\nx = 1"}, command.ExitDone},
		"cursor": {".cursor/mcp.json", []string{"// a comment"}, command.ExitFailed},
		"none":   {".none", nil, command.ExitUsage},
	} {
		for range 2 { // the second time nothing changes
			var errs bytes.Buffer
			if code := f.run(t.Context(), strings.NewReader(""), io.Discard, &errs, "mcp", "install", client, "--agent", "Ada", "--yes"); code != want.code {
				t.Errorf("install %s: exit code %d: %s", client, code, &errs)
			}
			if want.has == nil {
				continue
			}
			text, err := os.ReadFile(filepath.Join(f.home, want.file))
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range want.has {
				if strings.Count(string(text), part) != 1 {
					t.Errorf("the configuration of %s should have %q once:\n%s", client, part, text)
				}
			}
		}
	}
}

// People read the file: the rest of it does not change.
func TestInstallKeepsOtherSettings(t *testing.T) {
	f := newFixture(t)
	path := filepath.Join(f.home, ".mcp.json")
	const entry = `"playctl": {
      "args": [
        "mcp",
        "--server",
        "SERVER"
      ],
      "command": "playctl",
      "type": "stdio"
    }`
	for before, want := range map[string]string{
		`{"z":"a && <b>","mcpServers":{"y":{"command":"y"},"playctl":{"command":"old"},"x":{}},"a":1e2}`: `{
  "z": "a && <b>",
  "mcpServers": {
    "y": {
      "command": "y"
    },
    ENTRY,
    "x": {}
  },
  "a": 1e2
}
`,
		"{ \"z\": [ ] }\n": `{
  "z": [],
  "mcpServers": {
    ENTRY
  }
}
`,
		"\ufeff{\n}": "\ufeff" + `{
  "mcpServers": {
    ENTRY
  }
}
`,
		"{\n\t\"z\": 1\n}\n": strings.ReplaceAll(`{
  "z": 1,
  "mcpServers": {
    ENTRY
  }
}
`, "  ", "\t"),
		`{"mcpServers":null}`: `{
  "mcpServers": {
    ENTRY
  }
}
`,
	} {
		if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		var errs bytes.Buffer
		if code := f.run(t.Context(), strings.NewReader(""), io.Discard, &errs, "mcp", "install", "claude", "--yes"); code != command.ExitDone {
			t.Fatalf("%s: exit code %d: %s", before, code, &errs)
		}
		if strings.Contains(want, "\t") {
			want = strings.Replace(want, "ENTRY", strings.ReplaceAll(entry, "  ", "\t"), 1)
		}
		want = strings.Replace(strings.Replace(want, "ENTRY", entry, 1), "SERVER", f.env["PLAYCTL_SERVER"], 1)
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s becomes\n%s, want\n%s %v", before, got, want, err)
		}
	}
}

// A configuration may be a link into a folder under version control, and others may read
// it.
func TestInstallKeepsLinkAndMode(t *testing.T) {
	f := newFixture(t)
	file, link := filepath.Join(f.home, "kept.json"), filepath.Join(f.home, ".mcp.json")
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	const mode = 0o640
	if err := errors.Join(os.Chmod(file, mode), os.Symlink("kept.json", link)); err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	if code := f.run(t.Context(), strings.NewReader(""), io.Discard, &errs, "mcp", "install", "claude", "--yes"); code != command.ExitDone {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().Type() != os.ModeSymlink {
		t.Errorf("the link became %v %v", info, err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != mode {
		t.Errorf("the file is %v %v, want the mode %o", info, err, mode)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), `"playctl"`) {
		t.Errorf("the file has %s %v", text, err)
	}
}

// The change is shown first, and written after a confirmation.
func TestInstallShowsItsChange(t *testing.T) {
	f := newFixture(t)
	for client, shown := range map[string][]string{
		"claude": {`+     "playctl": {`, `"--read-only"`, `"command": "playctl"`},
		"codex":  {"+ [mcp_servers.playctl]", `+ command = "playctl"`, `"--read-only"]`},
	} {
		var errs bytes.Buffer
		if code := f.run(t.Context(), strings.NewReader(""), io.Discard, &errs, "mcp", "install", client, "--read-only"); code != command.ExitUsage {
			t.Errorf("install %s without a terminal and --yes: exit code %d: %s", client, code, &errs)
		}
		for _, part := range shown {
			if !strings.Contains(errs.String(), part) {
				t.Errorf("install %s does not show %s: %s", client, part, &errs)
			}
		}
		var out bytes.Buffer
		code := f.run(t.Context(), strings.NewReader(""), &out, &errs, "mcp", "install", client, "--dry-run", "--jq", ".changes[].kind")
		if code != command.ExitDone || out.String() != "file\n" {
			t.Errorf("install %s --dry-run: exit code %d: %s%s", client, code, &out, &errs)
		}
	}
	if files, err := os.ReadDir(f.home); err != nil || len(files) > 0 {
		t.Errorf("install wrote %v: %v", files, err)
	}
}

// The client starts the server in another folder: it has to find the same account.
func TestInstallConfiguresAccount(t *testing.T) {
	f := newFixture(t)
	var errs bytes.Buffer
	args := []string{"mcp", "install", "claude", "--credentials-file", "mine.json", "--service", "demo", "--yes"}
	if code := f.run(t.Context(), strings.NewReader(""), io.Discard, &errs, args...); code != command.ExitDone {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	text, err := os.ReadFile(filepath.Join(f.home, ".mcp.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Servers map[string]struct{ Args []string } `json:"mcpServers"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	want := []string{"mcp", "--server", f.env["PLAYCTL_SERVER"], "--service", "demo", "--credentials-file", filepath.Join(f.home, "mine.json")}
	if got := file.Servers["playctl"].Args; !slices.Equal(got, want) {
		t.Errorf("the client starts %q, want %q", got, want)
	}
}

// A client does not search the current folder of the person.
func TestInstallConfiguresProgramPath(t *testing.T) {
	f := newFixture(t)
	f.program = "./bin/playctl"
	path := filepath.Join(f.home, "bin", "playctl")
	for client, want := range map[string][2]string{"claude": {".mcp.json", `"command": "` + path + `"`}, "codex": {".codex/config.toml", `command = "` + path + `"`}} {
		var errs bytes.Buffer
		if code := f.run(t.Context(), strings.NewReader(""), io.Discard, &errs, "mcp", "install", client, "--yes"); code != command.ExitDone {
			t.Fatalf("exit code %d: %s", code, &errs)
		}
		text, err := os.ReadFile(filepath.Join(f.home, want[0]))
		if err != nil || !strings.Contains(string(text), want[1]) {
			t.Errorf("the configuration of %s lacks %s: %s %v", client, want[1], text, err)
		}
	}
}

// A file in which a member is there twice is left unchanged: readers differ in which one
// counts.
func TestInstallRefusesRepeatedMembers(t *testing.T) {
	f := newFixture(t)
	path := filepath.Join(f.home, ".mcp.json")
	const before = `{"mcpServers":{},"mcpServers":{"other":{}}}`
	if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	code := f.run(t.Context(), strings.NewReader(""), io.Discard, &errs, "mcp", "install", "claude", "--yes")
	if text, err := os.ReadFile(path); code != command.ExitFailed || err != nil || string(text) != before {
		t.Errorf("exit code %d, the file is %s %v: %s", code, text, err, &errs)
	}
}

// Nothing but the server's own settings changes in a TOML file, or the file stays.
func TestInstallKeepsOtherTOML(t *testing.T) {
	f := newFixture(t)
	path := filepath.Join(f.home, ".codex", "config.toml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	const values = `command = "playctl"` + "\n" + `args = ["mcp", "--server", "SERVER"]` + "\n"
	const table = "[mcp_servers.playctl]\n" + values
	for before, want := range map[string]string{ // "" if the file is left unchanged
		"":                                    table,
		"# Mine.\nmodel = \"m\" # the best\n": "# Mine.\nmodel = \"m\" # the best\n\n" + table,
		"model = \"m\"":                       "model = \"m\"\n\n" + table,
		"a = 1\r\n":                           "a = 1\r\n\r\n" + strings.ReplaceAll(table, "\n", "\r\n"),
		"\ufeffa = 1\n":                       "\ufeffa = 1\n\n" + table,
		"[[list]]\nx = 1\n":                   "[[list]]\nx = 1\n\n" + table,
		"[mcp_servers]\n[mcp_servers.other]\ncommand = \"x\"\n":     "[mcp_servers]\n[mcp_servers.other]\ncommand = \"x\"\n\n" + table,
		"text = \"\"\"\n[mcp_servers.playctl]\nargs = []\n\"\"\"\n": "text = \"\"\"\n[mcp_servers.playctl]\nargs = []\n\"\"\"\n\n" + table,
		"[mcp_servers.playctl]\ncommand = \"old\" # mine\nargs = [\n  \"a]\", # one\n  [1]]\ntimeout = 9\n\n# the other's token\n[mcp_servers.other]\nx = 1\n": "[mcp_servers.playctl]\ncommand = \"playctl\" # mine\nargs = [\"mcp\", \"--server\", \"SERVER\"]\ntimeout = 9\n\n# the other's token\n[mcp_servers.other]\nx = 1\n",
		"[ mcp_servers . \"playctl\" ] # ours\nenv.X = \"1\"\n":                                "[ mcp_servers . \"playctl\" ] # ours\n" + values + "env.X = \"1\"\n",
		"  [mcp_servers.'playctl']":                                                            "  [mcp_servers.'playctl']\n" + values,
		"[mcp_servers]\nplayctl.command = '''a'''\nplayctl.args = []\nother.command = \"x\"\n": "[mcp_servers]\nplayctl.command = \"playctl\"\nplayctl.args = [\"mcp\", \"--server\", \"SERVER\"]\nother.command = \"x\"\n",
		"mcp_servers.playctl.command = \"\"\"a\n\"\"\"\nmcp_servers.playctl.args = [1] # x\n":  "mcp_servers.playctl.command = \"playctl\"\nmcp_servers.playctl.args = [\"mcp\", \"--server\", \"SERVER\"] # x\n",
		"[mcp_servers.playctl.env]\nX = \"1\"\n":                                               "[mcp_servers.playctl.env]\nX = \"1\"\n\n" + table,
		"[mcp_servers]\nplayctl.command = \"a\"\n":                                             "",
		"mcp_servers = { other = { command = \"x\" } }\n":                                      "",
		"mcp_servers = { playctl = { command = \"x\" } }\n":                                    "",
		"[mcp_servers]\nplayctl = { command = \"x\", args = [] }\n":                            "",
		"[[mcp_servers]]\nname = \"playctl\"\n":                                                "",
		"[[mcp_servers.playctl]]\ncommand = \"x\"\n":                                           "",
		"mcp_servers = 1\n":                    "",
		"[mcp_servers.playctl]\ncommand = 1\n": "",
		"a = 1\na = 2\n":                       "",
		"not TOML":                             "",
	} {
		if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		code := command.ExitDone
		if want == "" {
			want, code = before, command.ExitFailed
		}
		for range 2 { // the second time nothing changes
			var errs bytes.Buffer
			if got := f.run(t.Context(), strings.NewReader(""), io.Discard, &errs, "mcp", "install", "codex", "--yes"); got != code {
				t.Fatalf("%s: exit code %d: %s", before, got, &errs)
			}
			after, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.ReplaceAll(string(after), f.env["PLAYCTL_SERVER"], "SERVER"); got != want {
				t.Fatalf("%s\nbecomes\n%s\nwant\n%s\n%s", before, got, want, &errs)
			}
		}
	}
}
