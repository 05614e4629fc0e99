package mcp_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	sdkmcp "github.com/modelcontextprotocol/go-sdk/mcp"
)

// bearer shows a token with every request, and names a host and an origin.
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

func TestHTTPTakesOnlyWhoMayCall(t *testing.T) {
	f := newFixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	out, printed := io.Pipe()
	var running sync.WaitGroup
	running.Go(func() {
		f.run(ctx, strings.NewReader(""), printed, io.Discard, "mcp", "--http", "127.0.0.1:0", "--token-file", "token", "--output", "json", "--jq", ".url")
		_ = printed.Close()
	})
	defer running.Wait()
	defer cancel()
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url = strings.Trim(strings.TrimSpace(url), `"`)
	file := filepath.Join(f.home, "token")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the token's file: %v %v", info, err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	token := strings.TrimSpace(string(text))
	client := sdkmcp.NewClient(&sdkmcp.Implementation{Name: "test", Version: "1"}, nil)
	connect := func(b bearer) (*sdkmcp.ClientSession, error) {
		return client.Connect(t.Context(), &sdkmcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: b}, MaxRetries: -1}, nil)
	}
	for name, b := range map[string]bearer{
		"another token": {token: "guess"}, "another host": {token: token, host: "example.com"}, "a page elsewhere": {token: token, origin: "https://example.com"},
	} {
		if session, err := connect(b); err == nil {
			t.Errorf("%s is taken", name)
			_ = session.Close()
		}
	}
	for range 2 { // a client that comes back is as welcome as the first time
		session, err := connect(bearer{token: token})
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
