package host

import (
	"context"
	"fmt"
	"sync"
)

// streams are the event streams that are open, so that they can be told to end
// and waited for.
type streams struct {
	// draining is closed when the host shuts down.
	draining chan struct{}
	open     sync.WaitGroup

	mu    sync.Mutex
	ended bool
	n     int
}

func newStreams() *streams {
	return &streams{draining: make(chan struct{})}
}

// enter counts a stream in; false once the host shuts down.
func (s *streams) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return false
	}
	s.n++
	s.open.Add(1)
	return true
}

func (s *streams) leave() {
	s.mu.Lock()
	s.n--
	s.mu.Unlock()
	s.open.Done()
}

func (s *streams) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

// drain turns new streams away and tells the open ones to end.
func (s *streams) drain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.ended = true
		close(s.draining)
	}
}

// wait returns when every stream has ended, or with an error when the context
// has before.
func (s *streams) wait(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		s.open.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for %d event streams to end: %w", s.count(), context.Cause(ctx))
	}
}
