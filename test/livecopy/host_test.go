//go:build full

package livecopy

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/host"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/bolt"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/port"
)

const adminToken = "pt_administrator"

var rootKey = strings.Repeat("5e", 32)

// fataler is the common part of *testing.T and *rapid.T.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// site is a host that can be stopped and started again at its address, on its
// store.
type site struct {
	t    fataler
	addr string
	// release releases its port.
	release func()
	// path is the file of the store; "" for one in memory, which also survives the
	// host.
	path string
	ring int

	journal store.Journal
	world   *world.World
	host    *host.Host
	ended   chan error
}

func openSite(t fataler, path string, ring int) *site {
	t.Helper()
	s := &site{t: t, path: path, ring: ring}
	var err error
	s.addr, s.release, err = port.Hold()
	s.must(err)
	s.start()
	return s
}

func (s *site) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatalf("the host at %s: %v", s.addr, err)
	}
}

func (s *site) start() {
	s.t.Helper()
	ctx := context.Background()
	var err error
	switch {
	case s.path != "":
		s.journal, err = bolt.Open(ctx, bolt.Options{Path: s.path, RootKey: rootKey, Retention: store.DefaultRetention()})
		s.must(err)
	case s.journal == nil:
		s.journal = memory.Open(store.DefaultRetention())
	}
	s.world, err = world.Open(ctx, world.Options{
		Journal: s.journal, RootKey: rootKey, Now: time.Now, Random: rand.Reader, NoRepository: true, RingEvents: s.ring,
	})
	s.must(err)
	s.host, err = host.New(host.Options{
		World: s.world, NoRepository: true, Address: s.addr, AdminToken: protocol.NewSecret(adminToken),
		Streams: host.StreamOptions{DrainJitter: time.Millisecond},
	})
	s.must(err)
	s.must(s.host.Listen(ctx))
	s.ended = make(chan error, 1)
	go func() { s.ended <- s.host.Serve(ctx) }()
}

// stop ends the host: gracefully, or abruptly, which cuts everything in progress.
func (s *site) stop(abrupt bool) {
	s.t.Helper()
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	if abrupt {
		cancel(errAbrupt)
	}
	err := s.host.Close(ctx)
	<-s.ended //nolint:errcheck // the same error as Close's
	if !abrupt {
		s.must(err)
	}
	s.must(s.world.Close(context.Background()))
	if s.path != "" {
		s.must(s.journal.Close())
	}
}

var errAbrupt = errors.New("the test ends the host at once")

// close ends the site for good.
func (s *site) close() {
	defer s.release()
	s.stop(false)
	if s.path == "" {
		s.must(s.journal.Close())
	}
}

// storePath returns a function that returns the path of a new store.
func storePath(t *testing.T) func() string {
	t.Helper()
	dir, n := t.TempDir(), 0
	return func() string {
		n++
		return filepath.Join(dir, fmt.Sprintf("world-%d", n))
	}
}
