package host

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"github.com/playctl/playctl/protocol"
)

const stranger = "192.0.2.1:1000"

func TestDefaultLimitsAllowContractRates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		main := f.main()
		for i := range 500 {
			if r := f.get("/api/play/session", as(main), from(stranger)); r.status != http.StatusOK {
				t.Fatalf("request %d of one second: %d", i, r.status)
			}
		}
		for i := range 60 {
			n := f.newIdentity()
			r := f.post(protocol.PathNodes, map[string]any{"nodeId": n.id, "passwHash": n.hash}, from(stranger))
			if r.status != http.StatusOK {
				t.Fatalf("creation %d of one minute: %d", i, r.status)
			}
		}
	})
}

func TestRateLimitPerAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, func(s *setup) { s.host.Limits = RateLimits{RequestsPerSecond: 5, CreationsPerMinute: 2} })
		main := f.main()
		session := func(addr string) *reply { return f.get("/api/play/session", as(main), from(addr)) }
		for range 10 {
			session(stranger).ok()
		}
		r := session(stranger)
		if e := r.refused(protocol.CodeRateLimited); !strings.Contains(e.Error, "5 a second (--rate-requests)") {
			t.Errorf("the refusal does not name the limit: %s", e.Error)
		}
		if seconds, err := strconv.Atoi(r.header.Get("Retry-After")); err != nil || seconds < 1 {
			t.Errorf("Retry-After is %q", r.header.Get("Retry-After"))
		}
		session("192.0.2.2:1000").ok()
		session("127.0.0.1:1000").ok()
		session("[::1]:1000").ok()
		// Of IPv6 a whole network counts as one address.
		for i := range 10 {
			session(fmt.Sprintf("[2001:db8::%x]:1000", i+1)).ok()
		}
		session("[2001:db8::ffff]:1").refused(protocol.CodeRateLimited)
		f.get(f.play("/events"), as(main), from(stranger)).endsAtOnce(t)
		session("[2001:db8:0:1::1]:1").ok()
		wait(time.Second)
		session(stranger).ok()

		wait(10 * time.Second)
		create := func() *reply {
			n := f.newIdentity()
			return f.post(protocol.PathAgentNode, map[string]any{"agentNodeId": n.id, "agentNodePasswHash": n.hash}, as(main), from(stranger))
		}
		create().ok()
		create().ok()
		if e := create().refused(protocol.CodeRateLimited); !strings.Contains(e.Error, "2 a minute (--rate-nodes)") {
			t.Errorf("the refusal does not name the limit: %s", e.Error)
		}
		wait(31 * time.Second)
		create().ok()
	})
}

// A client over its limit does not get another address by inventing one.
func TestForwardedAddressesRequireTrustedProxy(t *testing.T) {
	limits := RateLimits{RequestsPerSecond: 1}
	get := func(f *fixture, who identity, peer, forwarded string) *reply {
		return f.get("/api/play/session", as(who), from(peer), with("X-Forwarded-For", forwarded))
	}
	t.Run("without a trusted proxy", func(t *testing.T) {
		f := newFixture(t, func(s *setup) { s.host.Limits = limits })
		main := f.main()
		refused := 0
		for i := range 10 {
			if get(f, main, stranger, fmt.Sprintf("198.51.100.%d", i)).status == http.StatusTooManyRequests {
				refused++
			}
		}
		if refused < 7 {
			t.Errorf("of 10 requests with forged addresses %d were refused", refused)
		}
	})
	t.Run("behind a trusted proxy", func(t *testing.T) {
		f := newFixture(t, func(s *setup) {
			s.host.Limits, s.host.TrustedProxies = limits, []netip.Prefix{netip.MustParsePrefix("192.0.2.128/25")}
		})
		main := f.main()
		for i := range 10 {
			// Addresses that the client itself put in front do not count.
			get(f, main, "192.0.2.129:1", fmt.Sprintf("127.0.0.1, 198.51.100.%d, 192.0.2.130", i)).ok()
		}
		get(f, main, "192.0.2.129:1", "127.0.0.1, 198.51.100.1").ok()
		get(f, main, "192.0.2.129:1", "127.0.0.1, 198.51.100.1").refused(protocol.CodeRateLimited)
		// Another peer is not the proxy, whatever it says.
		get(f, main, stranger, "203.0.113.1").ok()
		get(f, main, stranger, "203.0.113.2").ok()
		get(f, main, stranger, "203.0.113.3").refused(protocol.CodeRateLimited)
	})
}

