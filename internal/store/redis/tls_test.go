package redis_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/test/port"
	"github.com/playctl/playctl/test/redistest"
	"github.com/playctl/playctl/test/storetest"
)

// certificate writes a self-signed certificate for 127.0.0.1, and its key, to
// files.
func certificate(t *testing.T) (pool *x509.CertPool, certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	pool = x509.NewCertPool()
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool.AddCert(cert)
	return pool, write("cert", "CERTIFICATE", der), write("key", "PRIVATE KEY", secret)
}

// startTLS starts a server that also accepts TLS at an address.
func startTLS(t *testing.T, cert, key string, args ...string) (server *redistest.Server, address string) {
	t.Helper()
	address = port.Keep(t)
	_, number, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	return redistest.Start(t, append([]string{
		"--tls-port", number, "--tls-cert-file", cert, "--tls-key-file", key,
		"--tls-ca-cert-file", cert, "--tls-auth-clients", "no",
	}, args...)...), address
}

func TestTLS(t *testing.T) {
	pool, cert, key := certificate(t)
	_, address := startTLS(t, cert, key)
	o := at(t, "rediss://"+address)
	if _, err := redis.Open(context.Background(), o); err == nil {
		t.Error("a certificate of an unknown authority was accepted")
	}
	o.TLS = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	j := open(t, o)
	var feed storetest.Feed
	commit(t, j, batch(&feed, store.Tip{}, 1))
	for entries, err := range j.Follow(t.Context(), store.Tip{}) {
		if err != nil || len(entries) != 1 {
			t.Fatalf("Follow: %v, %v", entries, err)
		}
		break
	}
}

// TestRestartUnderTLS restarts a server to which a host has idle connections: their
// loss shows only when a commit is sent. Its outcome is looked up.
func TestRestartUnderTLS(t *testing.T) {
	ctx := context.Background()
	pool, cert, key := certificate(t)
	server, address := startTLS(t, cert, key, redistest.AOF("always")...)
	o := at(t, "rediss://"+address)
	o.TLS = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	j := open(t, o)
	var feed storetest.Feed
	tip := commit(t, j, batch(&feed, store.Tip{}, 1))
	server.Restart()
	next := batch(&feed, tip, 2)
	_, err := j.Commit(ctx, next)
	t.Logf("the first commit after the restart: %v", err)
	missed, unknown := j.EntriesAfter(ctx, tip)
	if unknown != nil {
		t.Fatalf("the outcome cannot be looked up: %v", unknown)
	}
	if err != nil && len(missed) == 0 {
		commit(t, j, next)
	}
	missed, err = j.EntriesAfter(ctx, tip)
	if err != nil || len(missed) != 1 || missed[0].Commit != next.Commit {
		t.Errorf("after it: %d entries, %v; want the commit once", len(missed), err)
	}
}
