package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/playctl/playctl/test/port"
)

// makeCertificate writes a self-signed certificate for 127.0.0.1 and its key into the
// files NAME.pem and NAME-key.pem.
//
//	certificate server
func makeCertificate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: certificate <name>")
	}
	ts.Check(writeCertificate(ts.MkAbs(args[0]+".pem"), ts.MkAbs(args[0]+"-key.pem")))
}

// writeCertificate writes a self-signed certificate for 127.0.0.1 and its key.
func writeCertificate(certFile, keyFile string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames: []string{"redis.test"},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	for file, block := range map[string]pem.Block{
		certFile: {Type: "CERTIFICATE", Bytes: der},
		keyFile:  {Type: "PRIVATE KEY", Bytes: secret},
	} {
		if err := os.WriteFile(file, pem.EncodeToMemory(&block), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// freePort sets a variable to a port that no other program gets before the script's end.
//
//	freeport PORT
func freePort(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: freeport <variable>")
	}
	_, number, err := net.SplitHostPort(port.Keep(serversOf(ts).t))
	ts.Check(err)
	ts.Setenv(args[0], number)
}
