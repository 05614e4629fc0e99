package client

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
)

// ErrFingerprint is matched by every error about a host whose certificate does not
// have the fingerprint that the client requires.
var ErrFingerprint = errors.New("the host's certificate does not match its fingerprint")

// Fingerprint returns the SHA-256 of a certificate in DER, 64 lower-case hex
// digits.
func Fingerprint(cert *x509.Certificate) string {
	sum := sha256.Sum256(cert.Raw)
	return hex.EncodeToString(sum[:])
}

// trusting returns a TLS configuration that trusts only one certificate: the host's
// own, whatever names it has, or that of an authority in the host's chain, which
// must then have signed a valid certificate for the host's name.
func trusting(fingerprint, host string) *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: true, //nolint:gosec // G402: VerifyConnection checks instead, for one certificate alone
		VerifyConnection: func(state tls.ConnectionState) error {
			return checkFingerprint(state.PeerCertificates, fingerprint, host)
		},
	}
}

func checkFingerprint(chain []*x509.Certificate, fingerprint, host string) error {
	at := slices.IndexFunc(chain, func(cert *x509.Certificate) bool { return Fingerprint(cert) == fingerprint })
	if at < 0 {
		got := "none"
		if len(chain) > 0 {
			got = Fingerprint(chain[0])
		}
		return fmt.Errorf("%w: got %s, expected %s", ErrFingerprint, got, fingerprint)
	}
	options := x509.VerifyOptions{Roots: x509.NewCertPool(), Intermediates: x509.NewCertPool()}
	options.Roots.AddCert(chain[at])
	for _, cert := range chain[1:] {
		options.Intermediates.AddCert(cert)
	}
	if at > 0 {
		options.DNSName = host
	}
	if _, err := chain[0].Verify(options); err != nil {
		return &tls.CertificateVerificationError{UnverifiedCertificates: chain, Err: err}
	}
	return nil
}

// Certificate returns the fingerprint with which others can trust the host that
// answered last: the one that this client trusts, else that of the last certificate
// in the host's chain, which is its authority's if the chain includes that. It is
// "" without TLS.
func (c *Client) Certificate() string {
	state := c.shown.Load()
	switch {
	case state == nil || len(state.PeerCertificates) == 0:
		return ""
	case c.fingerprint != "":
		return c.fingerprint
	}
	return Fingerprint(state.PeerCertificates[len(state.PeerCertificates)-1])
}

// isDistrusted reports whether a host showed an untrusted certificate, so that
// nothing was sent to it.
func isDistrusted(err error) bool {
	_, bad := errors.AsType[*tls.CertificateVerificationError](err)
	return bad || errors.Is(err, ErrFingerprint)
}
