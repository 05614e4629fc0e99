package sharedstore

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/playctl/playctl/internal/store"
)

// Host is one host's handle of a Server. Its faults are for tests: they affect this
// host's connection, not the server.
type Host struct {
	server *Server
	closed atomic.Bool

	// Down fails every call.
	Down atomic.Bool
	// Before is the number of next commits that fail without effect, After the number
	// that fail after they were carried out.
	Before, After atomic.Int64
	// NoFollow keeps commits of other hosts from this host's Follow.
	NoFollow atomic.Bool
	// Following is closed when this host follows the journal: it has read the entries
	// before that, whatever NoFollow is.
	Following chan struct{}
	first     sync.Once
}

var _ store.Journal = (*Host)(nil)

// Host returns a handle for one more host.
func (s *Server) Host() *Host { return &Host{server: s, Following: make(chan struct{})} }

var errCut = errors.New("the connection was cut")

func (h *Host) usable(ctx context.Context) error {
	switch {
	case h.closed.Load():
		return store.ErrClosed
	case h.Down.Load():
		return fmt.Errorf("%w: %w", store.ErrUnavailable, errCut)
	}
	return ctx.Err()
}

// Commit implements store.Journal.
func (h *Host) Commit(ctx context.Context, b *store.Batch) (store.Tip, error) {
	if err := h.usable(ctx); err != nil {
		return store.Tip{}, err
	}
	if h.Before.Add(-1) >= 0 {
		return store.Tip{}, fmt.Errorf("%w: %w", store.ErrUnavailable, errCut)
	}
	tip, err := h.server.commit(ctx, b)
	if h.After.Add(-1) >= 0 {
		return store.Tip{}, fmt.Errorf("%w: %w", store.ErrUnavailable, errCut)
	}
	return tip, err
}

// EntriesAfter implements store.Journal.
func (h *Host) EntriesAfter(ctx context.Context, after store.Tip) ([]store.Entry, error) {
	entries, _, err := h.missed(ctx, after)
	return entries, err
}

func (h *Host) missed(ctx context.Context, after store.Tip) ([]store.Entry, <-chan struct{}, error) {
	if err := h.usable(ctx); err != nil {
		return nil, nil, err
	}
	s := h.server
	s.mu.Lock()
	defer s.mu.Unlock()
	entries, err := s.missed(after)
	if err == nil && len(entries) == 0 && s.headRun != s.run {
		err = s.restarted()
	}
	return entries, s.wake, err
}

// Follow implements store.Journal.
func (h *Host) Follow(ctx context.Context, after store.Tip) iter.Seq2[[]store.Entry, error] {
	return func(yield func([]store.Entry, error) bool) {
		h.first.Do(func() { close(h.Following) })
		for {
			entries, wake, err := h.missed(ctx, after)
			if err != nil {
				yield(nil, err)
				return
			}
			if len(entries) > 0 && !h.NoFollow.Load() {
				if !yield(entries, nil) {
					return
				}
				last := &entries[len(entries)-1]
				after = store.Tip{Position: last.Position, Commit: last.Commit}
				continue
			}
			select {
			case <-wake:
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return
			}
		}
	}
}

// HostStarted implements store.Journal.
func (h *Host) HostStarted(ctx context.Context, _ []store.Renewal) error {
	if err := h.usable(ctx); err != nil {
		return err
	}
	s := h.server
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.listeners) == 0 {
		for _, table := range store.Tables() {
			s.prolong(table)
		}
	}
	return nil
}

// Expired implements store.Journal.
func (h *Host) Expired(ctx context.Context, table store.Table, limit int) ([]string, error) {
	if err := h.usable(ctx); err != nil {
		return nil, err
	}
	s := h.server
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if now.Sub(s.asked[table]) > absence {
		s.prolong(table)
	}
	s.asked[table] = now
	var keys []string
	for key, d := range s.deadlines {
		if key.Table == table && !d.at.After(now) {
			keys = append(keys, key.Key)
		}
	}
	slices.SortFunc(keys, func(a, b string) int {
		return s.deadlines[store.Deadline{Table: table, Key: a}].at.Compare(s.deadlines[store.Deadline{Table: table, Key: b}].at)
	})
	return keys[:min(limit, len(keys))], nil
}

// Heartbeat implements store.Hosts.
func (h *Host) Heartbeat(ctx context.Context, id, name string, term time.Duration) (map[string]string, error) {
	if err := h.usable(ctx); err != nil {
		return nil, err
	}
	s := h.server
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	s.hosts[id] = presence{name, now.Add(term)}
	names := map[string]string{}
	for id, host := range s.hosts {
		if !host.until.After(now) {
			delete(s.hosts, id)
			continue
		}
		names[id] = host.name
	}
	return names, nil
}

// SoleHost implements store.Hosts.
func (h *Host) SoleHost() bool { return false }

// Clock implements store.Hosts.
func (h *Host) Clock(func() time.Time) func() time.Time { return h.server.now }

// Acquire implements store.Journal.
func (h *Host) Acquire(ctx context.Context, name, holder string, term time.Duration) (store.Fence, bool, error) {
	if err := h.usable(ctx); err != nil {
		return store.Fence{}, false, err
	}
	s := h.server
	s.mu.Lock()
	defer s.mu.Unlock()
	now, l := s.now(), s.locks[name]
	free := !l.until.After(now)
	if !free && l.holder != holder {
		return store.Fence{}, false, nil
	}
	if free {
		s.tokens++
		l.token = s.tokens
	}
	l.holder, l.until = holder, now.Add(term)
	s.locks[name] = l
	return store.Fence{Name: name, Token: l.token}, true, nil
}

// Release implements store.Journal.
func (h *Host) Release(ctx context.Context, fence store.Fence) error {
	if err := h.usable(ctx); err != nil {
		return err
	}
	h.server.mu.Lock()
	defer h.server.mu.Unlock()
	if h.server.locks[fence.Name].token == fence.Token {
		delete(h.server.locks, fence.Name)
	}
	return nil
}

// Send implements store.Journal. A listener that does not keep up loses messages.
func (h *Host) Send(ctx context.Context, message []byte) error {
	if err := h.usable(ctx); err != nil {
		return err
	}
	h.server.mu.Lock()
	defer h.server.mu.Unlock()
	for l := range h.server.listeners {
		select {
		case l <- slices.Clone(message):
		default:
		}
	}
	return nil
}

// Listen implements store.Journal.
func (h *Host) Listen(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if err := h.usable(ctx); err != nil {
			yield(nil, err)
			return
		}
		messages := make(chan []byte, 64)
		s := h.server
		s.mu.Lock()
		s.listeners[messages] = struct{}{}
		s.mu.Unlock()
		defer func() {
			s.mu.Lock()
			delete(s.listeners, messages)
			s.mu.Unlock()
		}()
		for {
			select {
			case m := <-messages:
				if !yield(m, nil) {
					return
				}
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return
			}
		}
	}
}
