package deploy_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// patience is the longest wait of a test for an immediate reply or event.
const patience = 60 * time.Second

// startProxy runs nginx with the configuration of this folder in front of hosts,
// and returns its URL and a client that trusts its certificate.
func startProxy(t *testing.T, hosts ...string) (string, *http.Client) {
	t.Helper()
	folder := t.TempDir()
	client := writeCertificate(t, folder)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	address := listener.Addr().String()
	// Each address of a name is a server with the same settings.
	const named = "server host:7420 fail_timeout=2s;"
	var servers strings.Builder
	for _, host := range hosts {
		servers.WriteString(strings.Replace(named, "host:7420", host, 1) + "\n")
	}
	site := replaceText(t, readText(t, "nginx/playctl.conf"),
		named, servers.String(), "listen 8443", "listen "+address, "/etc/nginx/tls", folder)
	must(t, os.WriteFile(filepath.Join(folder, "site.conf"), []byte(site), 0o600))
	// As it is mostly built, with what would hold events back turned on around it.
	main := fmt.Sprintf(`daemon off; worker_processes 1; pid %[1]s/pid; error_log stderr;
events {}
http {
  access_log off; gzip on; gzip_types *; proxy_buffering on;
  client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/fastcgi;
  uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;
  include %[1]s/site.conf;
}`, folder)
	if os.Getuid() == 0 {
		// The worker would become another user, who cannot read the test's folder.
		main = "user root root; " + main
	}
	conf := filepath.Join(folder, "nginx.conf")
	must(t, os.WriteFile(conf, []byte(main), 0o600))
	runProxy(t, conf, listener)
	return "https://" + address, client
}

// runProxy passes a listening socket to nginx, as nginx's own upgrades do, so that the
// test needs neither a guessed port nor a wait.
func runProxy(t *testing.T, conf string, listener net.Listener) {
	t.Helper()
	socket, err := listener.(*net.TCPListener).File()
	must(t, err)
	proxy := exec.CommandContext(context.Background(), "nginx", "-c", conf)
	proxy.Env = []string{"PATH=" + os.Getenv("PATH"), "NGINX=3;"}
	proxy.ExtraFiles = []*os.File{socket}
	var logs strings.Builder
	proxy.Stderr = &logs
	must(t, proxy.Start())
	must(t, socket.Close())
	must(t, listener.Close())
	t.Cleanup(func() {
		// One that ended already has reported why in its log.
		_ = proxy.Process.Signal(syscall.SIGTERM)
		if err := proxy.Wait(); err != nil || t.Failed() {
			t.Errorf("nginx: %v\n%s", err, logs.String())
		}
	})
}

// writeCertificate puts a certificate for 127.0.0.1 into a folder.
func writeCertificate(t *testing.T, folder string) *http.Client {
	t.Helper()
	made := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(made.Close)
	pair := made.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	must(t, err)
	for name, block := range map[string]pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: pair.Certificate[0]},
		"key.pem":  {Type: "PRIVATE KEY", Bytes: key},
	} {
		must(t, os.WriteFile(filepath.Join(folder, name), pem.EncodeToMemory(&block), 0o600))
	}
	return made.Client()
}

// call sends a request and returns the answer's status and body.
func call(t *testing.T, c *http.Client, method, url string, body []byte, headers ...string) (int, []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	must(t, err)
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			request.Host = headers[i+1]
		}
	}
	reply, err := c.Do(request)
	must(t, err)
	defer func() { _ = reply.Body.Close() }()
	text, err := io.ReadAll(reply.Body)
	must(t, err)
	return reply.StatusCode, text
}

// session requests the session of the world at a URL.
func session(t *testing.T, c *http.Client, url string) string {
	t.Helper()
	_, text := call(t, c, http.MethodGet, url+"/api/play/session", nil)
	var reply struct {
		SID string `json:"sid"`
	}
	must(t, json.Unmarshal(text, &reply))
	return reply.SID
}

// An event reaches a reader behind the proxy while its stream continues.
func TestProxyForwardsEvents(t *testing.T) {
	host := serve(t, []string{"HOME=" + t.TempDir()}, playctl, "serve", "--no-repository", "--ephemeral")
	url, client := startProxy(t, host.Listen)
	sid := session(t, client, url)

	lines := openStream(t, client, url, sid, "0")
	untilLine(t, lines, "id: ")
	register(t, client, url, sid, "ada")
	untilLine(t, lines, "event: world:player_added")
}

