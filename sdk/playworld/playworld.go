// Package playworld runs a whole world within a Go program: its engine, its store
// and its host, without a port. [PlayWorld.Handler] serves it to others, and
// [PlayWorld.Join] creates an account in it for the program itself, with the same
// SDK that remote programs use.
//
//	world, err := playworld.New(ctx, playworld.Options{})
//	...
//	http.Handle("/", world.Handler())
//	account, err := world.Join(ctx)
package playworld

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/bridge"
	"github.com/playctl/playctl/internal/host"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// PlayWorld is a world within this program. Its methods may be called by several
// goroutines. Close ends it.
type PlayWorld struct {
	options Options
	journal store.Journal
	world   *world.World
	host    *host.Host
	handler http.Handler
	// bridge is nil if there is none.
	bridge    *bridge.Bridge
	transport *transport

	mu       sync.Mutex
	closed   bool
	accounts []*sdk.RemotePlayWorld

	closing  sync.Once
	closeErr error
}

// ErrClosed is returned by Join on a world that was closed.
var ErrClosed = errors.New("the world was closed")

// New opens a world: it recovers the world in its store, or begins an empty one.
// The context bounds the recovery.
func New(ctx context.Context, options Options) (*PlayWorld, error) {
	if err := options.check(); err != nil {
		return nil, err
	}
	p := &PlayWorld{options: options}
	if err := p.open(ctx); err != nil {
		return nil, errors.Join(err, p.closeParts(context.WithoutCancel(ctx)))
	}
	return p, nil
}

// open opens the parts from the bottom up.
func (p *PlayWorld) open(ctx context.Context) (err error) {
	o := &p.options
	if p.journal, err = o.journal(ctx); err != nil {
		return err
	}
	metrics := host.NewMetrics()
	p.world, err = world.Open(ctx, world.Options{
		Journal: p.journal, RootKey: o.RootKey, Now: time.Now, Random: rand.Reader,
		Limits: world.Limits{Occupants: o.Occupants}, NoRepository: o.NoRepository, Observer: metrics,
	})
	if err != nil {
		return err
	}
	if p.host, err = host.New(o.host(p.world, metrics)); err != nil {
		return err
	}
	if o.BridgeURL != "" {
		if p.bridge, err = bridge.Open(ctx, bridge.Options{World: p.world, URL: o.BridgeURL, Logger: o.Logger}); err != nil {
			return fmt.Errorf("playworld.Options.BridgeURL: %w", err)
		}
	}
	p.handler = p.host.Handler()
	p.transport = newTransport(p.handler)
	return nil
}

// Handler returns the handler of the world's routes, including the watch page.
// Streams of events need a server without a write timeout of its own.
func (p *PlayWorld) Handler() http.Handler { return p.handler }

// RootKey returns the world's root key, from which node ids derive.
func (p *PlayWorld) RootKey() string { return p.options.RootKey }

// Transport returns a transport that sends the requests of an SDK world to this
// world, without a network: set it together with BaseURL in sdk.Options.
func (p *PlayWorld) Transport() http.RoundTripper { return p.transport }

// BaseURL returns the address for an SDK world that uses Transport.
func (p *PlayWorld) BaseURL() string { return baseURL }

// Snapshot returns the current state of the world, without a request. Its chain is
// the engine's own.
func (p *PlayWorld) Snapshot() (*chain.Snapshot, error) {
	v := p.world.View()
	return chain.NewSnapshot(chain.Head{
		SID: v.SID, MainNodeID: v.RootKey, Bounds: v.Bounds, Rev: &v.Rev, Seq: &v.Seq,
	}, v.Tree)
}

// Join creates a main node with a random phrase and returns its account. It takes
// about half a second, because the node's id is derived. The account is closed with
// the world, if not before. Without a repository there are no nodes, and all
// callers share the account.
func (p *PlayWorld) Join(ctx context.Context) (*sdk.RemotePlayWorld, error) {
	options := sdk.Options{BaseURL: p.BaseURL(), Transport: p.Transport(), Logger: p.options.Logger, APIKey: protocol.NewSecret("none")}
	if !p.options.NoRepository {
		node, err := sdk.NewNodeCredentials(sdk.GenerateNodePassphrase(), p.options.RootKey)
		if err != nil {
			return nil, err
		}
		options.MainNodeCredentials = node
		key, err := sdk.CreateMainNode(ctx, sdk.MainNodeOptions{
			Options: options, RegistrationToken: p.options.RegistrationToken,
		})
		if err != nil {
			return nil, fmt.Errorf("create the account's main node: %w", err)
		}
		if !key.IsZero() {
			options.APIKey = key
		}
	}
	account, err := sdk.New(options)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errors.Join(ErrClosed, account.Close(ctx))
	}
	p.accounts = append(p.accounts, account)
	return account, nil
}

// Close closes the accounts of Join, the host, the bridge, the engine and the
// store, in this order. It may be called again: it then returns the first call's
// error.
func (p *PlayWorld) Close(ctx context.Context) error {
	p.closing.Do(func() { p.closeErr = p.closeParts(ctx) })
	return p.closeErr
}

// closeParts closes the opened parts, from the top down.
func (p *PlayWorld) closeParts(ctx context.Context) error {
	p.mu.Lock()
	p.closed = true
	accounts := p.accounts
	p.mu.Unlock()
	var failed error
	for _, account := range accounts {
		failed = errors.Join(failed, account.Close(ctx))
	}
	if p.host != nil {
		failed = errors.Join(failed, p.host.Close(ctx))
	}
	if p.bridge != nil {
		failed = errors.Join(failed, p.bridge.Close(ctx))
	}
	if p.transport != nil {
		p.transport.close()
	}
	if p.world != nil {
		failed = errors.Join(failed, p.world.Close(ctx))
	}
	if p.journal != nil {
		failed = errors.Join(failed, p.journal.Close())
	}
	return failed
}
