package host

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// TestWatchCookieOverTLS enters over a real TLS connection, as a browser with
// its own cookie jar.
func TestWatchCookieOverTLS(t *testing.T) {
	folder := t.TempDir()
	certFile, keyFile := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	writeCertificate(t, certFile, keyFile, 1)
	f := newFixture(t, func(s *setup) { s.host.CertFile, s.host.KeyFile = certFile, keyFile })
	f.serveTCP()
	base := f.host.URL()
	browser := browserTrusting(t, certFile)

	response := f.requestCookieOver(browser, base)
	header := response.Header.Get("Set-Cookie")
	port := base[strings.LastIndex(base, ":")+1:]
	if !strings.HasPrefix(header, "__Host-play_watch_"+port+"=") {
		t.Errorf("the cookie is %q", header)
	}
	for _, attribute := range []string{"; Path=/", "; HttpOnly", "; Secure", "; SameSite=Strict"} {
		if !strings.Contains(header, attribute) {
			t.Errorf("the cookie %q lacks %q", header, attribute)
		}
	}
	if strings.Contains(header, "Domain=") {
		t.Errorf("the cookie %q is for other hosts as well", header)
	}
	if page := f.sendAsPage(browser, http.MethodGet, base+"/play/watch", ""); page.Header.Get("Cross-Origin-Opener-Policy") != "same-origin" {
		t.Error("the page over TLS lacks its Cross-Origin-Opener-Policy")
	}
	session := f.sendAsPage(browser, http.MethodGet, base+protocol.ServicePlay.Session(), "")
	if session.StatusCode != http.StatusOK {
		t.Errorf("the cookie gets %s", session.Status)
	}
}

// browserTrusting returns a client with cookies that trusts one certificate.
func browserTrusting(t *testing.T, certFile string) *http.Client {
	t.Helper()
	certificate, err := os.ReadFile(certFile)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(certificate) {
		t.Fatal("the certificate cannot be read")
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Jar: jar, Transport: transport}
}

// requestCookieOver requests a cookie as the page does.
func (f *fixture) requestCookieOver(browser *http.Client, base string) *http.Response {
	f.t.Helper()
	response := f.sendAsPage(browser, http.MethodPost, base+protocol.ServicePlay.WatchSession(), "{}")
	if response.StatusCode != http.StatusOK {
		f.t.Fatalf("the page gets %s", response.Status)
	}
	return response
}

// sendAsPage sends a request as the page does and reads the reply, which must be valid
// if it claims to be JSON.
func (f *fixture) sendAsPage(browser *http.Client, method, target, body string) *http.Response {
	f.t.Helper()
	request, err := http.NewRequestWithContext(f.t.Context(), method, target, strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	if body != "" {
		request.Header.Set("Content-Type", protocol.MediaTypeJSON)
	}
	response, err := browser.Do(request)
	if err != nil {
		f.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if strings.HasPrefix(response.Header.Get("Content-Type"), protocol.MediaTypeJSON) {
		var reply any
		if err := json.NewDecoder(response.Body).Decode(&reply); err != nil {
			f.t.Errorf("%s: %v", target, err)
		}
	}
	return response
}
