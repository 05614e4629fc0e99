package host

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// writeCertificate writes a self-signed certificate for loopback.
func writeCertificate(t *testing.T, certFile, keyFile string, serial int64) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "playctl test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{
		certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "PRIVATE KEY", Bytes: private},
	} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A renewed certificate is taken into use without a restart; one that cannot be
// read leaves the old one in use.
func TestCertificateReload(t *testing.T) {
	folder := t.TempDir()
	certFile, keyFile := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	writeCertificate(t, certFile, keyFile, 1)
	f := newFixture(t, func(s *setup) { s.host.CertFile, s.host.KeyFile = certFile, keyFile })
	f.serveTCP()
	if !strings.HasPrefix(f.host.URL(), "https://127.0.0.1:") {
		t.Errorf("the URL is %s", f.host.URL())
	}
	served := func() int64 {
		dialer := &tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // The test looks at the certificate itself.
		conn, err := dialer.DialContext(context.Background(), "tcp", f.host.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		secure, ok := conn.(*tls.Conn)
		if !ok {
			t.Fatalf("the connection is a %T", conn)
		}
		serial := secure.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		return serial
	}
	if got := served(); got != 1 {
		t.Fatalf("certificate %d is served, want 1", got)
	}
	writeCertificate(t, certFile, keyFile, 2)
	if err := f.host.Reload(); err != nil {
		t.Fatal(err)
	}
	if got := served(); got != 2 {
		t.Errorf("after the reload certificate %d is served, want 2", got)
	}
	if err := os.WriteFile(certFile, []byte("half a fi"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.host.Reload(); err == nil || !strings.Contains(err.Error(), certFile) {
		t.Errorf("a broken certificate: %v", err)
	}
	if got := served(); got != 2 {
		t.Errorf("after the failed reload certificate %d is served, want 2", got)
	}
}
