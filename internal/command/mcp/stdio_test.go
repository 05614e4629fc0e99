package mcp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// wire is a client that sends whole lines, and reads the server's.
type wire struct {
	*fixture
	in      io.WriteCloser
	answers *bufio.Scanner
	ended   func()
}

// wire starts the server with the given version of the protocol.
func (f *fixture) wire(version string, args ...string) *wire {
	f.Helper()
	toServer, fromServer, running := f.start(args...)
	w := &wire{fixture: f, in: toServer, answers: bufio.NewScanner(fromServer)}
	w.answers.Buffer(nil, 64<<20)
	w.ended = func() {
		_ = toServer.Close()
		for w.answers.Scan() {
			f.Errorf("the client was sent %.200s", w.answers.Text())
		}
		running.Wait()
	}
	if version != "" {
		w.send(hello(version))
		w.expect(`"protocolVersion":"` + version + `"`)
		w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	return w
}

func hello(version string) string {
	return `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
}

func (w *wire) send(text string) {
	w.Helper()
	if _, err := io.WriteString(w.in, text+"\n"); err != nil {
		w.Fatalf("%.200s: %v", text, err)
	}
}

// expect reads a line, which contains some texts.
func (w *wire) expect(texts ...string) string {
	w.Helper()
	if !w.answers.Scan() {
		w.Fatalf("no answer, want %.200s", texts)
	}
	for _, text := range texts {
		if !strings.Contains(w.answers.Text(), text) {
			w.Errorf("the answer is %.500s, want %.200s", w.answers.Text(), text)
		}
	}
	return w.answers.Text()
}

// expectAll reads as many lines as there are texts, each of which a line of its own
// contains: requests that are sent together may be answered in any order.
func (w *wire) expectAll(texts []string) {
	w.Helper()
	left := slices.Clone(texts)
	for range texts {
		answer := w.expect()
		i := slices.IndexFunc(left, func(text string) bool { return strings.Contains(answer, text) })
		if i < 0 {
			w.Errorf("the answer is %.500s, want one of %.200s", answer, left)
			continue
		}
		left = slices.Delete(left, i, i+1)
	}
}

// Whatever a client sends, each request is answered with its own id, and the session
// continues.
func TestEveryRequestIsAnswered(t *testing.T) {
	t.Parallel()
	w := newFixture(t).wire("2025-11-25", "--read-only")
	ping := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }
	failed := func(id string, code int) string { return fmt.Sprintf(`"id":%s,"error":{"code":%d`, id, code) }
	done := func(id string) string { return `"id":` + id + `,"result":` }
	long := strings.Repeat("long ", 20000)
	deep := strings.Repeat("[", 20000) + strings.Repeat("]", 20000)
	for _, step := range []struct {
		sent string
		want []string
	}{
		{"this is not JSON", []string{failed("null", -32700)}},
		{`{"jsonrpc":`, []string{failed("null", -32700)}},
		{`{"jsonrpc":"2.0","id":7,"method":"ping"`, []string{failed("7", -32700)}},
		{"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"p\x00\"}", []string{failed("7", -32700)}},
		{"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":{\"a\":\"\xff\"}}", []string{failed("7", -32700)}},
		{"\r\n \t\r\n" + ping("1") + "\r", []string{done("1")}},
		{ping("1") + ping("2") + " " + ping("3"), []string{done("1"), done("2"), done("3")}},
		{ping("1") + " {}", []string{failed("null", -32600), done("1")}},
		{"\ufeff" + ping("1"), []string{done("1")}},
		{ping("1.5"), []string{done("1.5")}},
		{ping("9007199254740993"), []string{done("9007199254740993")}},
		{ping("-1e400"), []string{done("-1e400")}},
		{ping(`"<a> \u0041 \ud800 ä"`), []string{done(`"<a> \u0041 \ud800 ä"`)}},
		{ping(`""`), []string{done(`""`)}},
		{ping(`"` + long + `"`), []string{done(`"` + long + `"`)}},
		{ping("null"), []string{failed("null", -32600)}},
		{ping(`{"n":1}`), []string{failed("null", -32600)}},
		{ping(`[1]`), []string{failed("null", -32600)}},
		{ping("true"), []string{failed("null", -32600)}},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}`, []string{done("1")}},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}`, []string{failed("1", -32600)}},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["list_agents"]}`, []string{failed("1", -32602)}},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no_tool"}}`, []string{failed("1", -32602)}},
		{`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"delegate"}}`, []string{failed("1", -32602)}},
		{`{"jsonrpc":"2.0","id":1,"method":"no/method"}`, []string{failed("1", -32601)}},
		{`{"jsonrpc":"2.0","id":1,"method":7}`, []string{failed("1", -32600)}},
		{`{"jsonrpc":"2.0","id":1}`, []string{failed("1", -32600)}},
		{`{"id":1,"method":"ping"}`, []string{failed("1", -32600)}},
		{`{"jsonrpc":"1.0","id":1,"method":"ping"}`, []string{failed("1", -32600)}},
		{`{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}`, []string{failed("1", -32600)}},
		{hello("2025-11-25"), []string{`"id":"hello"`}},
		{`7`, []string{failed("null", -32600)}},
		{`[]`, []string{failed("null", -32600)}},
		{deep, []string{failed("null", -32700)}},
		{"[" + ping("1") + `,{"jsonrpc":"2.0","method":"x"},` + ping("2") + "]", []string{failed("1", -32600), failed("2", -32600)}},
		{`[{"jsonrpc":"2.0","method":"x"}]`, []string{failed("null", -32600)}},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"long":"` + strings.Repeat("x", 12<<20) + `"}}`, []string{done("1")}},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"long":"` + strings.Repeat("x", 17<<20) + `"}}`, []string{failed("1", -32600)}},
		{strings.Repeat(" ", 17<<20) + ping("1"), []string{failed("null", -32600)}},
		{`{"jsonrpc":"2.0","method":"no/notification"}`, nil},
		{`{"jsonrpc":"2.0","id":null,"method":"notifications/roots/list_changed"}`, nil},
		{`{"jsonrpc":"2.0","id":99,"result":{}}`, nil},
		{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}`, nil},
		{`{"jsonrpc":"2.0","method":"notifications/cancelled"}`, nil},
		{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"n":1}}}`, nil},
		{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, nil},
	} {
		w.send(step.sent)
		w.expectAll(step.want)
		w.send(ping(`"next"`))
		w.expect(done(`"next"`))
	}
	w.ended()
}

