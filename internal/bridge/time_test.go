package bridge

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/internal/pause"
)

// script is a remote without a network: it answers with one status after another,
// then with 200, and records the times of the requests.
type script struct {
	mu       sync.Mutex
	statuses []int
	header   http.Header
	requests []time.Time
}

// RoundTrip implements http.RoundTripper.
func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, time.Now())
	status := http.StatusOK
	if len(s.statuses) > 0 {
		status, s.statuses = s.statuses[0], s.statuses[1:]
	}
	return &http.Response{StatusCode: status, Header: s.header, Body: http.NoBody, Request: r}, nil
}

func (f *fixture) scripted(s http.RoundTripper) *Bridge {
	f.t.Helper()
	b, err := Open(context.Background(), Options{World: f.World, URL: "http://bridge", Transport: s})
	if err != nil {
		f.t.Fatal(err)
	}
	return b
}

func TestWaitsDoubleUpToLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, nil)
		f.register()
		s := &script{statuses: make([]int, 12)}
		for i := range s.statuses {
			s.statuses[i] = http.StatusBadGateway
		}
		b := f.scripted(s)
		f.recordLines(1)
		pause.For(context.Background(), 10*time.Minute)
		synctest.Wait()
		f.closeBridge(b)
		if len(s.requests) != 13 {
			t.Fatalf("there were %d attempts, want 13", len(s.requests))
		}
		want := backoff.First
		for i := 1; i < len(s.requests); i++ {
			if got := s.requests[i].Sub(s.requests[i-1]); got < want/2 || got > want {
				t.Errorf("wait %d is %s, want %s to %s", i, got, want/2, want)
			}
			want = min(2*want, backoff.Max)
		}
	})
}

func TestRetryAfterIsRespected(t *testing.T) {
	for text, least := range map[string]time.Duration{"20": 20 * time.Second, "86400": time.Minute, "soon": 0, "-5": 0} {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture(t, nil)
			f.register()
			s := &script{statuses: []int{http.StatusServiceUnavailable}, header: http.Header{"Retry-After": {text}}}
			b := f.scripted(s)
			f.recordLines(1)
			pause.For(context.Background(), 5*time.Minute)
			f.closeBridge(b)
			if got := s.requests[1].Sub(s.requests[0]); got < least || got > least+backoff.First {
				t.Errorf("after Retry-After: %s the bridge waited %s", text, got)
			}
		})
	}
}

// Storing the place costs the world at most one commit a second, and none in a
// quiet world; soon after the last event it is stored.
func TestPlaceIsStoredOncePerSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, nil)
		f.register()
		b := f.scripted(&script{})
		before, err := f.journal.Head(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		const lines = 100
		for range lines {
			f.recordLines(1)
			pause.For(context.Background(), 100*time.Millisecond)
		}
		pause.For(context.Background(), time.Hour)
		after, err := f.journal.Head(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if kept := after - before - lines; kept < 9 || kept > 11 {
			t.Errorf("the place was stored %d times in ten seconds, want 10", kept)
		}
		at, known, err := f.BridgeCursor(context.Background(), b.name)
		if err != nil || !known || at != f.Cursor() {
			t.Errorf("an hour later the stored place is %v, want %v", at, f.Cursor())
		}
		f.closeBridge(b)
	})
}

// An unreachable remote does not prevent the world from closing.
func TestCloseDoesNotWaitForRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, nil)
		f.register()
		b := f.scripted(&script{statuses: []int{500, 500, 500, 500, 500, 500, 500, 500, 500, 500}})
		f.recordLines(1)
		pause.For(context.Background(), 20*time.Second)
		start := time.Now()
		f.closeBridge(b)
		if took := time.Since(start); took > grace {
			t.Errorf("Close took %s", took)
		}
		if s := b.State(); !s.Failing || s.LastFailure != FailedServer || s.Lag != 1 {
			t.Errorf("the state is %+v", s)
		}
	})
}

// counted reports every attempt of a real transport.
type counted struct {
	http.RoundTripper
	requests chan struct{}
}

// RoundTrip implements http.RoundTripper.
func (c *counted) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case c.requests <- struct{}{}:
	case <-r.Context().Done():
	}
	return c.RoundTripper.RoundTrip(r)
}

func TestFailureDoesNotShowURL(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	f.register()
	r := newRemote(t)
	r.server.Close()
	attempts := &counted{&http.Transport{}, make(chan struct{})}
	b := f.bridge(r, func(o *Options) { o.Transport = attempts })
	f.recordLines(1)
	// At the second attempt the first failure is in the log.
	<-attempts.requests
	<-attempts.requests
	f.closeBridge(b)
	if log := f.logged.String(); !strings.Contains(log, "refused") || strings.Contains(log, "password") || strings.Contains(log, "/hook") {
		t.Errorf("the log: %s", log)
	}
}