// untilLine reads a stream up to a line with a prefix, and returns the line.
func untilLine(t *testing.T, lines *bufio.Scanner, prefix string) string {
	t.Helper()
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), prefix) {
			return lines.Text()
		}
	}
	t.Fatalf("the stream ended before a line %q: %v", prefix, lines.Err())
	return ""
}

// The proxy refuses internal paths from outside, and forwards bodies up to the size
// that the host accepts.
func TestProxyForwardsPublicRequestsOnly(t *testing.T) {
	host := serve(t, []string{"HOME=" + t.TempDir()}, playctl, "serve", "--no-repository", "--ephemeral")
	url, client := startProxy(t, host.Listen)
	for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
		if status, _ := call(t, http.DefaultClient, http.MethodGet, host.URL+path, nil); status != http.StatusOK {
			t.Errorf("%s gives status %d inside", path, status)
		}
		if status, _ := call(t, client, http.MethodGet, url+path, nil); status != http.StatusNotFound {
			t.Errorf("%s gives status %d outside", path, status)
		}
	}
	rpc := url + "/api/play/sdk/rpc"
	full := []byte(`{"op":"getWorldSnapshot","payload":{},"more":"` + strings.Repeat("x", 1<<20-48) + `"}`)
	if status, text := call(t, client, http.MethodPost, rpc, full); len(full) != 1<<20 || status != http.StatusOK {
		t.Errorf("a body of %d bytes gives status %d: %s", len(full), status, text)
	}
	if status, _ := call(t, client, http.MethodPost, rpc, append(full, ' ')); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a longer body gives status %d", status)
	}
}

// A host with the compose file's settings and without credentials answers behind the
// proxy to its public name, but to no page of another origin.
func TestProxyRefusesPagesOfOtherOrigins(t *testing.T) {
	var file composeFile
	must(t, yaml.Unmarshal([]byte(readText(t, "compose.yaml")), &file))
	env := []string{"HOME=" + t.TempDir()}
	for variable, value := range file.Services["host"].Environment {
		if strings.HasPrefix(value, "${PLAY_URL:?") {
			value = "https://play.example.com"
		}
		// The proxy is in the network of the services there, and on this machine here.
		env = append(env, variable+"="+strings.Replace(value, file.Networks["inside"].IPAM.Config[0].Subnet, "127.0.0.0/8", 1))
	}
	host := serve(t, env, playctl, "serve", "--no-repository", "--ephemeral")
	url, client := startProxy(t, host.Listen)
	for name, want := range map[string]int{
		"play.example.com": http.StatusOK, "evil.example": http.StatusForbidden, strings.TrimPrefix(url, "https://"): http.StatusOK,
	} {
		if status, text := call(t, client, http.MethodGet, url+"/api/play/session", nil, "Host", name); status != want {
			t.Errorf("as %s the host gives status %d, want %d: %s", name, status, want, text)
		}
	}
	for origin, want := range map[string]int{"https://play.example.com": http.StatusOK, "https://evil.example": http.StatusForbidden} {
		if status, text := call(t, client, http.MethodGet, url+"/api/play/session", nil, "Host", "play.example.com", "Origin", origin); status != want {
			t.Errorf("a page of %s gets status %d, want %d: %s", origin, status, want, text)
		}
	}
}

// A client cannot choose the address that rate limits use.
func TestProxyForwardsClientAddress(t *testing.T) {
	host := serve(t, []string{"HOME=" + t.TempDir()}, playctl, "serve", "--no-repository", "--ephemeral",
		"--trusted-proxy", "127.0.0.1", "--rate-requests", "1")
	url, client := startProxy(t, host.Listen)
	limited := 0
	for range 20 {
		// The host believes this proxy, so without it the claim counts.
		if status, _ := call(t, http.DefaultClient, http.MethodGet, host.URL+"/api/play/session", nil, "X-Forwarded-For", "203.0.113.9"); status == http.StatusTooManyRequests {
			limited++
		}
		if status, _ := call(t, client, http.MethodGet, url+"/api/play/session", nil, "X-Forwarded-For", "203.0.113.10"); status != http.StatusOK {
			t.Fatalf("a claimed address is used: the status is %d", status)
		}
	}
	if limited == 0 {
		t.Error("no request was limited: the test proves nothing")
	}
}
