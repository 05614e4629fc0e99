package client

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// The reason why a host is unreachable is in words, without those of Go's packages.
func TestUnreachableInWords(t *testing.T) {
	t.Parallel()
	certificate := &x509.Certificate{DNSNames: []string{"play.example.com"}}
	distrusted := func(err error) error { return &tls.CertificateVerificationError{Err: err} }
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	for want, err := range map[string]error{
		"its certificate is from an authority that is not trusted here":                                    distrusted(x509.UnknownAuthorityError{Cert: certificate}),
		"its certificate is not trusted: certificate is valid for play.example.com, not other.example.com": distrusted(x509.HostnameError{Certificate: certificate, Host: "other.example.com"}),
		"it does not speak TLS":                            fmt.Errorf("http: %w", http.ErrSchemeMismatch),
		"it closed the connection":                         fmt.Errorf("read: %w", io.EOF),
		"there is no host of that name":                    dial(&net.DNSError{Err: "no such host", Name: "other.example.com", Server: "192.0.2.1:53", IsNotFound: true}),
		"its name cannot be looked up: server misbehaving": dial(&net.DNSError{Err: "server misbehaving", Name: "other.example.com", Server: "192.0.2.1:53"}),
		"connection refused":                               dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)),
		"connection reset by peer":                         &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)},
		"no route":                                         dial(errors.New("no route")),
	} {
		got := (&UnreachableError{Host: "https://other.example.com", Err: err}).Error()
		if reason := strings.TrimPrefix(got, "cannot reach the host at https://other.example.com: "); reason != want {
			t.Errorf("%v: got %q, want %q", err, reason, want)
		}
	}
}

// Ready names the reason that the host gives, unless the answer is not a host's.
func TestReadyNamesReason(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"the store cannot be used: no space left on device\n": "the store cannot be used: no space left on device",
		"two\nlines\n":           "the host answered with status 503",
		strings.Repeat("x", 500): "the host answered with status 503",
		"":                       "the host answered with status 503",
	} {
		h := newTestHost(t, map[string]answer{"GET " + protocol.PathReady: func(w http.ResponseWriter, _ int) {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, body)
		}})
		err := newTestClient(t, h).Ready(t.Context())
		refused, ok := errors.AsType[*protocol.Error](err)
		if !ok || refused.Message != want || refused.Code != protocol.CodeStoreUnavailable {
			t.Errorf("%.60q: %v", body, err)
		}
	}
}
