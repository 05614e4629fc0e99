package client

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/protocol"
)

// session is the state that all clients of one host share: the last known session
// and the highest rev of their writes.
type session struct {
	changed func(sid string)

	mu           sync.Mutex
	fetching     *fetch // the one in progress; nil for none
	sid          string // the one to use; empty when it has to be fetched
	last         string // the one used before, to notice a change
	known        bool   // a session reply was seen
	capabilities []protocol.Capability
	written      uint64 // the highest rev in a reply to a write of ours, a refusal included
}

// fetch is a running fetch of the session, for which other callers wait.
type fetch struct {
	retry retry.Policy
	done  chan struct{}
	// gone is set, once done is closed, if the host could not be reached.
	gone error
}

// begin returns the session, or else the fetch to wait for; mine is set if the
// caller has to do the fetch.
func (s *session) begin(policy retry.Policy) (sid string, f *fetch, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sid != "" || s.fetching != nil {
		return s.sid, s.fetching, false
	}
	s.fetching = &fetch{retry: policy, done: make(chan struct{})}
	return "", s.fetching, true
}

// end wakes the callers that wait for a fetch.
func (s *session) end(f *fetch, gone error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.gone = gone
	s.fetching = nil
	close(f.done)
}

func (s *session) current() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sid
}

// adopt stores a session reply. The revs of writes in another session do not apply
// to this one: a host without a store counts from the start.
func (s *session) adopt(sid string, capabilities []protocol.Capability) {
	if s.replace(sid, capabilities) && s.changed != nil {
		s.changed(sid)
	}
}

// replace reports whether there was another session before.
func (s *session) replace(sid string, capabilities []protocol.Capability) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := s.last != "" && s.last != sid
	if changed {
		s.written = 0
	}
	s.sid, s.last, s.known = sid, sid, true
	s.capabilities = slices.Clone(capabilities)
	return changed
}

// forget drops a session that the host refused, unless it was replaced meanwhile.
func (s *session) forget(sid string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sid == sid {
		s.sid = ""
	}
}

// has reports whether the host has a capability, and whether that is known.
func (s *session) has(capability protocol.Capability) (has, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.capabilities, capability), s.known
}

func (s *session) wrote(rev uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.written = max(s.written, rev)
}

func (s *session) minRev() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.written
}

// SID returns the current session, and fetches it if the client knows none, once
// for all waiting callers. If that fails because of the caller that fetched it (its
// credentials, its shorter timeout or its canceled context), the next caller
// fetches it again. After a reset of the world the session changes.
func (c *Client) SID(ctx context.Context) (string, error) {
	for {
		sid, f, mine := c.session.begin(c.retry)
		switch {
		case sid != "":
			return sid, nil
		case mine:
			return c.fetchSID(ctx, f)
		}
		select {
		case <-f.done:
			if f.gone != nil && f.retry.Attempts >= c.retry.Attempts {
				return "", f.gone
			}
		case <-ctx.Done():
			return "", c.ended(ctx, false)
		}
	}
}

func (c *Client) fetchSID(ctx context.Context, f *fetch) (string, error) {
	reply, err := c.Session(ctx)
	if err == nil {
		c.session.end(f, nil)
		return reply.SID, nil
	}
	var gone error
	if errors.Is(err, ErrUnreachable) && ctx.Err() == nil {
		gone = err
	}
	c.session.end(f, gone)
	return "", err
}

// Has reports whether the host stated a capability in the last session reply.
func (c *Client) Has(capability protocol.Capability) bool {
	has, _ := c.session.has(capability)
	return has
}
