package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/protocol"
)

// hostWithUnconfirmedDeletions returns a host beside two others that do not confirm
// deletions: a proxy adds the header that the host would send.
func hostWithUnconfirmedDeletions(t *testing.T, server string) string {
	t.Helper()
	target, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ModifyResponse: func(r *http.Response) error {
			if r.Request.Method == http.MethodDelete {
				r.Header.Set(protocol.HeaderUnconfirmed, "2")
			}
			return nil
		},
	})
	t.Cleanup(proxy.Close)
	t.Cleanup(proxy.CloseClientConnections)
	return proxy.URL
}

// After a deletion or a revocation, people and scripts learn that other hosts may still
// accept it. If all hosts have confirmed it, there is no message.
func TestUnconfirmedDeletionIsReported(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	server := serveInProcess(t, home, "--main-nodes-invite", "--watch-access", "token")
	late := hostWithUnconfirmedDeletions(t, server)
	ran := func(at string, args ...string) (out, errs string) {
		t.Helper()
		var o, e bytes.Buffer
		p := inProcess(home, map[string]string{"PLAYCTL_CONTEXT": "default", "PLAYCTL_SERVER": at}, args...)
		p.Stdout, p.Stderr = &o, &e
		if code := run(t.Context(), p); code != command.ExitDone {
			t.Fatalf("%v ended with %d: %s", args, code, e.String())
		}
		return o.String(), e.String()
	}
	const warning = "warning: 2 hosts of this world have not confirmed the deletion or replacement: until they do, they may accept old credentials\n"
	ran(server, "create-main-node", "--keep-phrase", "--context", "")
	for at, hosts := range map[string]string{late: "2\n", server: "null\n"} {
		ran(server, "create-agent-node", "ada", "--keep-phrase")
		ran(server, "key", "create", "ci", "--show-api-key")
		invitation, _ := ran(server, "invite", "--jq", ".id")
		ran(server, "watch", "--print")
		link, _ := ran(server, "watch", "list", "--jq", ".tokens[0].id")
		for _, args := range [][]string{
			{"delete-agent-node", "ada", "--yes"}, {"key", "revoke", "ci", "--yes"}, {"invite", "revoke", strings.TrimSpace(invitation), "--yes"},
			{"watch", "revoke", strings.TrimSpace(link), "--yes"},
		} {
			out, errs := ran(at, append(args, "--jq", ".unconfirmedHosts")...)
			if out != hosts || strings.Contains(errs, warning+"hint: the log at "+late) != (at == late) {
				t.Errorf("%v prints %q and the messages %q", args, out, errs)
			}
		}
	}
}
