package client

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/protocol"
)

// No call waits longer for the session than for an unreachable host: the call that
// fetches the session does so for all that wait no longer than it does.
func TestUnreachableHostIsRequestedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests atomic.Int64
		c := timedClient(t, roundTrip(func(*http.Request) (*http.Response, error) {
			requests.Add(1)
			return nil, errors.New("away")
		}), retry.Patient())
		impatient := c.WithRetry(retry.Policy{Attempts: 2, Backoff: retry.Backoff{First: 1, Max: 1}})
		var callers sync.WaitGroup
		callers.Go(func() {
			if _, err := impatient.SID(t.Context()); !errors.Is(err, ErrUnreachable) {
				t.Errorf("an impatient caller: %v", err)
			}
		})
		synctest.Wait()
		for range 5 {
			callers.Go(func() {
				if _, err := c.SID(t.Context()); !errors.Is(err, ErrUnreachable) {
					t.Errorf("a patient caller: %v", err)
				}
			})
		}
		callers.Wait()
		if want := int64(2 + retry.Patient().Attempts); requests.Load() != want {
			t.Errorf("the session was requested %d times, want %d", requests.Load(), want)
		}
	})
}

// The failure of the call that fetches the session does not fail the others.
func TestSessionFailureOfOneCallerFailsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := timedClient(t, roundTrip(func(r *http.Request) (*http.Response, error) {
			switch r.Header.Get(protocol.HeaderAPIKey) {
			case "silent":
				<-r.Context().Done()
				return nil, context.Cause(r.Context())
			case "refused":
				return respond(http.StatusUnauthorized, nil, `{"error":"no","code":"api_key_invalid","requestId":"r"}`), nil
			}
			return respond(http.StatusOK, nil, `{"sid":"s"}`), nil
		}), retry.Default())
		as := func(key string) *Client { return c.WithAPIKey(protocol.NewSecret(key)) }
		ctx, cancel := context.WithCancel(t.Context())
		var callers sync.WaitGroup
		callers.Go(func() {
			if _, err := as("silent").SID(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("the canceled caller: %v", err)
			}
		})
		synctest.Wait()
		callers.Go(func() {
			if _, err := as("refused").SID(t.Context()); err != nil && !protocol.HasCode(err, protocol.CodeAPIKeyInvalid) {
				t.Errorf("the refused caller: %v", err)
			}
		})
		for range 3 {
			callers.Go(func() {
				if sid, err := as("good").SID(t.Context()); sid != "s" || err != nil {
					t.Errorf("another caller got %q, %v", sid, err)
				}
			})
		}
		synctest.Wait()
		cancel()
		callers.Wait()
	})
}

// The call that fetches the session does not wait for itself, whatever the reply
// is.
func TestSessionFetchDoesNotWaitForItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := timedClient(t, roundTrip(func(*http.Request) (*http.Response, error) {
			return respond(http.StatusServiceUnavailable, nil, `{"error":"no","code":"behind","requestId":"r"}`), nil
		}), retry.Default())
		if _, err := c.SID(t.Context()); !protocol.HasCode(err, protocol.CodeBehind) {
			t.Errorf("SID: %v", err)
		}
	})
}

func TestNewSessionIsUsed(t *testing.T) {
	h := newTestHost(t, map[string]answer{
		sessionRoute: sequence(sessionOf("old"), sessionOf("new")),
		rpcRoute:     sequence(ok(`{"ok":true}`), refuse(protocol.CodeSIDInvalid), ok(`{"ok":true}`)),
	})
	c := newTestClient(t, h)
	var reported []string
	c.session.changed = func(sid string) { reported = append(reported, sid) }
	for range 2 {
		if err := record(t, c); err != nil {
			t.Fatal(err)
		}
	}
	if len(reported) != 1 || reported[0] != "new" {
		t.Errorf("reported the sessions %q, want only the new one", reported)
	}
	got := h.of(rpcRoute)
	if len(got) != 3 || got[1].sid != "old" || got[2].sid != "new" || got[1].key() != got[2].key() {
		t.Errorf("requests: %+v", got)
	}
}

func TestPermanentlyRefusedSessionIsReported(t *testing.T) {
	h := newTestHost(t, map[string]answer{rpcRoute: refuse(protocol.CodeSIDInvalid)})
	if err := record(t, newTestClient(t, h)); !protocol.HasCode(err, protocol.CodeSIDInvalid) {
		t.Errorf("got %v", err)
	}
	if n := len(h.of(rpcRoute)); n > maxSessions {
		t.Errorf("%d requests", n)
	}
}

// The error is the reason why there is no session, not the end of the old one: a
// program tries again after the former and gives up after the latter.
func TestUnavailableSessionIsReported(t *testing.T) {
	h := newTestHost(t, map[string]answer{
		sessionRoute: sequence(sessionOf("old"), drop),
		rpcRoute:     refuse(protocol.CodeSIDInvalid),
	})
	var gone *UnreachableError
	if err := record(t, newTestClient(t, h)); !errors.As(err, &gone) {
		t.Errorf("got %v", err)
	}
}
