package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/playctl/playctl/protocol"
)

// queued begins a turn of each caller while another has the turn, and returns the order
// in which they get theirs.
func queued(t *testing.T, turns *fairSemaphore, callers ...string) (order []string) {
	t.Helper()
	if err := turns.acquire(t.Context(), "another"); err != nil {
		t.Fatal(err)
	}
	for _, caller := range callers {
		go func() {
			if err := turns.acquire(t.Context(), caller); err != nil {
				t.Error(err)
			}
			order = append(order, caller)
			turns.release()
		}()
		synctest.Wait()
	}
	turns.release()
	synctest.Wait()
	return order
}

func TestTurnsAlternateBetweenCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newFairSemaphore(1)
		for range 2 {
			order := queued(t, turns, "a", "a", "a", "b", "c", "c", "a")
			if got, want := strings.Join(order, ""), "abcacaa"; got != want {
				t.Errorf("the turns went to %s, want %s", got, want)
			}
			if turns.free != 1 || len(turns.waiting) != 0 || len(turns.next) != 0 {
				t.Errorf("without callers %d turns are free, %v wait, %v are next", turns.free, turns.waiting, turns.next)
			}
		}
	})
}

func TestTurnsUseHalfOfProcessors(t *testing.T) {
	for processors, want := range map[int]int{1: 1, 2: 1, 3: 1, 4: 2, 64: 32} {
		if got := newFairSemaphore(halfOf(processors)).free; got != want {
			t.Errorf("with %d processors %d have a turn at once, want %d", processors, got, want)
		}
	}
}

// A caller that no longer waits is skipped, and a turn that comes just then is not lost.
func TestTurnSkipsCanceledCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newFairSemaphore(1)
		if err := turns.acquire(t.Context(), "another"); err != nil {
			t.Fatal(err)
		}
		canceled, cancel := context.WithCancel(t.Context())
		over := make(chan error, 2)
		for _, caller := range []string{"gone", "gone"} {
			go func() { over <- turns.acquire(canceled, caller) }()
		}
		synctest.Wait()
		if n := len(turns.waiting["gone"]); n != 2 {
			t.Fatalf("%d callers wait, want 2", n)
		}
		cancel()
		synctest.Wait()
		turns.release()
		for range 2 {
			if err := <-over; !errors.Is(err, context.Canceled) {
				t.Errorf("the canceled caller got %v", err)
			}
		}
		if order := queued(t, turns, "next"); len(order) != 1 || turns.free != 1 {
			t.Errorf("the next turns went to %v, and %d are free", order, turns.free)
		}
	})
}

// The turn of a client that reads nothing of a long reply ends after a while.
func TestShortTurnEndsAutomatically(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newFairSemaphore(1)
		end, err := turns.acquireShort(t.Context(), "stalled")
		if err != nil {
			t.Fatal(err)
		}
		if err := turns.acquire(t.Context(), "another"); err != nil {
			t.Fatal(err)
		}
		end() // The turn has ended.
		if turns.free != 0 {
			t.Error("a turn was ended twice")
		}
		turns.release()
	})
}

// Long replies that are not read do not delay others, on HTTP/1.1 and TLS, and the turn
// to write is free when all are stalled.
func TestUnreadLongRepliesDoNotDelayOthers(t *testing.T) {
	text := bytes.Repeat([]byte("a"), 16<<20)
	for name, secure := range map[string]bool{"plain": false, "TLS": true} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.host.writing = newFairSemaphore(1)
			server := serveForTest(t, f, func(w http.ResponseWriter, r *http.Request) {
				c := &call{host: f.host, w: w, r: r}
				c.caller.NodeID = r.Header.Get(protocol.HeaderNodeID)
				c.writeParts([][]byte{text})
			}, secure)
			for i := range 5 {
				res := longReply(t, server, fmt.Sprint("stalled ", i%2))
				defer func() { _ = res.Body.Close() }()
			}
			res := longReply(t, server, "reader")
			defer func() { _ = res.Body.Close() }()
			if n, err := io.Copy(io.Discard, res.Body); err != nil || n != int64(len(text)) {
				t.Errorf("reply of %d bytes: received %d: %v", len(text), n, err)
			}
		})
	}
}

func longReply(t *testing.T, server *httptest.Server, caller string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set(protocol.HeaderNodeID, caller)
	res, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// serveForTest serves over a gate on a port of loopback until the test ends.
func serveForTest(t *testing.T, f *fixture, handler http.HandlerFunc, secure bool) *httptest.Server {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: newGate(ln, &f.host.options, 64, 64), Config: newServer(handler, f.host.log, nil)}
	t.Cleanup(server.Close)
	if secure {
		server.StartTLS()
	} else {
		server.Start()
	}
	return server
}
