package node

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// newcomer returns a client without an account.
func newcomer(a *command.App, target *creds.Context, token protocol.Secret) (*client.Client, error) {
	c, err := client.New(client.Options{
		BaseURL: target.ServerURL, Service: target.Service, Fingerprint: target.Fingerprint,
		RegistrationToken: token, Timeout: a.Settings.Timeout, UserAgent: "playctl/" + a.ThisVersion().Version,
	})
	if err != nil {
		return nil, command.Usagef("%w", err)
	}
	return c, nil
}

// checkRootKey returns ErrRootKey if a host has another root key than expected, and an
// error for which isHidden holds if the host does not show its root key to the caller. got
// says which secrets the host knows by then.
func checkRootKey(ctx context.Context, a *command.App, c *client.Client, expected string, ask bootstrap, got string) error {
	reply, err := askRootKey(ctx, a, c, ask)
	if err == nil && protocol.NormalizeRootKey(reply.RootKey) != expected {
		err = command.Hintf(fmt.Errorf("%w than expected, so %s is another host or has another world: it got %s", command.ErrRootKey, c.Host(), got),
			"ask the person who gave you its address: its world may have been replaced since, or somebody else may answer there")
	}
	return err
}

// noSecret says that a host got no secret.
const noSecret = "no secret"

// isHidden reports whether an error means that the host does not show its root key.
func isHidden(err error) bool {
	refused, ok := errors.AsType[*protocol.Error](err)
	return ok && refused.Status() < http.StatusInternalServerError && refused.Status() != http.StatusTooManyRequests
}

// checkInviter returns an error unless a host has the root key of the invitation. Only a
// host whose certificate has a known fingerprint, or that a person agrees to, gets the
// token of the invitation in exchange for its root key.
func checkInviter(ctx context.Context, a *command.App, c *client.Client, target *creds.Context) error {
	err := checkRootKey(ctx, a, c, target.RootKey, (*client.Client).InvitedBootstrap, noSecret)
	if protocol.HasCode(err, protocol.CodeCredentialsMissing) { // The host does not know digests.
		if target.Fingerprint == "" {
			if err := confirmToken(ctx, a, c); err != nil {
				return err
			}
		}
		err = checkRootKey(ctx, a, c, target.RootKey, (*client.Client).Bootstrap, "the token of the invitation, so have that revoked")
	}
	if refused, ok := errors.AsType[*protocol.Error](err); ok && refused.Status() == http.StatusUnauthorized {
		return command.Hintf(protocol.WrapError(protocol.CodeRegistrationClosed, err, "%s refuses this invitation: %s", c.Host(), refused.Message),
			"it may have been used or revoked: ask the person who invited you for another")
	}
	return err
}

// confirmToken asks whether a host that does not show its root key gets the token of an
// invitation.
func confirmToken(ctx context.Context, a *command.App, c *client.Client) error {
	why := c.Host() + " shows its root key only to callers that send the invitation's token, so it could be another host than the one that you were invited to"
	err := a.AskYes(ctx, fmt.Sprintf("%s. Send the token to %s?", why, c.BaseURL()))
	if errors.Is(err, command.ErrNoTerminal) {
		return command.Hintf(command.Usagef("%s: the token was not sent", why),
			"ask the operator for the fingerprint of the host's certificate and add --fingerprint HEX, or log in at a terminal, where you can decide")
	}
	return err
}

// checkAccountHost sets the root key of the host to sign in to, and returns an error if the
// host has another one or a person does not agree to that host.
func checkAccountHost(ctx context.Context, a *command.App, target *creds.Context, invited *creds.Invitation, rootFile string) error {
	c, err := newcomer(a, target, invited.Token)
	if err != nil {
		return err
	}
	defer c.Close()
	target.RootKey = invited.RootKey
	known := target.RootKey != "" || a.Surroundings().NamesRootFile(rootFile)
	if target.RootKey == "" {
		if target.RootKey, err = rootKey(ctx, a, c, "", rootFile); err != nil {
			return err
		}
	}
	if known {
		err = checkRootKey(ctx, a, c, target.RootKey, (*client.Client).InvitedBootstrap, noSecret)
	}
	hidden := isHidden(err)
	if err != nil && !hidden {
		return err
	}
	return confirmHost(ctx, a, target, hidden && invited.RootKey != "" && target.Fingerprint == "")
}

// confirmHost asks before another host than the account's could get the hash of a phrase:
// one whose root key is hidden, or one at another address than a context has for that
// world, because everybody may know a root key. An address that the context has already is
// the person's own choice.
func confirmHost(ctx context.Context, a *command.App, target *creds.Context, hidden bool) error {
	_, file, err := a.CredentialsFile()
	if err != nil {
		return err
	}
	if there, err := file.Context(target.Name); err == nil && there.ServerURL == target.ServerURL {
		return nil
	}
	why := target.ServerURL + " does not show its root key, so it could be another host than your account's"
	if there := worldElsewhere(file, target); there != nil {
		why = fmt.Sprintf("context %s has this world at %s, so %s could be another host", there.Name, there.ServerURL, target.ServerURL)
	} else if !hidden {
		return nil
	}
	err = a.AskYes(ctx, why+". It would get access to your account. Sign in at "+target.ServerURL+"?")
	if errors.Is(err, command.ErrNoTerminal) {
		return command.Hintf(command.Usagef("%s: it got "+noSecret, why),
			"if it is your account's host, add its address with \"playctl context add NAME --server %s\", then repeat this with --context NAME", target.ServerURL)
	}
	return err
}

// worldElsewhere returns a context of a world at another address, nil for none.
func worldElsewhere(file *creds.File, target *creds.Context) *creds.Context {
	for _, name := range file.Names() {
		there, err := file.Context(name)
		if err == nil && there.RootKey == target.RootKey && there.ServerURL != target.ServerURL {
			return there
		}
	}
	return nil
}