// A forwarded address that cannot be parsed does not count as this machine: all
// such requests share the limits of one unknown address.
func TestInvalidForwardedAddressesShareOneLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, func(s *setup) {
			s.host.Limits, s.host.TrustedProxies = RateLimits{RequestsPerSecond: 1}, []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		})
		main := f.main() // This request counts as well.
		answered := 0
		for _, forwarded := range []string{"garbage", "1.2.3.4, garbage", "unknown", "", "garbage, 127.0.0.1", "1.2.3.4,"} {
			r := f.get("/api/play/session", as(main), with("X-Forwarded-For", forwarded))
			if answered++; answered < 2 {
				r.ok()
			} else {
				r.refused(protocol.CodeRateLimited)
			}
		}
		f.get("/api/play/session", as(main), with("X-Forwarded-For", "192.0.2.9")).ok()
		for range 5 {
			f.get("/api/play/session", as(main), with("X-Forwarded-For", "127.0.0.1")).ok()
		}
	})
}

// A network over its limit does not use up the limit of its site. The clock is the
// real one: on a stopped clock every reservation can be canceled.
func TestRefusedNetworkDoesNotUseSiteLimit(t *testing.T) {
	l := newLimiter(0.001, 20, false)
	passed := 0
	for range 200 {
		if l.wait(netip.MustParseAddr("2001:db8:0:1::1")) == 0 {
			passed++
		}
	}
	if passed != 20 {
		t.Errorf("%d requests of one network pass, want 20", passed)
	}
	for range 20 {
		if delay := l.wait(netip.MustParseAddr("2001:db8:0:2::1")); delay > 0 {
			t.Fatalf("another network of the site has to wait for %v", delay)
		}
	}
}

// A caller that gives up delays the others by no more than a full queue does.
func TestAbandonedGuessesDelayNoCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := guesses{turns: rate.NewLimiter(rate.Every(guessPause), 1), pause: guessPause}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		for range 10 * maxGuesses {
			g.wait(gone, nil)
		}
		began := time.Now()
		g.wait(t.Context(), nil)
		if took := time.Since(began); took > (maxGuesses+1)*guessPause {
			t.Errorf("the next caller waits for %v", took)
		}
	})
}

func TestWrongTokensAreDelayed(t *testing.T) {
	wrong := func(code protocol.Code, path string, option func(*http.Request)) func(*fixture) {
		return func(f *fixture) { f.get(path, option).refused(code) }
	}
	bootstrap := protocol.ServicePlay.Bootstrap()
	for name, guess := range map[string]func(*fixture){
		"administrator": wrong(protocol.CodeCredentialsInvalid, "/api/play/session", with("Authorization", "Bearer guess")),
		"registration":  wrong(protocol.CodeCredentialsMissing, bootstrap, with(protocol.HeaderRegistrationToken, "guess")),
		"digest":        wrong(protocol.CodeCredentialsInvalid, bootstrap, with(protocol.HeaderInvitationDigest, strings.Repeat("0", 64))),
		"no digest":     wrong(protocol.CodeCredentialsInvalid, bootstrap, with(protocol.HeaderInvitationDigest, "guess")),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t, func(s *setup) {
					s.host.Registration, s.host.RegistrationToken = RegistrationToken, protocol.NewSecret("the operator's")
				})
				f.host.guesses.turns, f.host.guesses.pause = rate.NewLimiter(rate.Every(guessPause), 1), guessPause
				began := time.Now()
				var all sync.WaitGroup
				for range maxGuesses {
					all.Go(func() { guess(f) })
				}
				synctest.Wait()
				f.get("/api/play/session", asAdmin).ok()
				f.get(bootstrap, with(protocol.HeaderRegistrationToken, "the operator's")).ok()
				guess(f) // The queue is full.
				if waited := time.Since(began); waited != 0 {
					t.Errorf("a valid token, or a wrong one beyond the queue, waited %s", waited)
				}
				all.Wait()
				if took := time.Since(began); took < maxGuesses*guessPause {
					t.Errorf("%d wrong tokens were answered within %s", maxGuesses, took)
				}
			})
		})
	}
}

