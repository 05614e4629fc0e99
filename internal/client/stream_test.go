package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/protocol"
)

func TestStreamResumesAfterCleanEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newStreamHost(t)
		r := read(t, h, StreamOptions{Inline: true})
		w := h.next()
		if got := r.want(SignalConnecting, SignalOpen); got.Resumes {
			t.Error("a first connection resumes")
		}
		go send(t, w, "retry: 500\n: hello\n\nid: 4\n\n"+event(5, "world:interaction", `{"text":"hi"}`))
		if got := r.want(SignalCursor); got.Cursor != 4 {
			t.Errorf("cursor %d, want 4", got.Cursor)
		}
		got := r.want(SignalEvent).Event
		if got.Seq != 5 || !got.HasSeq || got.Kind != protocol.EventInteraction || string(got.Data) != `{"text":"hi"}` {
			t.Errorf("event %+v", got)
		}
		_ = w.Close()
		lost := r.want(SignalLost)
		if lost.Err != nil || lost.Wait < 250*time.Millisecond || lost.Wait > 500*time.Millisecond {
			t.Errorf("lost: %v, waits %v; a clean end with retry: 500", lost.Err, lost.Wait)
		}
		before := time.Now()
		if got := r.want(SignalConnecting); !got.Resumes || got.Cursor != 5 || time.Since(before) != lost.Wait {
			t.Errorf("connecting: %+v after %v", got, time.Since(before))
		}
		w = h.next()
		r.want(SignalOpen)
		for i, want := range []string{"", "5"} {
			if id := h.requests[i].Header.Get("Last-Event-ID"); id != want {
				t.Errorf("connection %d requests events after %q, want %q", i, id, want)
			}
		}
		q := h.requests[0].URL.Query()
		if q.Get("sid") != "sid-1" || q.Get("inline") != "1" || h.requests[0].Header.Get("Accept") != "text/event-stream" {
			t.Errorf("query %v, headers %v", q, h.requests[0].Header)
		}
		go send(t, w, event(6, "world:journey", "{}"))
		if got := r.want(SignalEvent).Event; got.Seq != 6 {
			t.Errorf("event %+v", got)
		}
		r.close()
	})
}

func TestStreamStartsAtRequestedCursor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newStreamHost(t)
		r := read(t, h, StreamOptions{HasAfter: true})
		h.next()
		if got := r.want(SignalConnecting, SignalOpen); !got.Resumes {
			t.Error("the stream does not resume")
		}
		if id := h.requests[0].Header.Get("Last-Event-ID"); id != "0" {
			t.Errorf("the stream requests events after %q", id)
		}
		r.close()
	})
}

// A connection on which nothing arrives is dead, whatever TCP reports; heartbeats
// keep it alive.
func TestSilentConnectionIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newStreamHost(t)
		r := read(t, h, StreamOptions{})
		start := time.Now()
		w := h.next()
		r.want(SignalConnecting, SignalOpen)
		go func() {
			for range 10 {
				<-time.After(15 * time.Second)
				send(t, w, ":\n\n")
			}
		}()
		lost := r.want(SignalLost)
		if !errors.Is(lost.Err, errStalled) {
			t.Errorf("lost: %v", lost.Err)
		}
		if took := time.Since(start); took != 150*time.Second+stallAfter {
			t.Errorf("the connection was closed after %v", took)
		}
		r.close()
	})
}

// The client waits for hosts that send no headers before the first event, but not
// forever.
func TestMissingHeadersTimeOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newStreamHost(t)
		r := read(t, h, StreamOptions{})
		r.want(SignalConnecting)
		start := time.Now()
		if lost := r.want(SignalLost); !errors.Is(lost.Err, errStalled) || time.Since(start) != stallAfter {
			t.Errorf("lost: %v after %v", lost.Err, time.Since(start))
		}
		r.close()
	})
}

func TestWaitsGrowWhileHostIsUnreachable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newStreamHost(t)
		h.refuse = func(*http.Request) *http.Response { return respond(http.StatusBadGateway, nil, "<html>") }
		r := read(t, h, StreamOptions{})
		for i := range 10 {
			r.want(SignalConnecting)
			full := min(defaultReconnect<<i, longestReconnect)
			lost := r.want(SignalLost)
			if lost.Wait < full/2 || lost.Wait > full {
				t.Errorf("wait %d is %v, want %v to %v", i, lost.Wait, full/2, full)
			}
			if refused, ok := errors.AsType[*protocol.Error](lost.Err); !ok || refused.Status() != http.StatusBadGateway {
				t.Errorf("lost: %v", lost.Err)
			}
		}
		r.close()
	})
}

func TestStreamFollowsReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newStreamHost(t)
		h.sids = []string{"sid-1", "sid-2"}
		r := read(t, h, StreamOptions{})
		w := h.next()
		r.want(SignalConnecting, SignalOpen)
		go func() {
			send(t, w, event(9, "session:reset", `{"sid":"sid-2"}`))
			_ = w.Close()
		}()
		if got := r.want(SignalEvent).Event; got.Kind != protocol.EventSessionReset {
			t.Errorf("event %+v", got)
		}
		r.want(SignalLost, SignalConnecting)
		h.next()
		r.want(SignalOpen)
		if got := h.requests[1]; got.URL.Query().Get("sid") != "sid-2" || got.Header.Get("Last-Event-ID") != "9" {
			t.Errorf("the new session is requested with %v after %q", got.URL.Query(), got.Header.Get("Last-Event-ID"))
		}
		r.close()
	})
}

func TestRefusedSessionIsFetchedAgain(t *testing.T) {
	for service, refusal := range map[protocol.Service]string{
		protocol.ServicePlay: `{"error":"over","code":"sid_invalid","requestId":"r"}`, "agent-play": `{"error":"Invalid session"}`,
	} {
		t.Run(string(service), func(t *testing.T) { refusedSession(t, service, refusal) })
	}
}

func refusedSession(t *testing.T, service protocol.Service, refusal string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := newStreamHost(t)
		h.sids = []string{"sid-1", "sid-2"}
		h.refuse = func(r *http.Request) *http.Response {
			if r.URL.Query().Get("sid") == "sid-2" {
				return nil
			}
			return respond(http.StatusForbidden, nil, refusal)
		}
		r := readFrom(t, h, service, StreamOptions{})
		r.want(SignalConnecting)
		h.next()
		r.want(SignalOpen)
		r.close()
	})
}

// A log that starts again is announced with session:resync, whose id may be lower.
func TestResyncMovesCursor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newStreamHost(t)
		r := read(t, h, StreamOptions{After: 500, HasAfter: true})
		w := h.next()
		r.want(SignalConnecting, SignalOpen)
		go send(t, w, "id: 3\n\n"+event(3, "session:resync", `{"rev":2}`)+event(4, "k", "{}"))
		r.want(SignalCursor)
		if got := r.want(SignalEvent).Event; got.Kind != protocol.EventSessionResync || got.Seq != 3 {
			t.Errorf("event %+v", got)
		}
		if got := r.want(SignalEvent).Event; got.Seq != 4 {
			t.Errorf("event %+v", got)
		}
		r.close()
	})
}

// Ids decrease without a resync: none of these events is passed on, and the next
// connection does not resume from the last id.
func TestDecreasingIDIsRefused(t *testing.T) {
	for _, second := range []int{7, 6, 0} {
		synctest.Test(t, func(t *testing.T) {
			h := newStreamHost(t)
			r := read(t, h, StreamOptions{})
			w := h.next()
			r.want(SignalConnecting, SignalOpen)
			go func() { _, _ = io.WriteString(w, event(7, "k", "{}")+event(second, "k", "{}")) }()
			r.want(SignalEvent)
			lost := r.want(SignalLost)
			if backwards, ok := errors.AsType[*BackwardsError](lost.Err); !ok || *backwards != (BackwardsError{uint64(second), 7}) {
				t.Errorf("lost: %v", lost.Err)
			}
			if got := r.want(SignalConnecting); got.Resumes {
				t.Error("the stream resumes after an untrusted cursor")
			}
			h.next()
			r.want(SignalOpen)
			r.close()
		})
	}
}

// A host without event ids cannot be resumed, and ids that are not positions are
// ignored.
func TestEventsWithoutPositions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newStreamHost(t)
		r := read(t, h, StreamOptions{})
		w := h.next()
		r.want(SignalConnecting, SignalOpen)
		go func() {
			send(t, w, "event: k\ndata: {}\n\nid: abc\nevent: k\ndata: {}\n\nid: -1\nevent: k\ndata: {}\n\n"+
				"id: 9007199254740993\nevent: k\ndata: {}\n\nid: x\n\n")
			_ = w.Close()
		}()
		for range 4 {
			if got := r.want(SignalEvent).Event; got.HasSeq || got.Seq != 0 && got.HasSeq {
				t.Errorf("event %+v has a position", got)
			}
		}
		if got := r.want(SignalLost, SignalConnecting); got.Resumes {
			t.Error("the stream resumes")
		}
		r.close()
	})
}

