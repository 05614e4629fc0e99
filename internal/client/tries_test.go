package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/playctl/playctl/protocol"
)

// roundTrip is a transport made of a function, for tests whose time is not real.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func respond(status int, header http.Header, body string) *http.Response {
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body))}
}

// limited answers 429 with a Retry-After until the bubble's clock is at a time.
func limited(retryAfter string, until time.Time) roundTrip {
	return func(*http.Request) (*http.Response, error) {
		if time.Now().Before(until) {
			return respond(http.StatusTooManyRequests, http.Header{"Retry-After": {retryAfter}},
				`{"error":"slow down","code":"rate_limited","requestId":"r"}`), nil
		}
		return respond(http.StatusOK, nil, `{"sid":"s"}`), nil
	}
}

func timedClient(t *testing.T, transport http.RoundTripper, retry Retry) *Client {
	t.Helper()
	c, err := New(Options{BaseURL: "http://host", Transport: transport, Retry: retry})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRetryAfterIsKeptTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		c := timedClient(t, limited("7", start.Add(7*time.Second)), DefaultRetry())
		if _, err := c.Session(t.Context()); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(start); waited != 7*time.Second {
			t.Errorf("waited %v", waited)
		}
	})
}

// Whoever is told to come back in an hour hears of it now.
func TestALongRetryAfterIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		c := timedClient(t, limited("3600", start.Add(time.Hour)), DefaultRetry())
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

func TestNoWaitGoesPastTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		c := timedClient(t, limited("5", start.Add(time.Hour)), DefaultRetry())
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

func TestACancelledWaitEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := timedClient(t, limited("9", time.Now().Add(time.Hour)), DefaultRetry())
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			_, err := c.Session(ctx)
			ended <- err
		}()
		synctest.Wait() // it waits for the repeat
		cancel()
		if err := <-ended; !protocol.HasCode(err, protocol.CodeRateLimited) {
			t.Errorf("got %v", err)
		}
	})
}

func TestWaitsGrowAndAreBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Retry{
			Base: time.Duration(rapid.Int64Range(1, int64(time.Second)).Draw(t, "base")),
			Max:  time.Duration(rapid.Int64Range(int64(time.Second), int64(time.Minute)).Draw(t, "max")),
		}
		failed := rapid.IntRange(1, 200).Draw(t, "failed")
		full := r.Max
		if failed < 62 && r.Base<<(failed-1)>>(failed-1) == r.Base && r.Base<<(failed-1) > 0 {
			full = min(full, r.Base<<(failed-1))
		}
		wait, ok := r.wait(failed, 0)
		if !ok || wait < full/2 || wait > full {
			t.Fatalf("wait(%d) = %v, %v; want %v to %v", failed, wait, ok, full/2, full)
		}
	})
}
