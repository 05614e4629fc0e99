package client_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/client"
)

// issued is a certificate with its key.
type issued struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// issue creates a certificate: one signed by an authority, or self-signed if there
// is none.
func issue(t *testing.T, authority *issued, change func(*x509.Certificate)) *issued {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	change(template)
	parent, signer := template, key
	if authority != nil {
		parent, signer = authority.cert, authority.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &issued{cert, key}
}

// TestOneCertificateIsTrusted requests the root key from hosts with certificates of
// every kind, trusting the one with the fingerprint.
func TestOneCertificateIsTrusted(t *testing.T) {
	t.Parallel()
	authority := issue(t, nil, func(c *x509.Certificate) { c.IsCA, c.KeyUsage = true, x509.KeyUsageCertSign })
	own := issue(t, authority, func(*x509.Certificate) {})
	other := issue(t, nil, func(*x509.Certificate) {})
	elsewhere := issue(t, authority, func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"other.example.com"} })
	expired := issue(t, authority, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) })
	forged := issue(t, nil, func(*x509.Certificate) {})
	for name, c := range map[string]struct {
		shows []*issued
		trust *issued
		want  error
	}{
		"its own":                            {[]*issued{own}, own, nil},
		"its own, of no authority":           {[]*issued{other}, other, nil},
		"its own, for another name":          {[]*issued{elsewhere}, elsewhere, nil},
		"its authority's":                    {[]*issued{own, authority}, authority, nil},
		"another":                            {[]*issued{other}, own, client.ErrFingerprint},
		"its authority's, for another name":  {[]*issued{elsewhere, authority}, authority, &tls.CertificateVerificationError{}},
		"its authority's, sent along only":   {[]*issued{forged, authority}, authority, &tls.CertificateVerificationError{}},
		"another's, of that it is no signer": {[]*issued{forged, own}, own, &tls.CertificateVerificationError{}},
		"its authority's, which is not sent": {[]*issued{own}, authority, client.ErrFingerprint},
		"its own, which is over":             {[]*issued{expired}, expired, &tls.CertificateVerificationError{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := false
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				asked = true
				_, _ = w.Write([]byte(`{"rootKey":"root"}`))
			}))
			shown := tls.Certificate{PrivateKey: c.shows[0].key}
			for _, s := range c.shows {
				shown.Certificate = append(shown.Certificate, s.cert.Raw)
			}
			server.TLS = &tls.Config{Certificates: []tls.Certificate{shown}, MinVersion: tls.VersionTLS12}
			server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
			server.StartTLS()
			defer server.Close()
			caller, err := client.New(client.Options{BaseURL: server.URL, Fingerprint: client.Fingerprint(c.trust.cert)})
			if err != nil {
				t.Fatal(err)
			}
			defer caller.Close()
			_, err = caller.Bootstrap(context.Background())
			distrust := &tls.CertificateVerificationError{}
			switch {
			case c.want == nil && (err != nil || !asked || caller.Certificate() != client.Fingerprint(c.trust.cert)):
				t.Errorf("the host is not trusted: %v", err)
			case errors.As(c.want, &distrust) && !errors.As(err, &distrust),
				errors.Is(c.want, client.ErrFingerprint) && !errors.Is(err, client.ErrFingerprint):
				t.Errorf("the error is %v, want %T", err, c.want)
			case c.want != nil && asked:
				t.Error("a request was sent all the same")
			}
		})
	}
	for _, bad := range []client.Options{
		{BaseURL: "http://127.0.0.1:1", Fingerprint: strings.Repeat("0", 64)},
		{BaseURL: "https://127.0.0.1:1", Fingerprint: "0"},
		{BaseURL: "https://127.0.0.1:1", Fingerprint: strings.Repeat("0", 64), Transport: http.DefaultTransport},
	} {
		if _, err := client.New(bad); err == nil {
			t.Errorf("%s with the fingerprint %q is no error", bad.BaseURL, bad.Fingerprint)
		}
	}
}
