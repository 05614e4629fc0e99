package bridge

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

func TestRemoteGetsEveryPublicEvent(t *testing.T) {
	t.Parallel()
	f, r := newFixture(t, nil), newRemote(t)
	f.register()
	f.recordLines(3) // from before the bridge: not reported
	from, first := f.Events().Head(), f.View().SID
	b := f.bridge(r)
	f.ask("private-1")
	f.recordLines(20)
	reset := f.do(world.ResetSession{Reason: "admin"})
	f.register()
	f.recordLines(2)
	f.wantAll(r, from, func(seq uint64) string {
		if seq < reset.Seq {
			return first
		}
		return f.View().SID
	})
	if user, password, ok := (&http.Request{Header: r.taken[0].header}).BasicAuth(); !ok || user != "someone" || password != "the-bridge-password" {
		t.Error("the URL's user and password are not sent")
	}
	if got := r.taken[0].header.Get("Content-Type"); got != protocol.MediaTypeJSON {
		t.Errorf("the content type is %q", got)
	}
	f.closeBridge(b)
	if s := b.State(); s.Position != f.Events().Head() || s.Lag != 0 || s.Delivered != uint64(len(r.taken)) || s.Failing {
		t.Errorf("the state is %+v", s)
	}
}

// Whatever the remote answers, each event arrives, in order.
func TestFailuresOfRemote(t *testing.T) {
	t.Parallel()
	fail := func(status int) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
	}
	for name, c := range map[string]struct {
		do   func(http.ResponseWriter, *http.Request)
		want Failure
	}{
		"server error":    {fail(http.StatusInternalServerError), FailedServer},
		"throttled":       {fail(http.StatusTooManyRequests), FailedThrottled},
		"request timeout": {fail(http.StatusRequestTimeout), FailedThrottled},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		}, FailedRedirect},
		"broken connection": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, FailedUnreachable},
		"no reply":          {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, FailedTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, r := newFixture(t, nil), newRemote(t)
			f.register()
			from := f.Events().Head()
			r.behave(func(w http.ResponseWriter, request *http.Request, before int) bool {
				if before%4 == 1 || before%4 == 2 {
					c.do(w, request)
					return false
				}
				return true
			})
			b := f.bridge(r, func(o *Options) {
				if c.want == FailedTimeout {
					o.Timeout = 300 * time.Millisecond
				}
			})
			f.recordLines(6)
			f.wantAll(r, from, always(f.View().SID))
			f.closeBridge(b)
			if s := b.State(); s.LastFailure != c.want || s.Retries == 0 || s.Refused != 0 || s.Failing {
				t.Errorf("the state is %+v, want the failure %q", s, c.want)
			}
			for _, secret := range []string{"someone", "the-bridge-password", "/hook"} {
				if strings.Contains(f.logged.String(), secret) {
					t.Errorf("the log has %q: %s", secret, f.logged)
				}
			}
			if strings.Count(f.logged.String(), "does not accept events") == 0 || !strings.Contains(f.logged.String(), "accepts events again") {
				t.Errorf("the log does not report it: %s", f.logged)
			}
		})
	}
}

// A refusal would be repeated the next time: the event is skipped, and the order is
// kept.
func TestRefusedEventIsSkipped(t *testing.T) {
	t.Parallel()
	f, r := newFixture(t, nil), newRemote(t)
	f.register()
	from := f.Events().Head()
	r.behave(func(w http.ResponseWriter, _ *http.Request, before int) bool {
		if before == 1 || before == 2 {
			w.WriteHeader(http.StatusUnprocessableEntity)
		}
		return true
	})
	b := f.bridge(r)
	f.recordLines(6)
	f.wantAll(r, from, always(f.View().SID))
	f.closeBridge(b)
	if s := b.State(); s.Refused != 2 || s.Delivered != 4 || s.Retries != 0 || s.LastFailure != FailedRefused {
		t.Errorf("the state is %+v", s)
	}
	if n := strings.Count(f.logged.String(), "refuses events"); n != 1 {
		t.Errorf("the log has %d lines of refusals, want 1", n)
	}
}

