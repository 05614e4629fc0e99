package redis

import (
	"crypto/tls"
	"crypto/x509"
	"errors"

	goredis "github.com/redis/go-redis/v9"

	"github.com/playctl/playctl/internal/store"
)

// errDenied means that the server said before a write that the user may not make it.
var errDenied = errors.New("NOPERM")

// passes are what a server answers that is there and will do: the rest of its
// refusals needs somebody to change something.
var passes = []string{
	"LOADING", "READONLY", "OOM", "MISCONF", "NOREPLICAS", "CLUSTERDOWN", "MASTERDOWN", "BUSY", "TRYAGAIN", "MOVED", "ASK",
}

// Passing reports whether an error of Open may pass without help: the server does not
// answer, has just started, is being replaced, is full or has too many clients. It
// does not where the server refuses the user or a command, TLS cannot be agreed on,
// or the server or the world is not one to open.
func Passing(err error) bool {
	if !errors.Is(err, store.ErrUnavailable) || errors.Is(err, errDenied) || distrusted(err) {
		return false
	}
	if _, said := errors.AsType[goredis.Error](err); !said {
		return true
	}
	return begins(err, passes)
}

// distrusted reports whether one side refused the other's TLS.
func distrusted(err error) bool {
	var verification *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &verification) || errors.As(err, &record) || errors.As(err, &alert) ||
		errors.As(err, &authority) || errors.As(err, &name) || errors.As(err, &invalid)
}
