package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/command"
)

// A proxy that buffers whole responses never forwards the event stream.
func TestDoctorFindsBufferingProxy(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	server, err := url.Parse(serveInProcess(t, home))
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:      func(r *httputil.ProxyRequest) { r.SetURL(server) },
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) {}, // the caller is gone
		ModifyResponse: func(r *http.Response) error {
			body, err := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			return err
		},
	})
	defer proxy.Close()
	var out, messages strings.Builder
	p := inProcess(home, map[string]string{"PLAYCTL_SERVER": proxy.URL}, "create-main-node", "--keep-phrase")
	if code := run(t.Context(), p); code != command.ExitDone {
		t.Fatalf("create-main-node ended with %d", code)
	}
	p = inProcess(home, map[string]string{"PLAYCTL_SERVER": proxy.URL}, "doctor")
	p.Stdout, p.Stderr = &out, &messages
	if code := run(t.Context(), p); code != command.ExitFailed {
		t.Errorf("exit code %d: %s", code, &messages)
	}
	if !strings.Contains(out.String(), "a proxy is buffering it") || !strings.Contains(out.String(), "fix: turn off its buffering") {
		t.Errorf("doctor found:\n%s", &out)
	}
}