// The world continues while the remote hangs, and a bridge that ends does not wait
// for it.
func TestHangingRemoteDoesNotBlockWorld(t *testing.T) {
	t.Parallel()
	f, r := newFixture(t, nil), newRemote(t)
	f.register()
	from := f.Events().Head()
	entered := make(chan struct{}, 1)
	r.behave(func(_ http.ResponseWriter, request *http.Request, _ int) bool {
		select {
		case entered <- struct{}{}:
		default:
		}
		<-request.Context().Done()
		return false
	})
	b := f.bridge(r, func(o *Options) { o.Timeout = time.Hour })
	f.recordLines(1)
	<-entered
	f.recordLines(500)
	if s := b.State(); s.Position != from || s.Lag != 501 {
		t.Errorf("the state is %+v, want it at %d", s, from)
	}
	f.closeBridge(b)
	r.behave(nil)
	f.bridge(r)
	f.wantAll(r, from, always(f.View().SID))
}

// Hosts end gracefully or not, and remotes fail; no event is lost and the order is
// kept.
func TestRestartsLoseNoEvents(t *testing.T) {
	t.Parallel()
	f, r := newFixture(t, nil), newRemote(t)
	f.register()
	from := f.Events().Head()
	r.behave(func(w http.ResponseWriter, _ *http.Request, before int) bool {
		if before%17 == 5 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return false
		}
		return true
	})
	for round := range 8 {
		b := f.bridge(r)
		f.recordLines(10)
		r.until("progress", func() bool { return len(r.taken) > 10*round })
		if round%2 == 0 {
			f.closeBridge(b)
		} else {
			// As after a killed process: nothing is stored at the end.
			b.cut()
			b.running.Wait()
			b.turn = nil
		}
		f.stop()
		f.start()
	}
	f.bridge(r)
	f.wantAll(r, from, always(f.View().SID))
}

func TestBridgeBehindRemovedEvents(t *testing.T) {
	t.Parallel()
	f, r := newFixture(t, memory.Open(store.Retention{Events: 20, Revs: 1})), newRemote(t)
	f.register()
	f.closeBridge(f.bridge(r))
	from := f.Events().Head()
	f.recordLines(60)
	f.stop() // a checkpoint trims
	f.start()
	b := f.bridge(r)
	f.wantAll(r, from+40, always(f.View().SID))
	f.closeBridge(b)
	if s := b.State(); s.Skipped != 40 || s.Delivered != 20 {
		t.Errorf("the state is %+v", s)
	}
	if n := strings.Count(f.logged.String(), "before they were delivered"); n != 1 {
		t.Errorf("the log has %d lines of it, want 1: %s", n, f.logged)
	}
}

// A bridge with another address has a place of its own; one with another password
// does not.
func TestPlaceBelongsToAddress(t *testing.T) {
	t.Parallel()
	name := func(text string) string {
		u, _, err := parseURL(text)
		if err != nil {
			t.Fatal(err)
		}
		return nameOf(u)
	}
	if name("https://a:b@host/x") != name("https://c:d@host/x/") || name("https://host/x") == name("https://host/y") {
		t.Error("the name does not depend on the address")
	}
	for _, bad := range []string{"", "host", "ftp://host", "https://user:secret@", "https://user:secret@host?a=b", "https://user:secret@host\x7f"} {
		if err := CheckURL(bad); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("CheckURL(%q): %v", bad, err)
		}
	}
}

func TestBridgeMetrics(t *testing.T) {
	t.Parallel()
	f, r := newFixture(t, nil), newRemote(t)
	f.register()
	r.behave(func(w http.ResponseWriter, _ *http.Request, before int) bool {
		if before == 0 {
			w.WriteHeader(http.StatusForbidden)
		}
		return true
	})
	b := f.bridge(r)
	f.recordLines(2)
	r.until("second event", func() bool { return len(r.taken) == 2 })
	f.closeBridge(b)
	var text strings.Builder
	b.WriteMetrics(&text)
	got := map[string]float64{}
	for line := range strings.Lines(text.String()) {
		if name, value, found := strings.Cut(strings.TrimSpace(line), " "); found && name != "#" {
			number, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatal(err)
			}
			got[name] = number
		}
	}
	for name, want := range map[string]float64{
		"position": float64(f.Events().Head()), "lag_events": 0, "failing": 0, "delivered_total": 1, "refused_total": 1,
		"retries_total": 0, "skipped_total": 0, `last_failure{kind="refused"}`: 1,
	} {
		if value, ok := got["playctl_bridge_"+name]; !ok || value != want {
			t.Errorf("%s is %v, want %v", name, value, want)
		}
	}
}

func TestOpenRequiresStore(t *testing.T) {
	t.Parallel()
	f, r := newFixture(t, nil), newRemote(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Open(ctx, Options{World: f.World, URL: r.url()}); err == nil {
		t.Error("a bridge opened without storing its place")
	}
}
