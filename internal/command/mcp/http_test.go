package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	sdkmcp "github.com/modelcontextprotocol/go-sdk/mcp"
)

// bearer sends a token with every request, and sets the host and the origin.
type bearer struct{ token, host, origin string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	if b.host != "" {
		r.Host = b.host
	}
	if b.origin != "" {
		r.Header.Set("Origin", b.origin)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// serve runs the server over HTTP until the test ends, and returns its address and token.
func (f *fixture) serve(args ...string) (address, token string) {
	f.Helper()
	ctx, cancel := context.WithCancel(f.Context())
	out, printed := io.Pipe()
	var running sync.WaitGroup
	running.Go(func() {
		args := append([]string{"mcp", "--http", ":0", "--token-file", "token", "--output", "json", "--jq", ".url"}, args...)
		f.run(ctx, strings.NewReader(""), printed, io.Discard, args...)
		_ = printed.Close()
	})
	f.Cleanup(func() {
		cancel()
		running.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		f.Fatal(err)
	}
	file := filepath.Join(f.home, "token")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		f.Errorf("the token's file: %v %v", info, err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		f.Fatal(err)
	}
	return strings.Trim(strings.TrimSpace(address), `"`), strings.TrimSpace(string(text))
}

func TestHTTPRefusesUnauthorizedCalls(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	address, token := f.serve("--allow-host", "World.example.com")
	if !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Errorf("without a host in its address it listens at %s", address)
	}
	client := sdkmcp.NewClient(&sdkmcp.Implementation{Name: "test", Version: "1"}, nil)
	connect := func(b bearer) (*sdkmcp.ClientSession, error) {
		return client.Connect(t.Context(), &sdkmcp.StreamableClientTransport{Endpoint: address, HTTPClient: &http.Client{Transport: b}, MaxRetries: -1}, nil)
	}
	for name, b := range map[string]bearer{
		"another token": {token: "guess"}, "another host": {token: token, host: "example.com"}, "a page elsewhere": {token: token, origin: "https://example.com"},
	} {
		if session, err := connect(b); err == nil {
			t.Errorf("%s is accepted", name)
			_ = session.Close()
		}
	}
	// A client may connect again, also through a proxy.
	for _, b := range []bearer{{token: token}, {token: token}, {token: token, host: "world.example.com"}} {
		session, err := connect(b)
		if err != nil {
			t.Fatal(err)
		}
		var agents []any
		call(t, session, "list_agents", map[string]any{}, &agents)
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}
}

// tcpProxy forwards connections to an address, until they are cut.
type tcpProxy struct {
	net.Listener
	mu   sync.Mutex
	open []net.Conn
}

func (f *fixture) tcpProxy(address string) *tcpProxy {
	f.Helper()
	listener, err := (&net.ListenConfig{}).Listen(f.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		f.Fatal(err)
	}
	b := &tcpProxy{Listener: listener}
	var passing sync.WaitGroup
	passing.Go(func() {
		for near, err := listener.Accept(); err == nil; near, err = listener.Accept() {
			far, err := (&net.Dialer{}).DialContext(f.Context(), "tcp", address)
			if err != nil {
				_ = near.Close()
				continue
			}
			b.mu.Lock()
			b.open = append(b.open, near, far)
			b.mu.Unlock()
			for _, pair := range [][2]net.Conn{{near, far}, {far, near}} {
				passing.Go(func() {
					_, _ = io.Copy(pair[0], pair[1])
					_ = pair[0].Close()
				})
			}
		}
	})
	f.Cleanup(func() {
		_ = listener.Close()
		b.cut()
		passing.Wait()
	})
	return b
}

func (b *tcpProxy) cut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, connection := range b.open {
		_ = connection.Close()
	}
	b.open = nil
}

// watched calls answering when a client has read the first event of the answer to a tool
// call: only such an answer can be resumed.
type watched struct {
	http.RoundTripper
	answering func()
}

func (w watched) RoundTrip(r *http.Request) (*http.Response, error) {
	var asked []byte
	if r.GetBody != nil {
		if body, err := r.GetBody(); err == nil {
			asked, _ = io.ReadAll(body)
		}
	}
	response, err := w.RoundTripper.RoundTrip(r)
	if err == nil && bytes.Contains(asked, []byte(`"tools/call"`)) {
		response.Body = &watchedBody{ReadCloser: response.Body, answering: w.answering}
	}
	return response, err
}

type watchedBody struct {
	io.ReadCloser
	answering func()
	read      []byte
}

func (b *watchedBody) Read(p []byte) (int, error) {
	if bytes.Contains(b.read, []byte("\n\n")) {
		b.answering()
	}
	n, err := b.ReadCloser.Read(p)
	b.read = append(b.read, p[:n]...)
	return n, err
}

// A client that reconnects receives the answer from the time without a connection.
func TestHTTPResumes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	address, token := f.serve()
	parts, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	b := f.tcpProxy(parts.Host)
	reading, answering := context.WithCancel(t.Context())
	defer answering()
	client := sdkmcp.NewClient(&sdkmcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdkmcp.StreamableClientTransport{
		Endpoint: "http://" + b.Addr().String() + parts.Path, HTTPClient: &http.Client{Transport: watched{RoundTripper: bearer{token: token}, answering: answering}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	asked := f.forwarded()
	var cutting sync.WaitGroup
	cutting.Go(func() {
		<-asked
		<-reading.Done()
		b.cut()
		close(f.release)
	})
	var answer struct{ Message string }
	call(t, session, "ask_agent", map[string]any{"agent": "Grace", "tool": "assist_wait"}, &answer)
	if answer.Message != "You said: " {
		t.Errorf("the answer is %+v", answer)
	}
	cutting.Wait()
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}

// Without a host it starts as well, with the version of the build, and calls say what is
// missing.
func TestHTTPStartsWithoutHost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.env["PLAYCTL_SERVER"] = "http://127.0.0.1:1"
	f.version = "1.2.3"
	address, token := f.serve("--read-only", "--timeout", "1s")
	client := sdkmcp.NewClient(&sdkmcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdkmcp.StreamableClientTransport{Endpoint: address, HTTPClient: &http.Client{Transport: bearer{token: token}}, MaxRetries: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := session.InitializeResult().ServerInfo.Version; got != "1.2.3" {
		t.Errorf("the server has the version %q", got)
	}
	if text := refusal(t, session, "list_agents", nil); !strings.Contains(text, "is the host running?") {
		t.Errorf("a call says %q", text)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}

// post sends a message in a session, or ends it without one, and returns the answer with the id of its session.
func post(t *testing.T, address, token, session, text string) (answer, newSession string) {
	t.Helper()
	method := http.MethodPost
	if text == "" {
		method = http.MethodDelete
	}
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	response, err := bearer{token: token}.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return response.Status + " " + string(body), response.Header.Get("Mcp-Session-Id")
}

// Over HTTP as well, ids come back as they were, after a byte order mark too, and to
// clients that do not say what they accept.
func TestHTTPKeepsIDs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	address, token := f.serve("--read-only")
	answer, session := post(t, address, token, "", "\ufeff"+strings.Replace(hello("2025-06-18"), `"hello"`, "1.5", 1))
	if !strings.Contains(answer, `data: {"jsonrpc":"2.0","id":1.5,"result"`) {
		t.Fatalf("the answer is %s", answer)
	}
	for _, id := range []string{"7", "-7", "-0", "2.50", "1e3", "9007199254740993", "18446744073709551615", `"a"`, `""`} {
		answer, _ := post(t, address, token, session, `{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`)
		if !strings.Contains(answer, `data: {"jsonrpc":"2.0","id":`+id+`,"result":{}}`) {
			t.Errorf("%s: the answer is %s", id, answer)
		}
	}
	waiting := make(chan string, 1)
	go func() {
		answer, _ := post(t, address, token, session, `{"jsonrpc":"2.0","id":0.5,"method":"tools/call","params":{"name":"wait_for_event","arguments":{"timeoutSeconds":600}}}`)
		waiting <- answer
	}()
	// The request may arrive after a cancellation.
	for {
		post(t, address, token, session, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0.5}}`)
		select {
		case answer := <-waiting:
			if !strings.Contains(answer, `"id":0.5,`) {
				t.Errorf("the canceled request has the answer %s", answer)
			}
			post(t, address, token, session, "")
			return
		default:
		}
	}
}
