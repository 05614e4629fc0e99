package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

func TestListenReportsAddress(t *testing.T) {
	f := newFixture(t, func(s *setup) { s.host.OpsAddress = "127.0.0.1:0" })
	ctx := context.Background()
	if f.host.Addr() != nil || f.host.OpsAddr() != nil || f.host.URL() != "" {
		t.Error("the host has an address before Listen")
	}
	if err := f.host.Listen(ctx); err != nil {
		t.Fatal(err)
	}
	if err := f.host.Listen(ctx); err == nil {
		t.Error("a second Listen succeeded")
	}
	if url := f.host.URL(); url != "http://"+f.host.Addr().String() || strings.HasSuffix(url, ":0") {
		t.Errorf("the URL is %s", url)
	}
	if !f.host.loopback.Load() {
		t.Error("127.0.0.1 is not recognized as loopback")
	}
	taken := newFixture(t, func(s *setup) { s.host.Address = f.host.Addr().String() })
	if err := taken.host.Listen(ctx); err == nil || !strings.Contains(err.Error(), f.host.Addr().String()) {
		t.Errorf("a port in use: %v", err)
	}
	half := newFixture(t, func(s *setup) { s.host.OpsAddress = f.host.Addr().String() })
	if err := half.host.Listen(ctx); err == nil || half.host.Addr() != nil {
		t.Errorf("an ops port in use: %v, listening on %v", err, half.host.Addr())
	}
	nowhere := newFixture(t, func(s *setup) { s.host.Address = "" })
	if err := nowhere.host.Listen(ctx); err == nil {
		t.Error("Listen succeeded without an address")
	}
}

// serveTCP runs the host on its real listeners until the test ends.
func (f *fixture) serveTCP() (stop func() error) {
	f.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	if err := f.host.Listen(ctx); err != nil {
		f.t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- f.host.Serve(ctx) }()
	stopped := false
	stop = func() error {
		if stopped {
			return nil
		}
		stopped = true
		cancel()
		return <-served
	}
	f.t.Cleanup(func() {
		if err := stop(); err != nil {
			f.t.Errorf("Serve: %v", err)
		}
	})
	return stop
}

// fetch gets a URL and returns the status and the body.
func fetch(t *testing.T, client *http.Client, url string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := client.Do(r)
	if err != nil {
		t.Fatalf("get %s: %v", url, err)
	}
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := reply.Body.Close(); err != nil {
		t.Error(err)
	}
	return reply.StatusCode, string(text)
}

