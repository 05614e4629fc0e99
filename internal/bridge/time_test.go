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
	asked    []time.Time
}

// RoundTrip implements http.RoundTripper.
func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, time.Now())
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

func TestWaitsDoubleAndAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, nil)
		f.register()
		s := &script{statuses: make([]int, 12)}
		for i := range s.statuses {
			s.statuses[i] = http.StatusBadGateway
		}
		b := f.scripted(s)
		f.say(1)
		pause.For(context.Background(), 10*time.Minute)
		synctest.Wait()
		f.shut(b)
		if len(s.asked) != 13 {
			t.Fatalf("there were %d attempts, want 13", len(s.asked))
		}
		want := backoff.First
		for i := 1; i < len(s.asked); i++ {
			if got := s.asked[i].Sub(s.asked[i-1]); got < want/2 || got > want {
				t.Errorf("wait %d is %s, want %s to %s", i, got, want/2, want)
			}
			want = min(2*want, backoff.Max)
		}
	})
}

func TestTheRemoteSaysHowLongToWait(t *testing.T) {
	for text, least := range map[string]time.Duration{"20": 20 * time.Second, "86400": time.Minute, "soon": 0, "-5": 0} {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture(t, nil)
			f.register()
			s := &script{statuses: []int{http.StatusServiceUnavailable}, header: http.Header{"Retry-After": {text}}}
			b := f.scripted(s)
			f.say(1)
			pause.For(context.Background(), 5*time.Minute)
			f.shut(b)
			if got := s.asked[1].Sub(s.asked[0]); got < least || got > least+backoff.First {
				t.Errorf("after Retry-After: %s it waited %s", text, got)
			}
		})
	}
}

// Storing the place costs the world at most one commit a second, and none in a
// quiet world; soon after the last event it is stored.
func TestThePlaceIsStoredOnceASecond(t *testing.T) {
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
			f.say(1)
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
		f.shut(b)
	})
}

// An unreachable remote does not prevent the world from closing.
func TestCloseDoesNotWaitForARetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, nil)
		f.register()
		b := f.scripted(&script{statuses: []int{500, 500, 500, 500, 500, 500, 500, 500, 500, 500}})
		f.say(1)
		pause.For(context.Background(), 20*time.Second)
		began := time.Now()
		f.shut(b)
		if took := time.Since(began); took > grace {
			t.Errorf("to close took %s", took)
		}
		if s := b.State(); !s.Failing || s.LastFailure != FailedServer || s.Lag != 1 {
			t.Errorf("the state is %+v", s)
		}
	})
}

// counted reports every attempt of a real transport.
type counted struct {
	http.RoundTripper
	asked chan struct{}
}

// RoundTrip implements http.RoundTripper.
func (c *counted) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case c.asked <- struct{}{}:
	case <-r.Context().Done():
	}
	return c.RoundTripper.RoundTrip(r)
}

func TestAFailureDoesNotShowTheURL(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	f.register()
	r := newRemote(t)
	r.server.Close()
	attempts := &counted{&http.Transport{}, make(chan struct{})}
	b := f.bridge(r, func(o *Options) { o.Transport = attempts })
	f.say(1)
	// At the second attempt the first failure is in the log.
	<-attempts.asked
	<-attempts.asked
	f.shut(b)
	if log := f.logged.String(); !strings.Contains(log, "refused") || strings.Contains(log, "password") || strings.Contains(log, "/hook") {
		t.Errorf("the log: %s", log)
	}
}
