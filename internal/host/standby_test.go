package host

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// get sends a request to an address over a connection of its own.
func get(t *testing.T, client *http.Client, addr net.Addr, path string) (status int, code protocol.Code, err error) {
	t.Helper()
	answer, err := client.Get("http://" + addr.String() + path)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = answer.Body.Close() }()
	var body protocol.ErrorBody
	_ = json.NewDecoder(answer.Body).Decode(&body) // probes do not answer with JSON
	return answer.StatusCode, body.Code, nil
}

// A standby is alive, is not ready, and answers every other request with
// store_unavailable; the host that takes over loses no connection.
func TestHostTakesOverFromStandby(t *testing.T) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for name, addresses := range map[string][2]string{"one listener": {"127.0.0.1:0", ""}, "two listeners": {"127.0.0.1:0", "127.0.0.1:0"}} {
		t.Run(name, func(t *testing.T) {
			standby, err := StandBy(t.Context(), Options{Address: addresses[0], OpsAddress: addresses[1], Compat: CompatAgentPlay, Metrics: NewMetrics()})
			if err != nil {
				t.Fatal(err)
			}
			main, ops := standby.Addr(), standby.listeners[len(standby.listeners)-1].Addr()
			for path, want := range map[string]int{
				protocol.PathHealth: http.StatusOK, protocol.PathReady: http.StatusServiceUnavailable, protocol.PathMetrics: http.StatusOK,
			} {
				if status, _, err := get(t, client, ops, path); err != nil || status != want {
					t.Errorf("%s: %d, %v; want %d", path, status, err, want)
				}
			}
			session := protocol.ServicePlay.Session()
			if status, code, err := get(t, client, main, session); status != http.StatusServiceUnavailable || code != protocol.CodeStoreUnavailable {
				t.Errorf("a request: %d %s, %v", status, code, err)
			}

			for _, service := range []protocol.Service{protocol.ServicePlay, protocol.ServiceAgentPlay} {
				answer, err := client.Get("http://" + main.String() + service.Events() + "?sid=any")
				if err != nil {
					t.Fatal(err)
				}
				text, err := io.ReadAll(answer.Body)
				if err := errors.Join(err, answer.Body.Close()); err != nil {
					t.Fatal(err)
				}
				(&reply{t: t, what: string(service), status: answer.StatusCode, header: answer.Header, body: text}).endsAtOnce(t)
			}

			f := newFixture(t, func(s *setup) { s.host.Standby = standby })
			var asking sync.WaitGroup
			stop, started := make(chan struct{}), make(chan struct{})
			asking.Go(func() {
				for n := 0; ; n++ {
					if n == 1 {
						close(started)
					}
					select {
					case <-stop:
						return
					default:
					}
					if _, _, err := get(t, client, main, session); err != nil {
						t.Errorf("during the takeover: %v", err)
					}
				}
			})
			<-started
			end := f.serveTCP()
			if f.host.Addr().String() != main.String() {
				t.Errorf("the host listens at %s, its standby did at %s", f.host.Addr(), main)
			}
			if status, code, err := get(t, client, main, session); err != nil || code != protocol.CodeCredentialsMissing {
				t.Errorf("the host returns %d %s, %v", status, code, err)
			}
			if status, _, err := get(t, client, ops, protocol.PathReady); err != nil || status != http.StatusOK {
				t.Errorf("the host is not ready: %d, %v", status, err)
			}
			close(stop)
			asking.Wait()
			if err := end(); err != nil {
				t.Error(err)
			}
			if err := standby.Close(); err != nil {
				t.Errorf("closing a standby after the host that took over: %v", err)
			}
		})
	}
}

// On a host that checks no credentials, a page of another origin gets no metrics of a
// standby either.
func TestStandbyHidesMetricsFromForeignPages(t *testing.T) {
	standby, err := StandBy(t.Context(), Options{Address: "127.0.0.1:0", NoRepository: true, AllowHosts: []string{"Box.Example"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := standby.Close(); err != nil {
			t.Error(err)
		}
	}()
	for name, want := range map[string]int{
		"evil.example": http.StatusServiceUnavailable, "Box.Example": http.StatusOK, standby.Addr().String(): http.StatusOK,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+standby.Addr().String()+protocol.PathMetrics, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = name
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := answer.Body.Close(); err != nil || answer.StatusCode != want {
			t.Errorf("requested as %s: %d, %v; want %d", name, answer.StatusCode, err, want)
		}
	}
}

// The standby answers each connection that it accepted, even if the request comes after
// it has stopped accepting.
func TestStandbyAnswersAcceptedConnections(t *testing.T) {
	standby, err := StandBy(t.Context(), Options{Address: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", standby.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	// Connections are accepted in order: this one comes after the other.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	if _, _, err := get(t, client, standby.Addr(), protocol.PathHealth); err != nil {
		t.Fatal(err)
	}
	var ending sync.WaitGroup
	ending.Go(func() {
		if err := standby.Close(); err != nil {
			t.Error(err)
		}
	})
	standby.serving.Wait() // It has stopped accepting.
	if _, err := conn.Write([]byte("GET " + protocol.PathReady + " HTTP/1.1\r\nHost: playctl\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("the accepted connection got no reply: %v", err)
	}
	if err := answer.Body.Close(); err != nil || answer.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("%d, %v", answer.StatusCode, err)
	}
	ending.Wait()
}

// A connection without a request does not delay the host.
func TestStandbyCutsConnectionsWithoutRequest(t *testing.T) {
	standby, err := StandBy(t.Context(), Options{Address: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	silent, err := new(net.Dialer).DialContext(t.Context(), "tcp", standby.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	f := newFixture(t, func(s *setup) { s.host.Standby = standby })
	if err := f.host.Listen(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := f.host.closeListeners(); err != nil {
		t.Error(err)
	}
}

// A standby that is closed without a host releases its address.
func TestClosedStandbyReleasesAddress(t *testing.T) {
	standby, err := StandBy(t.Context(), Options{Address: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	addr := standby.Addr().String()
	if _, err := StandBy(t.Context(), Options{Address: addr}); err == nil {
		t.Error("two standbys listen at one address")
	}
	for range 2 {
		if err := standby.Close(); err != nil {
			t.Error(err)
		}
	}
	again, err := StandBy(t.Context(), Options{Address: addr})
	if err != nil {
		t.Fatalf("the address is in use: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// Options with which no host starts are refused before the wait for the store.
func TestStandbyRefusesInvalidOptions(t *testing.T) {
	for name, o := range map[string]Options{
		"API keys":                {APIKeys: "sometimes"},
		"registration":            {Registration: RegistrationToken},
		"the world name":          {WorldName: "two\nlines"},
		"an allowed name":         {AllowHosts: []string{"http://box.example"}},
		"a limit":                 {Connections: ConnectionLimits{Connections: -1}},
		"certificate without key": {CertFile: "cert.pem"},
	} {
		o.Address = "127.0.0.1:0"
		standby, err := StandBy(t.Context(), o)
		if err == nil {
			t.Errorf("%s: a standby listens", name)
			if err := standby.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
