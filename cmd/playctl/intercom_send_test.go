package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/protocol"
)

// A question to an agent that is named by its id reads the map once, for its owner.
func TestQuestionReadsMapOnce(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	server, err := url.Parse(serveInProcess(t, home, "--no-repository"))
	if err != nil {
		t.Fatal(err)
	}
	var reads atomic.Int64
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		text, err := io.ReadAll(r.In.Body)
		if err != nil {
			t.Error(err)
		}
		if strings.Contains(string(text), string(protocol.OpGetWorldSnapshot)) {
			reads.Add(1)
		}
		r.Out.Body = io.NopCloser(bytes.NewReader(text))
		r.SetURL(server)
	}, ErrorHandler: func(http.ResponseWriter, *http.Request, error) {}}) // the caller is gone
	t.Cleanup(proxy.Close)
	t.Cleanup(proxy.CloseClientConnections)
	id := strings.Repeat("a", 64)
	for _, step := range []struct {
		args  []string
		code  int
		reads int64
	}{
		{[]string{"add-agent", id}, command.ExitDone, 0},
		{[]string{"intercom", "send", id, "Hello"}, command.ExitFailed, 1}, // no program answers
	} {
		reads.Store(0)
		var errs strings.Builder
		p := inProcess(home, map[string]string{"PLAYCTL_SERVER": proxy.URL}, step.args...)
		p.Stderr = &errs
		if code := run(t.Context(), p); code != step.code || step.reads > 0 && reads.Load() != step.reads {
			t.Errorf("%v: code %d, the map was read %d times: %s", step.args, code, reads.Load(), &errs)
		}
	}
}
