package redis

import (
	"crypto/tls"
	"crypto/x509"
	"errors"

	goredis "github.com/redis/go-redis/v9"

	"github.com/playctl/playctl/internal/store"
)

// errDenied means that the server reported before a write that the user has no
// permission for it.
var errDenied = errors.New("NOPERM")

// passes are the errors of a server that may be temporary: for its other errors
// somebody has to change something.
var passes = []string{
	"LOADING", "READONLY", "OOM", "MISCONF", "NOREPLICAS", "CLUSTERDOWN", "MASTERDOWN", "BUSY", "TRYAGAIN", "MOVED", "ASK",
}

// Passing reports whether an error of Open may be temporary: the server does not
// answer, has just started, is being replaced, is full or has too many clients. An
// error is not temporary if the server refuses the user or a command, if TLS cannot
// be negotiated, or if the server or the world cannot be opened.
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
