package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"slices"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// newAccount returns the context for a new main node: the named one, else the one in use
// if it has no nodes, else one for the named host. caller is the run that needs the
// account, nil if a person asks for it.
func newAccount(ctx context.Context, a *command.App, caller *command.Caller, replace bool) (*accountPlace, error) {
	_, file, err := a.CredentialsFile()
	if err != nil {
		return nil, err
	}
	server, service, name := a.Settings.Server, protocol.ServicePlay, a.Settings.Context
	if inUse, err := file.Context(file.Current()); err == nil && name == "" && server == "" && isVacant(inUse) {
		name = inUse.Name
	}
	if caller != nil {
		server, service = caller.Server, caller.Service
	} else if server == "" {
		if there, err := file.Context(cmp.Or(name, command.DefaultContext)); err == nil {
			server, service = there.ServerURL, there.Service
		}
	}
	if service, err = a.ServiceOr(service); err != nil {
		return nil, err
	}
	if server, err = creds.ParseServerURL(cmp.Or(server, command.DefaultServer)); err != nil {
		return nil, command.Usagef("%w", err)
	}
	place := &accountPlace{}
	err = place.find(ctx, a, file, name, server, service, replace)
	return place, err
}

// isVacant reports whether a context has no nodes.
func isVacant(c *creds.Context) bool { return c.Main == nil && len(c.Agents()) == 0 }

// accountPlace is the context for an account at a host.
type accountPlace struct {
	*creds.Context
	// use is set if commands use it from now on.
	use bool
	// stale are the contexts for the same address whose accounts the host does not know.
	stale []*creds.Context
}

// find chooses the context for an account at a host: the named one, else "default",
// else one that is named after the host. It is an existing one if that is for the host and
// has no nodes, so that no node gets into the context of another account. A context whose
// account the host does not know, such as one of an earlier world, stays as it is; if
// commands use it, they use the new one from then on.
func (p *accountPlace) find(ctx context.Context, a *command.App, file *creds.File, chosen, server string, service protocol.Service, replace bool) error {
	named := chosen != ""
	for name := range contextNames(chosen, server) {
		there, err := file.Context(name)
		if errors.Is(err, creds.ErrContextUnknown) {
			return p.begin(a, file, name, server, service)
		}
		if err != nil {
			return err
		}
		same, vacant := there.ServerURL == server, isVacant(there)
		replaceable := same || slices.Contains([]string{chosen, command.DefaultContext}, name)
		switch {
		case vacant && !same && named, replace && replaceable:
			return p.begin(a, file, name, server, service)
		case vacant && same:
			there.Service = service
			p.Context = there
			return nil
		case same && there.Main != nil:
			if err := p.passOver(ctx, a, file, there); err != nil {
				return err
			}
		case named:
			return isTaken(there)
		}
	}
	return errors.New("no name is free for the context") // contextNames does not end
}

// begin makes the context a new one.
func (p *accountPlace) begin(a *command.App, file *creds.File, name, server string, service protocol.Service) (err error) {
	if p.Context, err = creds.NewContext(name, server, service, a.Now()); err != nil {
		return command.Usagef("%w", err)
	}
	p.Fingerprint = trustedAt(file, name, server)
	return nil
}

// isTaken returns the error of a named context that has nodes already.
func isTaken(c *creds.Context) error {
	if c.Main != nil {
		return hasMain(c)
	}
	return command.Hintf(fmt.Errorf("context %q has agents of another account", c.Name), "use a new name with --context")
}

// passOver leaves a context with an account as it is. It returns an error if the host
// knows the account, or if the context was named.
func (p *accountPlace) passOver(ctx context.Context, a *command.App, file *creds.File, there *creds.Context) error {
	if slices.Contains(p.stale, there) {
		return nil
	}
	standing, err := command.Await(a, "Asking the host", func() (command.Standing, error) {
		standing, _, err := a.Standing(ctx, command.CallerOf(there))
		return standing, err
	})
	if err != nil || standing == command.StandingKnown {
		return hasMain(there)
	}
	if a.Settings.Context != "" {
		return command.Hintf(fmt.Errorf("context %q %w, which %s does not know: its world is another one now, or the account was deleted", there.Name, command.ErrContextTaken, there.ServerURL),
			"\"playctl context rename %[1]s %[1]s-old\" keeps it and frees the name", there.Name)
	}
	p.use = p.use || file.Current() == there.Name
	p.stale = append(p.stale, there)
	return nil
}

// contextNames yields the names that a context for a host may have, by preference: a
// chosen name alone, else an endless number.
func contextNames(chosen, server string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if chosen != "" {
			yield(chosen)
			return
		}
		host := "host"
		if u, err := url.Parse(server); err == nil {
			host = nameFrom(u.Host, host)
		}
		if !yield(command.DefaultContext) || !yield(host) {
			return
		}
		for i := 2; ; i++ {
			if !yield(fmt.Sprintf("%.60s-%d", host, i)) {
				return
			}
		}
	}
}

// explain says why the account does not get into the usual context.
func (p *accountPlace) explain(a *command.App) {
	for _, stale := range p.stale {
		if stale.RootKey != "" && stale.RootKey != p.RootKey {
			a.Note("%s serves another world than the one of context %s, which stays as it is.", p.ServerURL, stale.Name)
			continue
		}
		a.Note("%s does not know the account of context %s: its world was started anew, or the account was deleted. The context stays as it is.", p.ServerURL, stale.Name)
	}
}