// A canceled request is not answered, and two requests with one id are both answered.
func TestRequestsAreCanceled(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	defer close(f.release)
	w := f.wire("2025-06-18")
	asked := f.forwarded()
	ask := `{"jsonrpc":"2.0","id":"\u0061","method":"tools/call","params":{"name":"ask_agent","arguments":{"agent":"Grace","tool":"assist_wait"}}}`
	w.send(ask)
	<-asked
	w.send(`{"jsonrpc":"2.0","id":"a","method":"ping"}`)
	w.expect(`"id":"a","result":{}`)
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`)
	<-f.ended // the server no longer waits for the answer
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`)
	w.send(`{"jsonrpc":"2.0","id":"a","method":"ping"}`)
	w.expect(`"id":"a","result":{}`)
	w.ended()
}

// In the newest protocol, notifications name the request that subscribed to them.
func TestSubscriptionHasIDOfItsRequest(t *testing.T) {
	t.Parallel()
	w := newFixture(t).wire("", "--read-only")
	w.send(`{"jsonrpc":"2.0","id":"mine","method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["playctl://world"]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`)
	w.expect(`notifications/subscriptions/acknowledged`, `"io.modelcontextprotocol/subscriptionId":"mine"`)
	w.ended()
}

// Clients of the versions with batches get a list of answers.
func TestBatches(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	defer close(f.release)
	w := f.wire("2025-03-26")
	w.send(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},7,{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2.5,"method":"no"}]`)
	var answers []struct {
		ID    json.RawMessage
		Error struct{ Code int }
	}
	if err := json.Unmarshal([]byte(w.expect()), &answers); err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, answer := range answers {
		got[fmt.Sprintf("%s %d", answer.ID, answer.Error.Code)]++
	}
	if len(answers) != 4 || got["1 0"] != 2 || got["null -32600"] != 1 || got["2.5 -32601"] != 1 {
		t.Errorf("the answers are %+v", answers)
	}
	w.send(`[{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":5,"result":{}}]`)
	asked := f.forwarded()
	w.send(`[{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"ask_agent","arguments":{"agent":"Grace","tool":"assist_wait"}}},{"jsonrpc":"2.0","id":4,"method":"ping"}]`)
	<-asked
	w.send(`[{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}]`)
	w.expect(`[{"jsonrpc":"2.0","id":4,"result":{}}]`)
	w.ended()
}

// A client that closes its side after the last request gets the answer.
func TestLastRequestIsAnswered(t *testing.T) {
	t.Parallel()
	w := newFixture(t).wire("2024-11-05", "--read-only")
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_agents"}}`)
	if err := w.in.Close(); err != nil {
		t.Fatal(err)
	}
	w.expect(`"id":1,"result"`, "Grace")
	w.ended()
}

// Windows writes UTF-16 after a byte order mark.
func TestUTF16(t *testing.T) {
	t.Parallel()
	w := newFixture(t).wire("", "--read-only")
	var text []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + hello("2025-06-18") + "\n")) {
		text = append(text, byte(unit), byte(unit>>8))
	}
	if _, err := w.in.Write(text); err != nil {
		t.Fatal(err)
	}
	w.expect(`"id":"hello","result"`)
	w.ended()
}
