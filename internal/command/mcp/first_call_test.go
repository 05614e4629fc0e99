package mcp_test

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	sdkmcp "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/playctl/playctl/test/hostprocess"
	"github.com/playctl/playctl/test/port"
)

// startServer starts the program as a desktop client does, in a home folder, and returns the
// session and a function that ends it.
func startServer(t *testing.T, home, server string, args ...string) (session *sdkmcp.ClientSession, end func()) {
	t.Helper()
	cmd := exec.Command(hostprocess.Binary(t), append([]string{"mcp"}, args...)...)
	var problems bytes.Buffer
	cmd.Dir, cmd.Stderr, cmd.Env = home, &problems, []string{"HOME=" + home, "PLAYCTL_SERVER=" + server, "PATH=" + os.Getenv("PATH")}
	client := sdkmcp.NewClient(&sdkmcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdkmcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatalf("%v: %s", err, &problems)
	}
	return session, func() {
		if err := session.Close(); err != nil {
			t.Errorf("%v: %s", err, &problems)
		}
	}
}

// idOf returns the id of the one agent on the map, and checks its name.
func idOf(t *testing.T, session *sdkmcp.ClientSession, name string) string {
	t.Helper()
	var agents []struct{ ID, Name string }
	call(t, session, "list_agents", map[string]any{}, &agents)
	if len(agents) != 1 || agents[0].Name != name {
		t.Fatalf("the agents are %+v, want %s", agents, name)
	}
	return agents[0].ID
}

// For a person without an account, the first call creates the account and the agent for
// all later runs, even if the host starts after the client.
func TestFirstCallCreatesAccount(t *testing.T) {
	t.Parallel()
	listen, home := port.Keep(t), t.TempDir()
	host := hostprocess.Start(t, hostprocess.Options{Args: []string{"--listen", listen}})
	server := host.URL()
	session, end := startServer(t, home, server, "--agent", "Ada")
	var done struct{ OK bool }
	call(t, session, "say", map[string]any{"text": "Good morning."}, &done)
	ada := idOf(t, session, "Ada")
	end()

	host.Kill()
	session, end = startServer(t, home, server, "--agent", "Ada")
	if text := refusal(t, session, "say", map[string]any{"text": "Hello?"}); !strings.Contains(text, "cannot reach the host") {
		t.Errorf("a call without a host says %q", text)
	}
	host.Start()
	call(t, session, "say", map[string]any{"text": "Good evening."}, &done)
	if now := idOf(t, session, "Ada"); now != ada {
		t.Errorf("Ada is %s, and was %s", now, ada)
	}
	end()
}

// refusal calls a tool and returns the text of its error.
func refusal(t *testing.T, session *sdkmcp.ClientSession, name string, args any) string {
	t.Helper()
	result, err := session.CallTool(t.Context(), &sdkmcp.CallToolParams{Name: name, Arguments: args})
	if err != nil || !result.IsError {
		t.Fatalf("%s gives %+v, %v", name, result, err)
	}
	return result.Content[1].(*sdkmcp.TextContent).Text //nolint:forcetypeassert // a failed test either way
}

// Without an account, a host or a context the server starts, creates nothing that it may
// not, and each call says what is missing, until it is there.
func TestCallsSayWhatIsMissing(t *testing.T) {
	t.Parallel()
	host := hostprocess.Start(t, hostprocess.Options{})
	nobody := "http://" + port.Keep(t)
	for _, c := range []struct {
		server, args, tool, want string
	}{
		{host.URL(), "--read-only", "list_agents", "this host requires an account, and you have no credentials for it (credentials_missing); create an account with \"playctl create-main-node"},
		{nobody, "--read-only", "wait_for_event", "Start one with \"playctl serve\""},
		{nobody, "", "register_mcp", "Start one with \"playctl serve\""},
		{nobody, "--agent Ada", "say", "Start one with \"playctl serve\""},
		{host.URL(), "--read-only --context work", "list_agents", `"work": no such context`},
		{"http://127.0.0.1:1/no\x7f", "--read-only", "get_snapshot", "PLAYCTL_SERVER: the server must be an http or https URL"},
	} {
		t.Run(c.args+" "+c.tool, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			session, end := startServer(t, home, c.server, append(strings.Fields(c.args), "--timeout", "3s")...)
			if text := refusal(t, session, c.tool, map[string]any{"text": "Hello", "name": "notes"}); !strings.Contains(text, c.want) {
				t.Errorf("%s says %q, want %q", c.tool, text, c.want)
			}
			if _, err := session.ReadResource(t.Context(), &sdkmcp.ReadResourceParams{URI: "playctl://agents"}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("a resource gives %v, want %q", err, c.want)
			}
			end()
			if files, err := os.ReadDir(home); err != nil || len(files) > 0 {
				t.Errorf("the home folder has %v, %v", files, err)
			}
		})
	}
}

// An account that a person creates while the server runs is used by the next call.
func TestAccountIsCreatedMeanwhile(t *testing.T) {
	t.Parallel()
	host := hostprocess.Start(t, hostprocess.Options{})
	home := t.TempDir()
	session, end := startServer(t, home, host.URL(), "--read-only")
	defer end()
	if text := refusal(t, session, "list_agents", nil); !strings.Contains(text, "create-main-node") {
		t.Errorf("the error is %q", text)
	}
	cmd := exec.CommandContext(t.Context(), hostprocess.Binary(t), "create-main-node", "--keep-phrase")
	cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "PLAYCTL_SERVER=" + host.URL()}
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	var agents []any
	call(t, session, "list_agents", nil, &agents)
}
