package otel

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/playctl/playctl/test/hostprocess"
)

// longest is the longest time of a step on a busy machine.
const longest = time.Minute

// person is a user of a host, with a separate home folder.
type person struct {
	*testing.T
	home, server string
	// account has the variables of an account in the environment.
	account []string
}

func (p *person) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, hostprocess.Binary(p), args...)
	cmd.Dir, cmd.Env = p.home, append([]string{"HOME=" + p.home, "PLAYCTL_SERVER=" + p.server, "PATH=" + os.Getenv("PATH")}, p.account...)
	return cmd
}

func (p *person) run(args ...string) string {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), longest)
	defer cancel()
	cmd := p.command(ctx, args...)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	text, err := cmd.Output()
	if err != nil {
		p.Fatalf("playctl %s: %v\n%s", strings.Join(args, " "), err, &problems)
	}
	return string(text)
}

// startReceiver starts "playctl otel". stop waits until it has recorded a number of journeys,
// interrupts it, and returns its messages.
func (p *person) startReceiver(args ...string) (at listening, stop func(journeys int) string) {
	p.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.Context()), 2*longest)
	p.Cleanup(cancel)
	cmd := p.command(ctx, append([]string{"otel", "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0", "--output", "ndjson"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.Fatal(err)
	}
	notes, err := cmd.StderrPipe()
	if err != nil {
		p.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for at.HTTP == "" && lines.Scan() {
		if err := json.Unmarshal(lines.Bytes(), &at); err != nil {
			p.Fatalf("%v: %s", err, lines.Bytes())
		}
	}
	return at, func(journeys int) string {
		p.Helper()
		var messages strings.Builder
		noted := bufio.NewScanner(notes)
		for journeys > 0 && noted.Scan() {
			messages.WriteString(noted.Text() + "\n")
			if strings.Contains(noted.Text(), ": a journey of ") {
				journeys--
			}
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			p.Fatalf("otel ended: %v\n%s", err, &messages)
		}
		for noted.Scan() {
			messages.WriteString(noted.Text() + "\n")
		}
		rest, err := io.ReadAll(out)
		if err := errors.Join(err, noted.Err()); err != nil {
			p.Error(err)
		}
		messages.Write(rest)
		if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
			p.Errorf("otel ended with %v:\n%s", err, &messages)
		}
		return messages.String()
	}
}

// exporters returns the exporters of OpenTelemetry for Go.
func exporters(t *testing.T, at listening) map[string]sdktrace.SpanExporter {
	t.Helper()
	overHTTP, err := otlptracehttp.New(t.Context(), otlptracehttp.WithEndpointURL(at.HTTP+"/v1/traces"), otlptracehttp.WithCompression(otlptracehttp.GzipCompression))
	if err != nil {
		t.Fatal(err)
	}
	overGRPC, err := otlptracegrpc.New(t.Context(), otlptracegrpc.WithEndpointURL(at.GRPC), otlptracegrpc.WithCompressor("gzip"))
	if err != nil {
		t.Fatal(err)
	}
	return map[string]sdktrace.SpanExporter{"Ada": overHTTP, "Grace": overGRPC}
}

// work reports a run of an agent with three tool calls, one of which fails and one of
// which an MCP server carries out.
func work(t *testing.T, name string, exporter sdktrace.SpanExporter) {
	t.Helper()
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", "shop"))))
	tracer := provider.Tracer("test")
	started := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	moment := started
	do := func(ctx context.Context, span string, kind trace.SpanKind, inside func(context.Context, trace.Span), attributes ...string) {
		moment = moment.Add(time.Second)
		var list []attribute.KeyValue
		for i := 0; i < len(attributes); i += 2 {
			list = append(list, attribute.String(attributes[i], attributes[i+1]))
		}
		ctx, s := tracer.Start(ctx, span, trace.WithTimestamp(moment), trace.WithSpanKind(kind), trace.WithAttributes(list...))
		if inside != nil {
			inside(ctx, s)
		}
		moment = moment.Add(time.Second)
		s.End(trace.WithTimestamp(moment))
	}
	do(t.Context(), "invoke_agent "+name, trace.SpanKindInternal, func(ctx context.Context, _ trace.Span) {
		do(ctx, "chat m", trace.SpanKindClient, nil, "gen_ai.operation.name", "chat",
			"gen_ai.input.messages", `[{"role":"user","parts":[{"type":"text","content":"a table for sk-1"}]}]`)
		do(ctx, "execute_tool find", trace.SpanKindInternal, nil, "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "find",
			"gen_ai.tool.call.arguments", `{"people":2}`)
		do(ctx, "execute_tool book", trace.SpanKindInternal, func(ctx context.Context, _ trace.Span) {
			do(ctx, "tools/call book", trace.SpanKindClient, nil, "mcp.method.name", "tools/call", "gen_ai.tool.name", "book", "server.address", "mcp.example.com")
		}, "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "book")
		do(ctx, "execute_tool pay", trace.SpanKindInternal, func(_ context.Context, s trace.Span) {
			s.SetStatus(codes.Error, "no card")
		}, "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "pay", "error.type", "timeout")
	}, "gen_ai.operation.name", "invoke_agent", "gen_ai.agent.name", name)
	if err := provider.Shutdown(t.Context()); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// journeys returns the steps of the world's journeys, by agent, each on a line.
func (p *person) journeys() map[string][]string {
	p.Helper()
	names, steps := map[string]string{}, map[string][]string{}
	for line := range strings.Lines(p.run("tail", "--from-start", "--follow=false", "--output", "ndjson")) {
		var e struct {
			Event string
			Data  struct {
				PlayerID string
				Player   struct{ AgentID, Name string }
				MCP      struct{ Name string }
				Role     string
				Text     string
				Journey  struct {
					Steps []struct {
						Type, Content, ToolName string
						Args, Result            json.RawMessage
					}
				}
			}
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			p.Fatal(err)
		}
		switch e.Event {
		case "world:player_added":
			names[e.Data.Player.AgentID] = e.Data.Player.Name
		case "world:mcp_registered":
			steps["servers"] = append(steps["servers"], e.Data.MCP.Name)
		case "world:interaction":
			steps["lines"] = append(steps["lines"], names[e.Data.PlayerID]+" "+e.Data.Role+": "+e.Data.Text)
		case "world:journey":
			for _, s := range e.Data.Journey.Steps {
				text := s.Content + s.ToolName
				if s.Type == "structure" {
					text += " " + string(s.Args) + string(s.Result)
				}
				name := names[e.Data.PlayerID]
				steps[name] = append(steps[name], text)
			}
		}
	}
	slices.Sort(steps["lines"])
	return steps
}

func TestGoExporters(t *testing.T) {
	p := &person{T: t, home: t.TempDir()}
	p.server = hostprocess.Start(t, hostprocess.Options{Args: []string{"--ephemeral"}}).URL()
	at, stop := p.startReceiver("--settle", "100ms")
	for name, exporter := range exporters(t, at) {
		work(t, name, exporter)
	}
	messages := stop(2)
	steps := []string{"A run of AGENT", "find {}", "book {}", `pay {}{"error":"timeout"}`, "Done after 3 tool calls"}
	want := map[string][]string{"servers": {"mcp.example.com"}}
	for _, name := range []string{"Ada", "Grace"} {
		want[name] = append([]string{strings.Replace(steps[0], "AGENT", name, 1)}, steps[1:]...)
	}
	if diff := cmp.Diff(want, p.journeys()); diff != "" {
		t.Errorf("%s\n%s", diff, messages)
	}
	// The next run finds the agents that this run created. A map file groups them, and
	// --content records the texts as well.
	text := "agents: [{match: '[AG]*', name: Ada}]\nservers: [{match: '*', drop: true}]\nredact: ['sk-[0-9]+']\n"
	if err := os.WriteFile(filepath.Join(p.home, "map.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	at, stop = p.startReceiver("--settle", "100ms", "--map", "map.yaml", "--content", "--max-agents", "1")
	for name, exporter := range exporters(t, at) {
		work(t, name, exporter)
	}
	messages = stop(2)
	second := []string{"a table for [redacted]", `find {"people":2}`, "book {}", `pay {}{"error":"no card"}`, "Done after 3 tool calls"}
	want["Ada"] = slices.Concat(want["Ada"], second, second)
	want["lines"] = []string{"Ada user: a table for [redacted]", "Ada user: a table for [redacted]"}
	if diff := cmp.Diff(want, p.journeys()); diff != "" {
		t.Errorf("%s\n%s", diff, messages)
	}
	if nodes := p.run("list-agent-nodes", "--jq", "[.. | .agentId? // empty] | length"); nodes != "2\n" {
		t.Errorf("the account has %s agents", strings.TrimSpace(nodes))
	}
}

// A run that is being recorded when the command is interrupted is still recorded, and so
// are the runs after it.
func TestInterruptLosesNoRuns(t *testing.T) {
	p := &person{T: t, home: t.TempDir()}
	p.server = hostprocess.Start(t, hostprocess.Options{Args: []string{"--ephemeral"}}).URL()
	at, stop := p.startReceiver("--settle", "100ms")
	for name, exporter := range exporters(t, at) {
		work(t, name, exporter)
	}
	messages := stop(1)
	recorded := p.journeys()
	for _, name := range []string{"Ada", "Grace"} {
		if len(recorded[name]) != 5 {
			t.Errorf("the journeys of %s are %q:\n%s", name, recorded[name], messages)
		}
	}
}

// Exporters can choose any names of agents: the number of created agents is limited.
func TestNumberOfAgentsIsLimited(t *testing.T) {
	p := &person{T: t, home: t.TempDir()}
	p.server = hostprocess.Start(t, hostprocess.Options{Args: []string{"--ephemeral"}}).URL()
	at, stop := p.startReceiver("--settle", "100ms", "--max-agents", "1")
	for name, exporter := range exporters(t, at) {
		work(t, name, exporter)
	}
	messages := stop(1)
	if n := strings.Count(messages, "is not put on the map: 1 agent is the limit, see --max-agents"); n != 1 {
		t.Errorf("the log states %d times that an agent is left out:\n%s", n, messages)
	}
	recorded := p.journeys()
	delete(recorded, "servers")
	if len(recorded) != 1 {
		t.Errorf("there are journeys of %v, want one agent", slices.Collect(maps.Keys(recorded)))
	}
	if nodes := p.run("list-agent-nodes", "--jq", "[.. | .agentId? // empty] | length"); nodes != "1\n" {
		t.Errorf("the account has %s agents", strings.TrimSpace(nodes))
	}
}

// If the account is only in the environment, neither the account nor a phrase of its
// agents is saved.
func TestAccountFromEnvironment(t *testing.T) {
	p := &person{T: t, home: t.TempDir()}
	p.server = hostprocess.Start(t, hostprocess.Options{Args: []string{"--ephemeral"}}).URL()
	p.run("create-main-node", "--phrase-file", "phrase")
	phrase, err := os.ReadFile(filepath.Join(p.home, "phrase"))
	if err != nil {
		t.Fatal(err)
	}
	id, key := p.run("whoami", "--jq", ".nodeId"), p.run("create-api-key", "--yes", "--show-api-key", "--jq", ".apiKey")
	p.home = t.TempDir()
	p.account = []string{"PLAYCTL_NODE_ID=" + strings.TrimSpace(id), "PLAYCTL_PHRASE=" + strings.TrimSpace(string(phrase)), "PLAYCTL_API_KEY=" + strings.TrimSpace(key)}
	agents := func() string { return p.run("list-agent-nodes", "--jq", "[.agents[] | {agentId, label, name}]") }
	want := map[string][]string{"servers": {"mcp.example.com"}}
	var first string
	for run := range 2 {
		at, stop := p.startReceiver("--settle", "100ms")
		exporter, err := otlptracehttp.New(t.Context(), otlptracehttp.WithEndpointURL(at.HTTP+"/v1/traces"))
		if err != nil {
			t.Fatal(err)
		}
		work(t, "Ada", exporter)
		messages := stop(1)
		want["Ada"] = append(want["Ada"], "A run of Ada", "find {}", "book {}", `pay {}{"error":"timeout"}`, "Done after 3 tool calls")
		if diff := cmp.Diff(want, p.journeys()); diff != "" {
			t.Fatalf("%s\n%s", diff, messages)
		}
		if run == 0 {
			first = agents()
		}
	}
	if again := agents(); again != first || !strings.Contains(first, `"Ada"`) {
		t.Errorf("the account has the agents %s, and then %s", first, again)
	}
	if found, err := os.ReadDir(p.home); err != nil || len(found) > 0 {
		t.Errorf("files were saved: %v: %v", found, err)
	}
}
