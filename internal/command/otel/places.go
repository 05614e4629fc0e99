package otel

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// errFull is returned for a request for which there is no memory at the moment.
var errFull = errors.New("too many requests are in progress: send it again later")

// places are the connections of a receiver and the memory of the requests that arrive over
// them. If there are too many, the connection that has completed no request for the longest
// time is closed, so that bodies that stall do not keep out others. Exporters connect again.
type places struct {
	// most bounds the connections, and mostBytes the bytes of bodies.
	most, mostBytes int
	// patience is how long a connection may need for a request although others wait.
	patience time.Duration

	mu    sync.Mutex
	all   map[*place]bool
	bytes int
	// freed is closed when a connection ends.
	freed chan struct{}
}

func newPlaces(most, mostBytes int) *places {
	return &places{most: most, mostBytes: mostBytes, patience: time.Second, all: map[*place]bool{}, freed: make(chan struct{})}
}

// place is a connection.
type place struct {
	net.Conn

	in *places
	// since is when it connected or completed a request, whichever is later; bytes are
	// held by its requests, of which busy are being unpacked.
	since       time.Time
	bytes, busy int
}

// Close implements net.Conn.
func (p *place) Close() error {
	p.in.mu.Lock()
	p.in.remove(p)
	p.in.mu.Unlock()
	return p.Conn.Close() //nolint:wrapcheck // net/http compares it
}

// remove frees the place of a connection. The lock is held.
func (s *places) remove(p *place) {
	if !s.all[p] {
		return
	}
	delete(s.all, p)
	s.bytes -= p.bytes
	p.bytes = 0
	close(s.freed)
	s.freed = make(chan struct{})
}

// oldest returns the connection that has completed no request for the longest time and is
// not one to keep; nil if all are. The lock is held.
func (s *places) oldest(keep func(*place) bool) *place {
	var found *place
	for p := range s.all {
		if p.busy == 0 && !keep(p) && (found == nil || p.since.Before(found.since)) {
			found = p
		}
	}
	return found
}

// admit gives a connection a place; nil if stopped is closed before there is one.
func (s *places) admit(conn net.Conn, stopped <-chan struct{}) *place {
	for {
		s.mu.Lock()
		wait := s.patience
		if len(s.all) >= s.most {
			if slow := s.oldest(func(*place) bool { return false }); slow != nil {
				if wait = s.patience - time.Since(slow.since); wait <= 0 {
					s.remove(slow)
					_ = slow.Conn.Close()
				}
			}
		}
		if len(s.all) < s.most {
			p := &place{Conn: conn, in: s, since: time.Now()}
			s.all[p] = true
			s.mu.Unlock()
			return p
		}
		freed := s.freed
		s.mu.Unlock()
		timer := time.NewTimer(wait)
		select {
		case <-freed:
		case <-timer.C:
		case <-stopped:
			return nil
		}
		timer.Stop()
	}
}

// hold reserves memory for the body of a request. For errFull it can be sent again.
func (s *places) hold(p *place, bytes int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p != nil && !s.all[p] {
		return errFull // it was closed
	}
	for s.bytes+bytes > s.mostBytes {
		slow := s.oldest(func(one *place) bool { return one == p || one.bytes == 0 || time.Since(one.since) < s.patience })
		if slow == nil {
			return errFull
		}
		s.remove(slow)
		_ = slow.Conn.Close()
	}
	s.bytes += bytes
	if p != nil {
		p.bytes += bytes
	}
	return nil
}

// release ends a request, which held memory.
func (s *places) release(p *place, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case p == nil:
		s.bytes -= bytes
	case s.all[p]:
		s.bytes -= bytes
		p.bytes -= bytes
		p.since = time.Now()
	}
}

// keep excludes a connection from being closed, or no longer.
func (s *places) keep(p *place, change int) {
	if p != nil {
		s.mu.Lock()
		p.busy += change
		s.mu.Unlock()
	}
}

// placesListener gives connections a place.
type placesListener struct {
	net.Listener

	places  *places
	stopped chan struct{}
	once    sync.Once
}

func (s *places) listener(inner net.Listener) net.Listener {
	return &placesListener{Listener: inner, places: s, stopped: make(chan struct{})}
}

// Accept implements net.Listener.
func (l *placesListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err //nolint:wrapcheck // net/http compares it
	}
	if p := l.places.admit(conn, l.stopped); p != nil {
		return p, nil
	}
	_ = conn.Close()
	return nil, net.ErrClosed
}

// Close implements net.Listener.
func (l *placesListener) Close() error {
	l.once.Do(func() { close(l.stopped) })
	return l.Listener.Close() //nolint:wrapcheck // net/http compares it
}

type placeKey struct{}

// withPlace makes the place of a connection known to its requests.
func withPlace(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, placeKey{}, conn)
}

// placeOf returns the place of a request; nil in a test without a listener.
func placeOf(ctx context.Context) *place {
	p, _ := ctx.Value(placeKey{}).(*place)
	return p
}
