// Package bridge posts a world's events to another service: each public event is
// sent to <bridge-url>/events, in order and at least once.
//
// Undelivered events wait in the world's journal and nowhere else, so that a slow
// or unavailable bridge costs the world neither time nor memory. The position of
// the bridge is kept in the same journal. If several hosts serve the world, one of
// them delivers, and another continues where that one stops.
package bridge

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/world"
)

// Options are the options of a Bridge.
type Options struct {
	// World has the events. The bridge does not close it.
	World *world.World
	// URL is the bridge's URL, to which /events is added. A user and a password in it
	// are sent as basic authentication and never logged; neither is its path.
	URL string
	// Logger gets a line when the bridge stops accepting events and when it accepts
	// them again; nil for none.
	Logger *slog.Logger
	// Timeout bounds one attempt, reply included; 10 s by default.
	Timeout time.Duration
	// Transport sends the requests; nil for one of the bridge's own.
	Transport http.RoundTripper
}

// Bridge follows a world and posts its events. Create one with Open.
type Bridge struct {
	world  *world.World
	events *world.EventReader
	log    *slog.Logger
	client *http.Client
	target string
	// name is the bridge's key in the store, and holder this host's name there.
	name, holder string

	// stop ends the bridge after the attempt in progress; cut ends that attempt, too.
	stop, cut context.CancelFunc
	running   sync.WaitGroup
	state     board
	// attempts bounds each attempt, so that one outlives stop for a moment.
	attempts context.Context //nolint:containedctx // it lives as long as the bridge

	// kept is the position in the store, keptAt the time when it was stored. They,
	// events and turn belong to the running goroutine, and to Close once that has
	// ended. turn is nil while another host delivers.
	kept    world.Cursor
	keptAt  time.Time
	turn    *turn
	refusal bool
}

const (
	defaultTimeout = 10 * time.Second
	// keepEvery is how often, at most, the position is stored. A host that crashes
	// delivers the later events again.
	keepEvery = time.Second
	// idleTimeout is how long a connection without a request is kept.
	idleTimeout = 90 * time.Second
	// grace is how long Close waits for the reply to the attempt in progress, which
	// would otherwise be repeated after the next start.
	grace = 500 * time.Millisecond
)

// Open finds the position where the bridge stopped and starts it. A bridge that is
// new to the world begins with the next event.
func Open(ctx context.Context, o Options) (*Bridge, error) {
	target, host, err := parseURL(o.URL)
	if err != nil {
		return nil, err
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	if o.Transport == nil {
		o.Transport = &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 1, IdleConnTimeout: idleTimeout,
		}
	}
	b := &Bridge{
		world: o.World, log: o.Logger.With("bridge", host), target: target.String(), name: nameOf(target), holder: rand.Text(),
		client: &http.Client{
			Transport: o.Transport, Timeout: o.Timeout,
			// A redirected request would arrive without its body, or its credentials would
			// be sent to another host.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	if _, err := b.settle(ctx); err != nil {
		return nil, err
	}
	attempts, cut := context.WithCancel(context.WithoutCancel(ctx))
	running, stop := context.WithCancel(attempts)
	b.attempts, b.stop, b.cut = attempts, stop, cut
	b.running.Go(func() { b.run(running) })
	return b, nil
}

// parseURL checks a bridge's URL and adds the path to it. The errors do not
// repeat it: it may hold a password.
func parseURL(text string) (target *url.URL, host string, err error) {
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, "", errors.New("the bridge URL must be http:// or https:// with a host, without query or fragment")
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/")+"/events", ""
	return u, u.Host, nil
}

// CheckURL returns what is wrong with a bridge's URL, without repeating it.
func CheckURL(text string) error {
	_, _, err := parseURL(text)
	return err
}

// nameOf returns the key of a bridge's position in the store. It changes with the
// address but not with the password, and contains neither.
func nameOf(target *url.URL) string {
	plain := *target
	plain.User = nil
	sum := sha256.Sum256([]byte(plain.String()))
	return hex.EncodeToString(sum[:])
}

// settle reads the position of the bridge. If the store has none, because the
// bridge is new or the store lost it, the current one is used, and stored: events
// before the first delivery must not be lost with this process.
func (b *Bridge) settle(ctx context.Context) (world.Cursor, error) {
	at, known, err := b.world.BridgeCursor(ctx, b.name)
	if err == nil && !known {
		first := world.SaveBridgeCursor{Name: b.name, At: b.world.Cursor(), First: true}
		if _, err := b.world.Do(ctx, world.Request{}, first); err != nil {
			return at, fmt.Errorf("store the first position of the bridge: %w", err)
		}
		at, known, err = b.world.BridgeCursor(ctx, b.name)
	}
	switch {
	case err != nil:
		return at, fmt.Errorf("read the position of the bridge: %w", err)
	case !known:
		return at, errors.New("the store has no position of the bridge")
	}
	b.state.moved(at.Seq)
	return at, nil
}

// Close stops the bridge and stores its position; the world must still be open.
// Undelivered events are posted after the next start. Close may be called twice.
func (b *Bridge) Close(ctx context.Context) error {
	b.stop()
	defer b.cut()
	late := time.AfterFunc(grace, b.cut)
	defer late.Stop()
	done := make(chan struct{})
	go func() {
		b.running.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		return fmt.Errorf("wait for the bridge to stop: %w", context.Cause(ctx))
	}
	b.client.CloseIdleConnections()
	b.state.leads(false)
	if b.turn == nil {
		return nil
	}
	if at := b.events.Cursor(); at != b.kept {
		if err := b.store(ctx, at); errors.Is(err, store.ErrFenced) {
			// Another host continues from the position that this one stored last.
			return nil
		} else if err != nil {
			return err
		}
		b.kept = at
	}
	if err := b.world.Unlock(ctx, b.turn.fence); err != nil {
		return fmt.Errorf("let another host deliver to the bridge: %w", err)
	}
	b.turn = nil
	return nil
}

// store commits a position, if this host still is the one that delivers.
func (b *Bridge) store(ctx context.Context, at world.Cursor) error {
	if _, err := b.world.Do(ctx, world.Request{}, world.SaveBridgeCursor{Name: b.name, At: at, Fence: b.turn.fence}); err != nil {
		return fmt.Errorf("store the position of the bridge: %w", err)
	}
	return nil
}
