//go:build full

package examples

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
	"github.com/playctl/playctl/test/hostprocess"
)

// longest is the longest duration of a step on a busy machine.
const longest = 3 * time.Minute

// TestExamples runs the examples in Go and shell as their pages say, against a real host, and
// asks them.
func TestExamples(t *testing.T) {
	if text, err := exec.CommandContext(t.Context(), "jq", "--version").CombinedOutput(); err != nil {
		t.Fatalf("jq is missing, which examples/agent-shell needs: %v %s", err, text)
	}
	p := newWorkspace(t)
	p.serve()
	p.run("create-main-node", "--phrase-file", "main.txt")
	key := p.field("apiKey", "create-api-key", "--yes", "--show-api-key", "--output", "json")
	main := p.field("nodeId", "whoami", "--output", "json")
	p.run("create-agent-node", "Shelly", "--phrase-file", "shelly.txt")

	p.start([]string{
		"PLAYCTL_NODE_ID=" + main, "PLAYCTL_PHRASE=" + p.read("main.txt"), "PLAYCTL_API_KEY=" + key,
	}, "agent-go")
	shell, err := filepath.Abs("agent-shell")
	if err != nil {
		t.Fatal(err)
	}
	p.start(nil, "playctl", "intercom", "serve", "Shelly",
		"--exec", filepath.Join(shell, "agent.sh"), "--assist-tools", filepath.Join(shell, "tools.json"))
	ids := p.await(main, key, "Gopher", "Shelly")

	for _, agent := range []string{"Gopher", "Shelly"} {
		if got := p.run("intercom", "send", agent, "Good morning"); got != "You said: Good morning\n" {
			t.Errorf("the answer of %s is %q", agent, got)
		}
		if got := p.run("intercom", "send", agent, "--tool", "assist_add", "--args", `{"a": 2, "b": 3}`); got != "5\n" {
			t.Errorf("the sum of %s is %q", agent, got)
		}
	}
	events := p.run("tail", "--from-start", "--follow=false", "--output", "ndjson")
	for agent, id := range ids {
		journeys := 0
		for line := range strings.Lines(events) {
			if strings.Contains(line, `"event":"world:journey"`) && strings.Contains(line, `"playerId":"`+id+`"`) {
				journeys++
			}
		}
		if journeys != 2 {
			t.Errorf("%s recorded %d journeys, want 2", agent, journeys)
		}
	}
}

// workspace is a folder with the programs, and a home folder of its own.
type workspace struct {
	t      *testing.T
	dir    string
	server string
}

func TestMain(m *testing.M) { os.Exit(hostprocess.Main(m)) }

// newWorkspace builds the Go example and puts playctl beside it.
func newWorkspace(t *testing.T) *workspace {
	t.Helper()
	p := &workspace{t: t, dir: t.TempDir()}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", p.dir, "./agent-go")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if err := os.Symlink(hostprocess.Binary(t), filepath.Join(p.dir, "playctl")); err != nil {
		t.Fatal(err)
	}
	return p
}

// environment returns the variables of a program in the workspace.
func (p *workspace) environment(more []string) []string {
	env := []string{"HOME=" + p.dir, "PATH=" + p.dir + string(os.PathListSeparator) + os.Getenv("PATH")}
	if p.server != "" {
		env = append(env, "PLAYCTL_SERVER="+p.server)
	}
	return append(env, more...)
}

func (p *workspace) command(ctx context.Context, more []string, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(p.dir, name), args...)
	cmd.Dir, cmd.Env = p.dir, p.environment(more)
	return cmd
}

// run runs playctl and returns its output.
func (p *workspace) run(args ...string) string {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), longest)
	defer cancel()
	cmd := p.command(ctx, nil, "playctl", args...)
	var problems strings.Builder
	cmd.Stderr = &problems
	text, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("playctl %s: %v\n%s", strings.Join(args, " "), err, problems.String())
	}
	return string(text)
}

// field returns a field of the JSON that playctl prints.
func (p *workspace) field(name string, args ...string) string {
	p.t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(p.run(args...)), &fields); err != nil {
		p.t.Fatal(err)
	}
	text, _ := fields[name].(string)
	if text == "" {
		p.t.Fatalf("playctl %s printed no %s", strings.Join(args, " "), name)
	}
	return text
}

func (p *workspace) read(file string) string {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, file))
	if err != nil {
		p.t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// serve starts a host, which ends with the test.
func (p *workspace) serve() {
	p.t.Helper()
	cmd := p.command(context.WithoutCancel(p.t.Context()), nil, "playctl", "serve", "--listen", "127.0.0.1:0", "--output", "ndjson", "--ephemeral")
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	p.startProcess(cmd)
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		p.t.Fatalf("the host did not start: %v", err)
	}
	var banner struct{ URL string }
	if err := json.Unmarshal(line, &banner); err != nil {
		p.t.Fatal(err)
	}
	p.server = banner.URL
}

// start starts a program that ends with the test.
func (p *workspace) start(more []string, name string, args ...string) {
	p.t.Helper()
	p.startProcess(p.command(context.WithoutCancel(p.t.Context()), more, name, args...))
}

// startProcess starts a program and ends it with SIGTERM, as an operator would. What it
// wrote to standard error is shown if the test failed.
func (p *workspace) startProcess(cmd *exec.Cmd) {
	p.t.Helper()
	var problems strings.Builder
	cmd.Stderr = &problems
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			p.t.Errorf("%s ended before: %v", filepath.Base(cmd.Path), err)
		}
		// playctl says with its exit code that a signal ended it.
		if err := cmd.Wait(); err != nil && cmd.ProcessState.ExitCode() != 130 {
			p.t.Errorf("%s: %v", filepath.Base(cmd.Path), err)
		}
		if p.t.Failed() {
			p.t.Logf("%s: %s", filepath.Base(cmd.Path), problems.String())
		}
	})
}

// await waits until agents are on the map, and returns their ids by name.
func (p *workspace) await(main, key string, agents ...string) map[string]string {
	p.t.Helper()
	world, err := sdk.New(sdk.Options{
		BaseURL: p.server, APIKey: protocol.NewSecret(key),
		MainNodeCredentials: &sdk.NodeCredentials{NodeID: main, Phrase: protocol.NewSecret(p.read("main.txt"))},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(p.t.Context(), longest)
	defer cancel()
	added := make(chan protocol.Agent, 16)
	_, err = world.SubscribeEvents(ctx, sdk.EventOptions{
		Kinds: []protocol.EventKind{protocol.EventPlayerAdded}, FromSeq: true,
		OnEvent: func(e sdk.Event) {
			var event struct {
				Player protocol.Agent `json:"player"`
			}
			if err := e.Decode(&event); err != nil {
				p.t.Error(err)
			}
			added <- event.Player
		},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	ids := map[string]string{}
	for len(ids) < len(agents) {
		select {
		case agent := <-added:
			if slices.Contains(agents, agent.Name) {
				ids[agent.Name] = agent.AgentID
			}
		case <-ctx.Done():
			p.t.Fatalf("the agents on the map are %v, want %v", ids, agents)
		}
	}
	if err := world.Close(context.WithoutCancel(ctx)); err != nil {
		p.t.Fatal(err)
	}
	return ids
}
