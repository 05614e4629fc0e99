//go:build full && unix

package crowded

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/hostprocess"
)

func TestMain(m *testing.M) { os.Exit(hostprocess.Main(m)) }

// mostAhead is how many derivations of one address may end before that of another: it has
// eight of the 32 places in the queue, besides those that run and that begin while the
// other's call arrives.
const mostAhead = 12

// callTimeout is the time limit of a call that a host without room for it would
// never answer: on a busy machine the floods slow down the caller, too.
const callTimeout = 30 * time.Second

// start runs a host and returns its root key.
func start(t *testing.T, descriptors int, args ...string) (h *hostprocess.Host, rootKey string) {
	t.Helper()
	rootKey = creds.GenerateRootKey()
	file := filepath.Join(t.TempDir(), "root")
	if err := creds.WriteRootFile(file, rootKey, false); err != nil {
		t.Fatal(err)
	}
	args = append(args, "--data-dir", t.TempDir(), "--root-file", file, "--log-level", "error")
	return hostprocess.Start(t, hostprocess.Options{Args: args, Descriptors: descriptors}), rootKey
}

// flood keeps a number of tasks running until the test ends.
func flood(t *testing.T, count int, task func(ctx context.Context, i int)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	for i := range count {
		running.Go(func() {
			for ctx.Err() == nil {
				task(ctx, i)
			}
		})
	}
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
}

// sendIncompleteRequest connects, sends headers that do not end, and waits until the host closes
// the connection.
func sendIncompleteRequest(ctx context.Context, h *hostprocess.Host) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", strings.TrimPrefix(h.URL(), "http://"))
	if err != nil {
		return
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	if _, err := io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: playctl\r\n"); err == nil {
		_, _ = conn.Read(make([]byte, 1))
	}
	_ = conn.Close()
	pause(ctx)
}

func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(100 * time.Millisecond):
	}
}

// stream reads a stream to its end, and reconnects a little later.
func stream(ctx context.Context, client *http.Client, h *hostprocess.Host, who hostprocess.Node, sid string, opened func()) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, h.URL()+protocol.ServicePlay.Events()+"?sid="+sid, http.NoBody)
	if err != nil {
		panic(err)
	}
	r.Header.Set(protocol.HeaderNodeID, who.ID)
	r.Header.Set(protocol.HeaderNodePassw, who.Hash)
	if reply, err := client.Do(r); err == nil {
		opened()
		_, _ = io.Copy(io.Discard, reply.Body)
		_ = reply.Body.Close()
	}
	pause(ctx)
}

// retryUntilAnswered repeats a call until it is answered. A full host gives a connection 200
// ms for its request; a caller without processor time for so long on a busy machine
// finds it closed, and calls again, as clients do.
func retryUntilAnswered(ctx context.Context, call func(context.Context, *http.Client) (*hostprocess.Answer, error)) (a *hostprocess.Answer, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	for ctx.Err() == nil {
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		if a, err = call(ctx, client); err == nil {
			break
		}
		pause(ctx)
	}
	return a, err
}

// A host with few descriptors gets 200 connections whose headers do not end and 150
// streams of one node: other clients are answered nevertheless.
func TestNewClientIsServedByFullHost(t *testing.T) {
	h, rootKey := start(t, 168) // room for about a quarter of them
	account := hostprocess.NewAccount(t, h, rootKey, "crowd", 1)
	newAgent := account.Agents[0]
	var session protocol.SessionReply
	newAgent.Must(t, h, hostprocess.Request{Method: http.MethodGet, Path: protocol.ServicePlay.Session()}, &session)

	var all sync.WaitGroup
	all.Add(150)
	var once [150]sync.Once
	crowd := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	flood(t, len(once), func(ctx context.Context, i int) {
		stream(ctx, crowd, h, account.Main, session.SID, func() { once[i].Do(all.Done) })
	})
	flood(t, 200, func(ctx context.Context, _ int) { sendIncompleteRequest(ctx, h) })
	all.Wait()

	for i := range 5 {
		for what, call := range map[string]func(ctx context.Context, client *http.Client) (*hostprocess.Answer, error){
			"health": func(ctx context.Context, client *http.Client) (*hostprocess.Answer, error) {
				return (hostprocess.Node{}).Do(ctx, client, h.URL(), hostprocess.Request{Method: http.MethodGet, Path: protocol.PathHealth})
			},
			"a short call": func(ctx context.Context, client *http.Client) (*hostprocess.Answer, error) {
				return newAgent.Do(ctx, client, h.URL(), hostprocess.Request{Method: http.MethodGet, Path: protocol.ServicePlay.Session()})
			},
		} {
			began := time.Now()
			if a, err := retryUntilAnswered(t.Context(), call); err != nil || !a.OK() {
				t.Errorf("%s, call %d: %v after %v: %+v", what, i, err, time.Since(began), a)
			}
		}
	}
	a, err := (hostprocess.Node{}).Do(t.Context(), crowd, h.URL(), hostprocess.Request{Method: http.MethodGet, Path: protocol.PathMetrics})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`playctl_connections_refused_total{limit="streams_per_caller"}`, `playctl_streams_deferred_total{code="overloaded"}`,
		`playctl_connections_evicted_total{state="silent"}`,
	} {
		if !strings.Contains(string(a.Body), want) {
			t.Errorf("the metrics do not report %s", want)
		}
	}
}

// One address creates nodes as fast as possible; another address gets its node soon.
func TestNewClientRegistersDuringFlood(t *testing.T) {
	h, rootKey := start(t, 0, "--limit-loopback", "--rate-nodes=-1", "--rate-requests=-1")
	// A refused registration with a wrong id costs as much as creating a node.
	wrong := hostprocess.Request{Method: http.MethodPost, Path: protocol.PathNodes, Body: map[string]any{
		"nodeId": strings.Repeat("0", 64), "passwHash": creds.HashPhrase("a flood").Reveal(),
	}}
	full := make(chan struct{})
	var once sync.Once
	var derived atomic.Int64
	crowd := clientAt("127.0.1.1")
	t.Cleanup(crowd.CloseIdleConnections)
	flood(t, 16, func(ctx context.Context, _ int) {
		a, err := (hostprocess.Node{}).Do(ctx, crowd, h.URL(), wrong)
		if err == nil && a.Code != protocol.CodeRateLimited {
			derived.Add(1)
			return
		}
		once.Do(func() { close(full) })
		// Refusals without a pause would take the processor time of derivations.
		pause(ctx)
	})
	select {
	case <-full:
	case <-time.After(callTimeout):
		t.Fatal("16 calls of one address have places in the queue, want a quarter of 32")
	}

	own := hostprocess.Identity(t, rootKey, "a new client")
	h.Guard(own.Hash)
	client := clientAt("127.0.2.1")
	defer client.CloseIdleConnections()
	right := hostprocess.Request{Method: http.MethodPost, Path: protocol.PathNodes, Body: map[string]any{"nodeId": own.ID, "passwHash": own.Hash}}
	before := derived.Load()
	a, err := (hostprocess.Node{}).Do(t.Context(), client, h.URL(), right)
	ahead := derived.Load() - before
	if err != nil || !a.OK() || ahead > mostAhead {
		t.Errorf("the new client got %+v, %v after %d derivations of the flood", a, err, ahead)
	}
}

// clientAt returns a client that calls from an address.
func clientAt(addr string) *http.Client {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(addr)}}
	return &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: 8}}
}
