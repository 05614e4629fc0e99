package otel

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/otel"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
	"github.com/playctl/playctl/test/hostprocess"
)

// If a host once refuses an agent's new tools, the next run sends them again.
func TestRefusedToolsAreShownLater(t *testing.T) {
	t.Parallel()
	host, err := url.Parse(hostprocess.Start(t, hostprocess.Options{Args: []string{"--ephemeral", "--no-repository"}}).URL())
	if err != nil {
		t.Fatal(err)
	}
	var refuses atomic.Bool
	var row atomic.Value // the body of the last registration that was forwarded
	through := &http.Transport{}
	defer through.CloseIdleConnections()
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(host) }, Transport: through, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/players") {
			text, err := io.ReadAll(r.Body)
			if refuses.Load() || err != nil {
				w.WriteHeader(http.StatusForbidden)
				_, _ = io.WriteString(w, `{"error":"not now","code":"forbidden"}`)
				return
			}
			row.Store(string(text))
			r.Body = io.NopCloser(bytes.NewReader(text))
		}
		proxy.ServeHTTP(w, r)
	}))
	defer server.Close()
	world, err := sdk.New(sdk.Options{BaseURL: server.URL, NoAPIKey: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := world.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	var warnings bytes.Buffer
	program := &command.Program{Stderr: &warnings, LookupEnv: func(string) (string, bool) { return "", false }, Now: time.Now}
	s := &sink{
		app: &command.App{Program: program}, caller: &command.Caller{Service: protocol.ServicePlay}, world: world, most: 1,
		agents: map[string]*shown{}, servers: map[otel.Server]bool{}, refused: map[string]bool{},
	}
	for _, step := range []struct {
		refuses bool
		tools   []string
		want    []string
	}{
		{false, []string{"find"}, []string{"find"}},
		{true, []string{"find", "book"}, []string{"find"}},
		{true, []string{"find"}, []string{"find"}},
		{false, []string{"find", "book"}, []string{"find", "book"}},
	} {
		refuses.Store(step.refuses)
		agent, err := s.agent(t.Context(), &otel.Run{Agent: "Ada", Tools: step.tools})
		if err != nil || agent == nil {
			t.Fatalf("with %q: %v", step.tools, err)
		}
		sent, _ := row.Load().(string)
		shown := slices.DeleteFunc([]string{"find", "book"}, func(tool string) bool { return !strings.Contains(sent, `"`+tool+`"`) })
		if !slices.Equal(shown, step.want) {
			t.Errorf("with %q the row has %q, want %q", step.tools, shown, step.want)
		}
	}
	if n := strings.Count(warnings.String(), "the new tools of Ada are not on the map"); n != 1 {
		t.Errorf("the log states %d times that tools are missing:\n%s", n, &warnings)
	}
}

// Runs that the host did not take before the time was over are one warning, which counts
// them.
func TestLateRunsAreCounted(t *testing.T) {
	t.Parallel()
	var warnings bytes.Buffer
	program := &command.Program{Stderr: &warnings, LookupEnv: func(string) (string, bool) { return "", false }, Now: time.Now}
	world, err := sdk.New(sdk.Options{BaseURL: "http://127.0.0.1:1", NoAPIKey: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	s := &sink{app: &command.App{Program: program}, caller: &command.Caller{Service: protocol.ServicePlay}, world: world, most: 2, agents: map[string]*shown{}, refused: map[string]bool{}}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range []string{"Ada", "Grace"} {
		s.record(over, &otel.Run{Agent: name})
	}
	s.warnLate()
	if got, want := warnings.String(), "warning: 2 runs were not recorded: the host did not take them within 10s of the end\n"; got != want {
		t.Errorf("the warnings are %q, want %q", got, want)
	}
}
