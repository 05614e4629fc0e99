package command

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/netutil"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// TokenFile reads the bearer token of a server, or creates its file if it is missing.
func (a *App) TokenFile(file string) (protocol.Secret, error) {
	path := a.Absolute(file)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return a.ReadToken(file)
	}
	token := rand.Text()
	if err := creds.WriteSecretFile(path, []byte(token+"\n"), false); err != nil {
		return protocol.Secret{}, fmt.Errorf("write the token: %w", err)
	}
	a.Note("The token was created and is in %s, which only you can read.", file)
	return protocol.NewSecret(token), nil
}

// NamesThisMachine reports whether the name in a Host header, with or without a port,
// means this machine or is allowed. Other names are refused, because web pages could use
// them to call servers on this machine.
func NamesThisMachine(host string, allowed []string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	isName := func(one string) bool { return strings.EqualFold(one, name) }
	return creds.IsLoopbackName(name) || slices.ContainsFunc(allowed, isName)
}

// CheckListenAddress refuses an invalid address to listen on; the system checks the name
// of a host. An empty one is valid.
func CheckListenAddress(ctx context.Context, address string) error {
	if address == "" {
		return nil
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%q is not an address such as 127.0.0.1:7420", address)
	}
	if number, err := strconv.ParseUint(port, 10, 64); err == nil && number > math.MaxUint16 {
		return fmt.Errorf("%q: ports go up to %d", address, math.MaxUint16)
	}
	if _, err := net.DefaultResolver.LookupPort(ctx, "tcp", port); err != nil {
		return fmt.Errorf("%q: %q is not a port: write a number such as 7420", address, port)
	}
	return nil
}

// Listen listens at an address, for a limited number of connections.
func Listen(ctx context.Context, address string, most int) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen at %s: %w", address, err)
	}
	return netutil.LimitListener(listener, most), nil
}

// ShowsToken reports whether the value of an Authorization header has the bearer token.
func ShowsToken(authorization string, token protocol.Secret) bool {
	scheme, shown, _ := strings.Cut(authorization, " ")
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare([]byte(shown), []byte(token.Reveal())) == 1
}

// UnlessTerminated returns err, but nil for the cancellation of a run that a service
// manager ended.
func UnlessTerminated(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), ErrTerminated) && (errors.Is(err, context.Canceled) || errors.Is(err, ErrTerminated)) {
		return nil
	}
	return err
}