func TestShortTokensRequireLoopback(t *testing.T) {
	for address, refused := range map[string]bool{"127.0.0.1:0": false, "0.0.0.0:0": true} {
		for length, short := range map[int]bool{minToken - 1: true, minToken: false, 0: false} {
			for _, registration := range []bool{false, length > 0} {
				var logged bytes.Buffer
				f := newFixture(t, func(s *setup) {
					token := protocol.NewSecret(strings.Repeat("t", length))
					if s.host.AdminToken = token; registration {
						s.host.AdminToken, s.host.Registration, s.host.RegistrationToken = protocol.Secret{}, RegistrationToken, token
					}
					s.host.Address, s.host.Logger = address, slog.New(slog.NewTextHandler(&logged, nil))
				})
				err := f.host.Listen(t.Context())
				if (err != nil) != (refused && short) {
					t.Errorf("at %s with a token of %d characters: %v", address, length, err)
				}
				if warned := strings.Contains(logged.String(), "token is short"); warned != (short && !refused) {
					t.Errorf("at %s with a token of %d characters the log has %q", address, length, logged.String())
				}
			}
		}
	}
}

func TestLimiterEvictsLeastRecentAddress(t *testing.T) {
	l := newLimiter(1, 1, false)
	addr := func(i int) netip.Addr { return netip.AddrFrom4([4]byte{11, byte(i >> 16), byte(i >> 8), byte(i)}) }
	for i := range maxAddresses + 100 {
		l.wait(addr(i))
	}
	if len(l.buckets) != maxAddresses || l.recent.Len() != maxAddresses {
		t.Errorf("the table has %d addresses, %d in order of use", len(l.buckets), l.recent.Len())
	}
	if l.wait(addr(maxAddresses+99)) == 0 {
		t.Error("the newest address was evicted")
	}
	if l.wait(addr(0)) != 0 {
		t.Error("the oldest address was not evicted")
	}
	if newLimiter(-1, 0, false).wait(addr(1)) != 0 {
		t.Error("a limiter without a limit waits")
	}
}

func TestCrossOrigin(t *testing.T) {
	const listed = "https://app.example.org"
	f := newFixture(t, func(s *setup) { s.host.CORSOrigins = []string{"HTTPS://App.Example.Org/"} })
	main := f.main()
	r := f.get("/api/play/session", as(main), with("Origin", listed)).ok()
	if r.header.Get("Access-Control-Allow-Origin") != listed || r.header.Get("Vary") != "Origin" ||
		r.header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("a listed origin got %v", r.header)
	}
	// A page must be able to read a refusal as well.
	if r = f.get("/api/play/session", with("Origin", listed)); r.header.Get("Access-Control-Allow-Origin") != listed {
		t.Errorf("a refusal has %v", r.header)
	}
	preflight := func(origin string) *reply {
		return f.do(http.MethodOptions, "/api/play/players", nil,
			with("Origin", origin), with("Access-Control-Request-Method", "POST"))
	}
	if r = preflight(listed); r.status != http.StatusNoContent || r.header.Get("Access-Control-Allow-Methods") != "POST" {
		t.Errorf("the preflight got %d %v", r.status, r.header)
	}
	allowed := strings.Split(r.header.Get("Access-Control-Allow-Headers"), ", ")
	for _, name := range []string{
		"Authorization", "Content-Type", "If-None-Match", protocol.HeaderIdempotencyKey, protocol.HeaderLastEventID, protocol.HeaderAPIKey,
		protocol.HeaderNodeID, protocol.HeaderNodePassw, protocol.HeaderMinRev, protocol.HeaderRegistrationToken,
	} {
		if !slices.Contains(allowed, strings.ToLower(name)) {
			t.Errorf("a page may not send %s: %v", name, allowed)
		}
	}
	for _, origin := range []string{"https://evil.example.org", "http://app.example.org", "null", "https://app.example.org.evil"} {
		if r = f.get("/api/play/session", as(main), with("Origin", origin)); r.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("the origin %s got %v", origin, r.header)
		}
		preflight(origin).refused(protocol.CodeMethodNotAllowed)
	}
	// Without a list no reply has such a header.
	none := newFixture(t)
	if r = none.get("/api/play/session", as(none.main()), with("Origin", listed)); r.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("without a list: %v", r.header)
	}
}
