package command

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"

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
	return creds.IsLoopbackName(strings.ToLower(name)) || slices.ContainsFunc(allowed, isName)
}

// UnlessTerminated returns err, but nil for the cancellation of a run that a service
// manager ended.
func UnlessTerminated(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), ErrTerminated) && (errors.Is(err, context.Canceled) || errors.Is(err, ErrTerminated)) {
		return nil
	}
	return err
}
