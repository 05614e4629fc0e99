package client

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/protocol"
)

// roundTrip implements a transport with a function, for tests in a bubble.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func respond(status int, header http.Header, body string) *http.Response {
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body))}
}

// limited answers 429 with a Retry-After until the bubble's clock reaches a time.
func limited(retryAfter string, until time.Time) roundTrip {
	return func(*http.Request) (*http.Response, error) {
		if time.Now().Before(until) {
			return respond(http.StatusTooManyRequests, http.Header{"Retry-After": {retryAfter}},
				`{"error":"slow down","code":"rate_limited","requestId":"r"}`), nil
		}
		return respond(http.StatusOK, nil, `{"sid":"s"}`), nil
	}
}

func timedClient(t *testing.T, transport http.RoundTripper, policy retry.Policy) *Client {
	t.Helper()
	c, err := New(Options{BaseURL: "http://host", Transport: transport, Retry: policy})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRetryAfterIsRespected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		c := timedClient(t, limited("7", start.Add(7*time.Second)), retry.Default())
		if _, err := c.Session(t.Context()); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(start); waited != 7*time.Second {
			t.Errorf("waited %v", waited)
		}
	})
}

// A client returns a Retry-After of an hour as an error immediately.
func TestLongRetryAfterIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		c := timedClient(t, limited("3600", start.Add(time.Hour)), retry.Default())
		_, err := c.Session(t.Context())
		var refused *protocol.Error
		if !errors.As(err, &refused) || refused.RetryAfter != time.Hour {
			t.Errorf("got %v", err)
		}
		if waited := time.Since(start); waited != 0 {
			t.Errorf("waited %v", waited)
		}
	})
}

func TestWaitsEndBeforeDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		c := timedClient(t, limited("5", start.Add(time.Hour)), retry.Default())
		ctx, cancel := context.WithTimeout(t.Context(), 12*time.Second)
		defer cancel()
		if _, err := c.Session(ctx); !protocol.HasCode(err, protocol.CodeRateLimited) {
			t.Errorf("got %v, want the last answer", err)
		}
		if waited := time.Since(start); waited != 10*time.Second {
			t.Errorf("waited %v, want two waits of 5 s", waited)
		}
	})
}

func TestCanceledWaitEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := timedClient(t, limited("9", time.Now().Add(time.Hour)), retry.Default())
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("the caller's own reason")
		ended := make(chan error)
		go func() {
			_, err := c.Session(ctx)
			ended <- err
		}()
		synctest.Wait() // it waits for the repeat
		cancel(why)
		if err := <-ended; !protocol.HasCode(err, protocol.CodeRateLimited) || !errors.Is(err, why) {
			t.Errorf("got %v, want the last answer and the reason", err)
		}
	})
}

// The time of a call ends during an attempt to connect, after one that was refused: the
// error says what the refused one found.
func TestRefusedConnectionIsReportedAtTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
		attempts := 0
		c := timedClient(t, roundTrip(func(r *http.Request) (*http.Response, error) {
			if attempts++; attempts == 1 {
				return nil, dial(syscall.ECONNREFUSED)
			}
			<-r.Context().Done()
			return nil, dial(r.Context().Err())
		}), retry.Default())
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if _, err := c.Session(ctx); !errors.Is(err, syscall.ECONNREFUSED) || attempts != 2 {
			t.Errorf("after %d attempts: %v", attempts, err)
		}
	})
}
