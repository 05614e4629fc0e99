package command

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// TokenFile reads the bearer token of a server, or makes its file where there is none.
func (a *App) TokenFile(file string) (protocol.Secret, error) {
	path := a.Absolute(file)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return a.ReadToken(file)
	}
	token := rand.Text()
	if err := creds.WriteSecretFile(path, []byte(token+"\n"), false); err != nil {
		return protocol.Secret{}, fmt.Errorf("write the token: %w", err)
	}
	a.Note("The token was made and is in %s, which only you can read.", file)
	return protocol.NewSecret(token), nil
}

// NamesThisMachine reports whether the name in a Host header, with or without a port, means
// this machine or is allowed: pages of other names may lead to servers on this machine.
func NamesThisMachine(host string, allowed []string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	isName := func(one string) bool { return strings.EqualFold(one, name) }
	address, err := netip.ParseAddr(name)
	return isName("localhost") || err == nil && address.IsLoopback() || slices.ContainsFunc(allowed, isName)
}

// UnlessTerminated is nil if a service manager ended what runs until it is ended,
// however far it had come.
func UnlessTerminated(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), ErrTerminated) && (errors.Is(err, context.Canceled) || errors.Is(err, ErrTerminated)) {
		return nil
	}
	return err
}
