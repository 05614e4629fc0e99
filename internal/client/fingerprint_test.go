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

// certificate is a certificate with its key.
type certificate struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// createCertificate creates a certificate: one signed by an authority, or self-signed if there
// is none.
func createCertificate(t *testing.T, authority *certificate, change func(*x509.Certificate)) *certificate {
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
	return &certificate{cert, key}
}

// TestCertificateWithFingerprintIsTrusted requests the root key from hosts with certificates of
// every kind, trusting the one with the fingerprint.
func TestCertificateWithFingerprintIsTrusted(t *testing.T) {
	t.Parallel()
	authority := createCertificate(t, nil, func(c *x509.Certificate) { c.IsCA, c.KeyUsage = true, x509.KeyUsageCertSign })
	own := createCertificate(t, authority, func(*x509.Certificate) {})
	other := createCertificate(t, nil, func(*x509.Certificate) {})
	elsewhere := createCertificate(t, authority, func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"other.example.com"} })
	expired := createCertificate(t, authority, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) })
	forged := createCertificate(t, nil, func(*x509.Certificate) {})
	for name, c := range map[string]struct {
		shows []*certificate
		trust *certificate
		want  error
	}{
		"its own":                           {[]*certificate{own}, own, nil},
		"its own, self-signed":              {[]*certificate{other}, other, nil},
		"its own, for another name":         {[]*certificate{elsewhere}, elsewhere, nil},
		"its authority's":                   {[]*certificate{own, authority}, authority, nil},
		"another":                           {[]*certificate{other}, own, client.ErrFingerprint},
		"its authority's, for another name": {[]*certificate{elsewhere, authority}, authority, &tls.CertificateVerificationError{}},
		"its authority's, not a signer":     {[]*certificate{forged, authority}, authority, &tls.CertificateVerificationError{}},
		"another's, not a signer":           {[]*certificate{forged, own}, own, &tls.CertificateVerificationError{}},
		"its authority's, not sent":         {[]*certificate{own}, authority, client.ErrFingerprint},
		"its own, expired":                  {[]*certificate{expired}, expired, &tls.CertificateVerificationError{}},
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
				t.Error("a request was sent nevertheless")
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