func newClient(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func TestOpsRoutesHaveSeparateListener(t *testing.T) {
	f := newFixture(t, func(s *setup) { s.host.OpsAddress, s.host.Profiling = "127.0.0.1:0", true })
	f.serveTCP()
	client := newClient(t)
	ops := "http://" + f.host.OpsAddr().String()
	for path, want := range map[string]int{
		"/healthz": 200, "/readyz": 200, "/metrics": 200, "/debug/pprof/cmdline": 200, "/api/play/session": 404,
	} {
		if got, text := fetch(t, client, ops+path); got != want {
			t.Errorf("%s on the separate listener: %d %s", path, got, text)
		}
		if want == http.StatusOK {
			if got, _ := fetch(t, client, f.host.URL()+path); got != http.StatusNotFound {
				t.Errorf("%s on the public listener: %d", path, got)
			}
		}
	}
	if got, _ := fetch(t, client, f.host.URL()+"/api/play/session"); got != http.StatusUnauthorized {
		t.Errorf("the API: %d", got)
	}
}

func TestMetricsReportActivity(t *testing.T) {
	f := newFixture(t)
	main := f.main()
	agent := f.player(main)
	f.say(agent, "hello")
	for range 2 {
		f.acting(agent, protocol.ActivityWorking)()
	}
	f.newKey(main, map[string]any{"name": "ci"})
	f.post(f.service.WatchToken()+"?sid="+f.world.View().SID, map[string]any{}, as(main)).ok()
	f.get("/no/such/route")
	text := string(f.get("/metrics").ok().body)
	for _, q := range world.Quotas() {
		for _, name := range []string{"playctl_world_used", "playctl_world_limit"} {
			if !strings.Contains(text, fmt.Sprintf("\n%s{of=%q} ", name, q.Label())) {
				t.Errorf("the metrics lack %s of %s", name, q)
			}
		}
	}
	for _, line := range []string{
		`playctl_world_used{of="occupants"} 1`, `playctl_world_limit{of="occupants"} 100`,
		`playctl_world_used{of="people"} 0`, `playctl_world_limit{of="people"} 50`,
		`playctl_world_used{of="api-keys"} 1`, `playctl_world_limit{of="api-keys"} 0`,
		`playctl_world_used{of="watch-tokens"} 1`, `playctl_world_limit{of="watch-tokens"} 0`,
		`playctl_world_used{of="invitations"} 0`, `playctl_world_limit{of="invitations"} 1000`,
		`playctl_http_requests_total{code="200",op="recordInteraction",route="/api/play/sdk/rpc"} 1`,
		`playctl_http_requests_total{code="404",op="",route="other"} 1`,
		`playctl_world_occupants 1`, `playctl_world_seq 3`, `playctl_derivations_total{outcome="done"} 2`,
		`playctl_world_activities_total{result="changed",state="working"} 1`, `playctl_world_activities_total{result="unchanged",state="working"} 1`,
		`playctl_stream_subscribers 0`, `playctl_journal_append_failures_total 0`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("the metrics lack %s", line)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// brokenJournal is a journal whose disk can be made to fail.
type brokenJournal struct {
	store.Journal
	// broken is also read by the host's sweeps.
	broken atomic.Bool
}

func (j *brokenJournal) unavailable() error {
	if j.broken.Load() {
		return errors.Join(store.ErrUnavailable, errors.New("the disk is gone"))
	}
	return nil
}

func (j *brokenJournal) Head(ctx context.Context) (store.Position, error) {
	if err := j.unavailable(); err != nil {
		return 0, err
	}
	return j.Journal.Head(ctx)
}

func (j *brokenJournal) Commit(ctx context.Context, batch *store.Batch) (store.Tip, error) {
	if err := j.unavailable(); err != nil {
		return store.Tip{}, err
	}
	return j.Journal.Commit(ctx, batch)
}

func TestReadinessFollowsStore(t *testing.T) {
	journal := &brokenJournal{}
	f := newFixture(t, func(s *setup) {
		journal.Journal = s.journal
		s.journal = journal
	})
	main := f.main()
	agent := f.agent(main)
	f.get("/readyz").ok()
	journal.broken.Store(true)
	if r := f.get("/readyz"); r.status != http.StatusServiceUnavailable {
		t.Errorf("the host is ready without its store: %d %s", r.status, r.body)
	}
	f.get("/healthz").ok()
	// Reads continue, writes are refused.
	f.get(f.play("/snapshot"), as(main)).ok()
	r := f.post(f.play("/players"), registration(agent.id), as(agent))
	r.refused(protocol.CodeStoreUnavailable)
	if r.header.Get("Retry-After") == "" {
		t.Error("the refusal has no Retry-After")
	}
	// The disk works again.
	journal.broken.Store(false)
	f.post(f.play("/players"), registration(agent.id), as(agent)).ok()
	f.get("/readyz").ok()
}

// At shutdown the host first reports that it is not ready; streams end cleanly,
// spread over the jitter; requests in progress are answered; then the listener is
// closed.
func TestShutdownOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const jitter = 3 * time.Second
		f := newFixture(t, func(s *setup) { s.host.Streams.DrainJitter = jitter })
		agent := f.player(f.main())
		n := f.serve()
		streams := make([]*subscription, 20)
		for i := range streams {
			streams[i] = n.subscribe(as(agent), "")
		}
		synctest.Wait()
		began := time.Now()
		n.end()
		synctest.Wait()
		if r := f.get("/readyz"); r.status != http.StatusServiceUnavailable {
			t.Errorf("the host is ready during shutdown: %d", r.status)
		}
		// Streams end at once and ask the client to retry, and only for callers that may have one.
		f.get(f.play("/events"), as(agent)).endsAtOnce(t)
		f.get(f.play("/events"), with(protocol.HeaderNodeID, agent.id)).refused(protocol.CodeCredentialsMissing)
		f.get(f.play("/events")+"x", as(agent)).refused(protocol.CodeSIDInvalid)
		f.say(agent, "a write in progress is finished")
		ends := endTimes(t, streams, began)
		if took := time.Since(began); took > jitter || len(ends) < 2 {
			t.Errorf("the streams ended within %s, at %d different times", took, len(ends))
		}
		err := <-n.served
		n.served <- err
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("the shutdown took %s", took)
		}
		if _, err := n.ln.dial(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("after the shutdown a connection got %v", err)
		}
	})
}

