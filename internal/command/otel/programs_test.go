package otel

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/test/hostprocess"
)

// send sends a request in JSON under the name of a host.
func (p *person) send(at listening, host string, body []byte) {
	p.Helper()
	request, err := http.NewRequestWithContext(p.Context(), http.MethodPost, at.HTTP+"/v1/traces", bytes.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Host = host
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		p.Fatal(err)
	}
	_ = reply.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if reply.StatusCode != http.StatusOK {
		p.Errorf("%s: %d", host, reply.StatusCode)
	}
}

// modelOnly is a request of a program that traces its models only.
const modelOnly = `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"bot"}}]},"scopeSpans":[{"spans":[{
	"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0102030405060708","name":"chat m","startTimeUnixNano":"1790000000000000000","endTimeUnixNano":"1790000001000000000",
	"attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}}]}]}]}]}`

// Claude Code and its subagent arrive, and a program that shows nobody is named once, with
// the reason.
func TestProgramsArrive(t *testing.T) {
	p := &person{T: t, home: t.TempDir()}
	p.server = hostprocess.Start(t, hostprocess.Options{Args: []string{"--ephemeral"}}).URL()
	at, stop := p.startReceiver("--settle", "100ms", "--allow-host", "host.docker.internal")
	claude, err := os.ReadFile(filepath.Join("..", "..", "otel", "testdata", "programs", "claude-code-subagent.json"))
	if err != nil {
		t.Fatal(err)
	}
	p.send(at, "host.docker.internal:4318", claude)
	p.send(at, "127.0.0.1", []byte(modelOnly))
	p.send(at, "127.0.0.1", []byte(strings.ReplaceAll(modelOnly, "0102030405060708090a0b0c0d0e0f10", "AQIDBAUGBwgJCgsMDQ4PEA==")))
	messages := stop(2)
	want := map[string][]string{
		"claude-code":          {"A run of claude-code", "Bash {}", `Read {}{"error":"failed"}`, "Agent {}", "Done after 3 tool calls"},
		"claude-code subagent": {"A run of claude-code subagent", "Bash {}", "Done after 1 tool call"},
	}
	got := p.journeys()
	delete(got, "lines")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s\n%s", diff, messages)
	}
	for _, message := range []string{`spans of "bot" are about models only`, "--as-agent", `spans of "bot" were rejected, because their ids are in base64`} {
		if strings.Count(messages, message) != 1 {
			t.Errorf("the log does not say once %q:\n%s", message, messages)
		}
	}
	at, stop = p.startReceiver("--settle", "100ms", "--as-agent")
	p.send(at, "127.0.0.1", []byte(modelOnly))
	stop(1)
	if diff := cmp.Diff([]string{"A run of bot", "Done after 0 tool calls"}, p.journeys()["bot"]); diff != "" {
		t.Error(diff)
	}
}
