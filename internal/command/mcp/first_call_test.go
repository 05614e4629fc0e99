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
	refused, err := session.CallTool(t.Context(), &sdkmcp.CallToolParams{Name: "say", Arguments: map[string]any{"text": "Hello?"}})
	if err != nil || !refused.IsError || !strings.Contains(refused.Content[1].(*sdkmcp.TextContent).Text, "cannot reach the host") { //nolint:forcetypeassert // a failed test either way
		t.Errorf("a call without a host gives %+v %v", refused, err)
	}
	host.Start()
	call(t, session, "say", map[string]any{"text": "Good evening."}, &done)
	if now := idOf(t, session, "Ada"); now != ada {
		t.Errorf("Ada is %s, and was %s", now, ada)
	}
	end()
}

// A read-only server creates nothing.
func TestReadOnlyServerCreatesNothing(t *testing.T) {
	host := hostprocess.Start(t, hostprocess.Options{})
	home := t.TempDir()
	cmd := exec.CommandContext(t.Context(), hostprocess.Binary(t), "mcp", "--read-only")
	cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "PLAYCTL_SERVER=" + host.URL()}
	text, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(text), "create-main-node") {
		t.Errorf("the call gives %v: %s", err, text)
	}
}