// endTimes waits for the end of every stream, each by itself, and returns the
// moments at which they came. Each gets one more event first.
func endTimes(t *testing.T, streams []*subscription, began time.Time) map[time.Duration]bool {
	t.Helper()
	var mu sync.Mutex
	var readers sync.WaitGroup
	ends := map[time.Duration]bool{}
	for _, s := range streams {
		readers.Go(func() {
			if fr := s.event(); fr.field(t, "text") == nil {
				t.Errorf("the last event did not arrive: %+v", fr)
			}
			s.ended()
			s.close()
			mu.Lock()
			defer mu.Unlock()
			ends[time.Since(began)] = true
		})
	}
	readers.Wait()
	return ends
}

// Connections that do not end in time are cut, and the log says so: no client can make
// an orderly shutdown fail.
func TestShutdownCutsOpenConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged bytes.Buffer
		f := newFixture(t, func(s *setup) {
			s.host.Streams.DrainJitter = time.Hour
			s.host.Logger = slog.New(slog.NewTextHandler(&logged, nil))
		})
		agent := f.player(f.main())
		n := f.serve()
		s := n.subscribe(as(agent), "")
		defer s.close()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		began := time.Now()
		err := f.host.Close(ctx)
		if took := time.Since(began); err != nil || took != 5*time.Second {
			t.Errorf("after %s Close returned %v", took, err)
		}
		if again := f.host.Close(context.Background()); again != nil {
			t.Errorf("Close again returned %v", again)
		}
		served := <-n.served
		n.served <- served
		if served != nil {
			t.Errorf("Serve returned %v", served)
		}
		synctest.Wait()
		if line := `level=WARN msg="connections that did not end in time were closed" connections=1 requests=1`; !strings.Contains(logged.String(), line) {
			t.Errorf("the log lacks %s: %s", line, logged.String())
		}
	})
}

// Over HTTP/1.1 and HTTP/2, a body that does not come and a reply that is not read end
// with the host.
func TestShutdownCutsStalledRequests(t *testing.T) {
	for name, request := range map[string]string{
		"body":  "POST /api/nodes HTTP/1.1\r\nHost: host\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
		"reply": "GET /api/openapi.json HTTP/1.1\r\nHost: host\r\n\r\n",
		// The settings with a window of 0, their acknowledgment, and the headers of one request.
		"window": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" +
			"\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x00" + "\x00\x00\x00\x04\x01\x00\x00\x00\x00" +
			"\x00\x00\x1b\x01\x05\x00\x00\x00\x01\x82\x86\x04\x11/api/openapi.json\x01\x04host",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var logged bytes.Buffer
				f := newFixture(t, func(s *setup) { s.host.Logger = slog.New(slog.NewTextHandler(&logged, nil)) })
				n := f.serve()
				conn, err := n.ln.dial()
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = conn.Close() }()
				if name == "window" {
					// The host's control frames are read, but no window is granted for the reply.
					go func() { _, _ = io.Copy(io.Discard, conn) }()
				}
				if _, err := io.WriteString(conn, request); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				began := time.Now()
				n.end()
				served := <-n.served
				n.served <- served
				if took := time.Since(began); served != nil || took > 10*time.Second {
					t.Errorf("after %s Serve returned %v", took, served)
				}
				synctest.Wait()
				if line := `level=WARN msg="connections that did not end in time were closed" connections=1 requests=1`; !strings.Contains(logged.String(), line) {
					t.Errorf("the log lacks %s: %s", line, logged.String())
				}
			})
		})
	}
}

func TestCloseBeforeServe(t *testing.T) {
	f := newFixture(t)
	ctx := context.Background()
	if err := f.host.Listen(ctx); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := f.host.Close(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.host.Serve(ctx); err == nil {
		t.Error("Serve succeeded on a closed host")
	}
}
