package playworld

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/host"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/bolt"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// Options are the options of a PlayWorld. The zero value is a world in memory with
// a random root key, in which anybody can create a main node and API keys are
// required.
type Options struct {
	// Path is the file of the world's store; the world is in memory if it is
	// empty.
	Path string
	// Repository stores the world in place of a file, in a store of the program. The
	// program closes it, after the world.
	Repository Repository
	// RootKey is the world's root key, which never changes. It may be empty for a
	// world in memory: it is then random.
	RootKey string
	// PublicURL is the prefix of links in replies.
	PublicURL string
	// AdminToken is the administrator's token; empty for no administrator.
	AdminToken protocol.Secret
	// Registration is "open", "token" or "closed"; "open" if empty. A closed world has
	// only the nodes in its store.
	Registration string
	// RegistrationToken is required for, and only for, Registration "token".
	RegistrationToken protocol.Secret
	// APIKeys is "required", "optional" or "off"; "required" if empty.
	APIKeys string
	// NoRepository creates a world without nodes: no credentials are required.
	NoRepository bool
	// CORSOrigins are the other origins whose pages may call the world.
	CORSOrigins []string
	// BridgeURL is the URL to which each public event is posted, with /events added;
	// none if empty. A user and a password in it are sent as basic authentication and
	// never logged.
	BridgeURL string
	// Occupants is the cap on agents and MCP placements, 100 if 0.
	Occupants int
	// Logger gets the host's log; none if nil.
	Logger *slog.Logger
}

func (o *Options) check() error {
	if o.Path != "" && o.Repository != nil {
		return errors.New("playworld.Options: set Path or Repository, not both")
	}
	if o.RootKey == "" && (o.Path != "" || o.Repository != nil) {
		return errors.New("playworld.Options.RootKey is empty: a world that is kept needs the same one every time; 'playctl create-root-key' creates one")
	}
	if o.RootKey == "" {
		o.RootKey = creds.GenerateRootKey()
	}
	o.RootKey = protocol.NormalizeRootKey(o.RootKey)
	return nil
}

// journal opens the store of the world.
func (o *Options) journal(ctx context.Context) (store.Journal, error) {
	switch {
	case o.Path != "":
		journal, err := bolt.Open(ctx, bolt.Options{Path: o.Path, RootKey: o.RootKey})
		if err != nil {
			return nil, err
		}
		return journal, nil
	case o.Repository != nil:
		journal, err := memory.OpenKept(ctx, store.RetentionInMemory(), keeper{o.Repository}, o.RootKey)
		if err != nil {
			return nil, fmt.Errorf("playworld.Options.Repository: %w", err)
		}
		return journal, nil
	}
	return memory.Open(store.RetentionInMemory()), nil
}

func (o *Options) host(w *world.World, metrics *host.Metrics) host.Options {
	return host.Options{
		World: w, Deriver: creds.NewDeriver(creds.DeriverOptions{}), NoRepository: o.NoRepository, PublicURL: o.PublicURL, AllowHosts: []string{hostOf},
		AdminToken:        o.AdminToken,
		Registration:      host.Registration(o.Registration),
		RegistrationToken: o.RegistrationToken,
		APIKeys:           host.APIKeyPolicy(o.APIKeys),
		CORSOrigins:       o.CORSOrigins, Logger: o.Logger, Metrics: metrics,
	}
}
