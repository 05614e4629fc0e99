package client

import (
	"context"
	"slices"
	"sync"

	"github.com/playctl/playctl/protocol"
)

// session is what all clients of one host share: the session they last saw and
// how far they have written.
type session struct {
	fetching chan struct{} // holds one token while a fetch runs
	changed  func(sid string)

	mu           sync.Mutex
	sid          string // the one to use; empty when it has to be fetched
	last         string // the one used before, to notice a change
	known        bool   // a session reply was seen
	capabilities []protocol.Capability
	written      uint64 // the highest rev that a write of ours was answered with
}

func newSession(changed func(sid string)) *session {
	return &session{fetching: make(chan struct{}, 1), changed: changed}
}

func (s *session) current() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sid
}

// adopt takes a session reply. What was written in another session says nothing
// about the revs of this one: a host without a store counts from the start.
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

// forget drops a session that the host refused, unless it was replaced since.
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

// SID gives the session that the client uses, and fetches it where it knows
// none. After a reset of the world it changes.
func (c *Client) SID(ctx context.Context) (string, error) {
	if sid := c.session.current(); sid != "" {
		return sid, nil
	}
	select {
	case c.session.fetching <- struct{}{}:
		defer func() { <-c.session.fetching }()
	case <-ctx.Done():
		return "", c.ended(ctx, false)
	}
	if sid := c.session.current(); sid != "" {
		return sid, nil
	}
	reply, err := c.Session(ctx)
	if err != nil {
		return "", err
	}
	return reply.SID, nil
}

// ForgetSession makes the next call that needs the session fetch it. A reader
// of the stream calls it when it learns of a reset.
func (c *Client) ForgetSession(sid string) { c.session.forget(sid) }

// Has reports whether the host stated a capability in the last session reply.
func (c *Client) Has(capability protocol.Capability) bool {
	has, _ := c.session.has(capability)
	return has
}
