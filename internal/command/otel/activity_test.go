package otel

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/hostprocess"
)

// spanOf is a span in JSON, with attributes of the conventions for generative AI.
func spanOf(trace, id, parent, name, more string) []byte {
	return fmt.Appendf(nil, `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},"scopeSpans":[{"spans":[{
		"traceId":"0102030405060708090a0b0c0d0e0f%s","spanId":"01020304050607%s","parentSpanId":"%s","name":"%s",
		"startTimeUnixNano":"1790000000000000000","endTimeUnixNano":"1790000001000000000",
		"attributes":[{"key":"gen_ai.agent.name","value":{"stringValue":"Ada"}},{"key":"gen_ai.usage.input_tokens","value":{"intValue":"12"}}]%s}]}]}]}`,
		trace, id, parent, name, more)
}

// A run arrives with its end, the calls of the next before theirs: the row says what the
// agent does, and what the run used.
func TestTracesShowWhatAgentsDo(t *testing.T) {
	p := &person{T: t, home: t.TempDir()}
	p.server = hostprocess.Start(t, hostprocess.Options{Args: []string{"--ephemeral"}}).URL()
	at, stop := p.startReceiver("--settle", "50ms")
	p.send(at, "127.0.0.1", spanOf("01", "01", "", "invoke_agent Ada", ""))
	activities := p.activities()
	usage := func(calls float64) *protocol.Usage {
		none, used := 0.0, 12.0
		return &protocol.Usage{InputTokens: &used, ToolCalls: &calls, Errors: &none}
	}
	want := func(activity protocol.Activity) {
		t.Helper()
		got := <-activities
		got.Since = ""
		if diff := cmp.Diff(activity, got); diff != "" {
			t.Fatal(diff)
		}
	}
	want(protocol.Activity{State: protocol.ActivityDone, Usage: usage(0)})
	p.send(at, "127.0.0.1", spanOf("02", "02", "0102030405060701", "execute_tool search", ""))
	want(protocol.Activity{State: protocol.ActivityWorking})
	p.send(at, "127.0.0.1", spanOf("02", "01", "", "invoke_agent Ada", `,"status":{"code":2,"message":"no answer from db.example.com"}`))
	want(protocol.Activity{State: protocol.ActivityFailed, Usage: usage(1)})
	// The run turns out to be another agent's.
	p.send(at, "127.0.0.1", spanOf("03", "02", "0102030405060701", "execute_tool search", ""))
	want(protocol.Activity{State: protocol.ActivityWorking})
	p.send(at, "127.0.0.1", bytes.ReplaceAll(spanOf("03", "01", "", "invoke_agent Ada", ""), []byte("Ada"), []byte("Bob")))
	seen := []string{(<-activities).State, (<-activities).State}
	slices.Sort(seen)
	if !slices.Equal(seen, []string{protocol.ActivityDone, protocol.ActivityIdle}) {
		t.Errorf("then the agents are %q", seen)
	}
	stop(3)
}

// activities returns the activities that the host reports, from its first event on, until
// the test ends.
func (p *person) activities() <-chan protocol.Activity {
	p.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(p.Context()))
	cmd := p.command(ctx, "tail", "--from-start", "--output", "ndjson")
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.Fatal(err)
	}
	found, read := make(chan protocol.Activity, 16), make(chan struct{})
	p.Cleanup(func() {
		cancel()
		<-read
		_ = cmd.Wait()
	})
	go func() {
		defer close(read)
		defer close(found)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var e struct {
				Event protocol.EventKind
				Data  struct{ Activity protocol.Activity }
			}
			if json.Unmarshal(lines.Bytes(), &e) == nil && e.Event == protocol.EventActivity {
				found <- e.Data.Activity
			}
		}
		_, _ = io.Copy(io.Discard, out)
	}()
	return found
}