// A host that cannot honor a position sends its own position and then that events
// are missing. If the connection breaks between the two, the next one uses the
// first position again: the gap must not go unnoticed.
func TestConnectionLostBeforeResync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newStreamHost(t)
		r := read(t, h, StreamOptions{After: 2, HasAfter: true})
		w := h.next()
		r.want(SignalConnecting, SignalOpen)
		go func() {
			send(t, w, "id: 14\n\nid: 14\nevent: session:res")
			_ = w.Close()
		}()
		if got := r.want(SignalCursor); got.Cursor != 14 {
			t.Errorf("cursor %d", got.Cursor)
		}
		if got := r.want(SignalLost, SignalConnecting); !got.Resumes || got.Cursor != 2 {
			t.Errorf("the stream resumes after %d and not after 2", got.Cursor)
		}
		w = h.next()
		r.want(SignalOpen)
		go send(t, w, "id: 14\n\n"+event(14, "session:resync", `{"rev":2}`)+event(15, "k", "{}"))
		r.want(SignalCursor, SignalEvent)
		if got := r.want(SignalEvent).Event; got.Seq != 15 {
			t.Errorf("event %+v", got)
		}
		r.close()
	})
}

func TestReplyThatIsNotAStream(t *testing.T) {
	for name, resp := range map[string]func() *http.Response{
		"a page": func() *http.Response {
			return respond(http.StatusOK, http.Header{"Content-Type": {"text/html"}}, "<html>")
		},
		"no content": func() *http.Response { return respond(http.StatusNoContent, nil, "") },
		"a redirect": func() *http.Response {
			return respond(http.StatusFound, http.Header{"Location": {"http://elsewhere"}}, "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newStreamHost(t)
				h.refuse = func(*http.Request) *http.Response { return resp() }
				r := read(t, h, StreamOptions{})
				if lost := r.want(SignalConnecting, SignalLost); !errors.Is(lost.Err, ErrReply) {
					t.Errorf("lost: %v", lost.Err)
				}
				r.close()
			})
		})
	}
}

// A host cannot make its clients reconnect in a loop, nor make them wait forever.
func TestRetryOfHostIsBounded(t *testing.T) {
	for text, want := range map[string][2]time.Duration{
		"0": {leastReconnect / 2, leastReconnect}, "1": {leastReconnect / 2, leastReconnect}, "99999999999": {longestReconnect / 2, longestReconnect},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := newStreamHost(t)
			r := read(t, h, StreamOptions{})
			w := h.next()
			r.want(SignalConnecting, SignalOpen)
			go func() {
				send(t, w, "retry: "+text+"\n\n")
				_ = w.Close()
			}()
			if lost := r.want(SignalLost); lost.Wait < want[0] || lost.Wait > want[1] {
				t.Errorf("retry: %s waits %v", text, lost.Wait)
			}
			r.close()
		})
	}
}

// A host that cannot serve a stream for now ends it before it has started: that is
// not a connection and not a new position, and the client reconnects after the
// requested time or later, however short that time is.
func TestStreamThatEndsBeforeStart(t *testing.T) {
	for text, least := range map[string]time.Duration{
		"": 2 * time.Second, "retry: 7000\n\n": 7 * time.Second, "retry: 0\n\n\n": leastReconnect, "retry: 99999999\n": longestReconnect,
	} {
		synctest.Test(t, func(t *testing.T) {
			h := newStreamHost(t)
			r := read(t, h, StreamOptions{HasAfter: true, After: 5})
			for range 3 {
				w := <-h.streams
				go func() {
					send(t, w, text)
					_ = w.Close()
				}()
				lost := r.want(SignalConnecting, SignalLost)
				if lost.Err != nil || lost.Wait < least || lost.Wait > 2*longestReconnect {
					t.Errorf("%q is lost with %v, and waits %v", text, lost.Err, lost.Wait)
				}
			}
			go func() { send(t, h.next(), event(6, "world:interaction", "{}")) }()
			if r.want(SignalConnecting, SignalOpen); h.requests[3].Header.Get("Last-Event-ID") != "5" {
				t.Errorf("the stream continues after %q", h.requests[3].Header.Get("Last-Event-ID"))
			}
			r.want(SignalEvent)
			r.close()
		})
	}
}

func TestStreamEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newStreamHost(t)
		ctx, cancel := context.WithCancel(t.Context())
		stream := timedClient(t, h, retry.Default()).Events(ctx, StreamOptions{})
		ended := make(chan error)
		go func() {
			for {
				if _, err := stream.Next(t.Context()); err != nil {
					ended <- err
					return
				}
			}
		}()
		h.next()
		synctest.Wait() // it waits for the first byte
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Next ended with %v", err)
		}
		if _, err := stream.Next(t.Context()); !errors.Is(err, context.Canceled) {
			t.Errorf("Next after the end: %v", err)
		}
	})
}
