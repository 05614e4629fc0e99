package client

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/internal/retry"
)

// A caller that stops waiting misses no events: the next call continues with the
// same connection.
func TestCanceledWaitLosesNoEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newStreamHost(t)
		stream := timedClient(t, h, retry.Default()).Events(t.Context(), StreamOptions{})
		defer stream.Close()
		take := func(want SignalType) Signal {
			t.Helper()
			signal, err := stream.Next(t.Context())
			if err != nil || signal.Type != want {
				t.Fatalf("got %+v, %v, want %v", signal, err, want)
			}
			return signal
		}
		giveUp := func() {
			t.Helper()
			waiting, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if signal, err := stream.Next(waiting); !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("got %+v, %v", signal, err)
			}
		}
		take(SignalConnecting)
		giveUp()
		w := h.next()
		take(SignalOpen)
		giveUp()
		go send(t, w, event(1, "k", "{}")+event(2, "k", "{}"))
		for want := range uint64(2) {
			if got := take(SignalEvent).Event; got.Seq != want+1 {
				t.Errorf("event %+v", got)
			}
			if want == 0 {
				continue
			}
			giveUp()
		}
		if len(h.requests) != 1 {
			t.Errorf("%d connections", len(h.requests))
		}
	})
}

// Possibly missed events are reported with the next signal.
func TestGapsAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newStreamHost(t)
		r := read(t, h, StreamOptions{})
		w := h.next()
		if got := r.want(SignalConnecting, SignalOpen); got.Err != nil {
			t.Errorf("the first connection: %v", got.Err)
		}
		_ = w.Close()
		r.want(SignalLost, SignalConnecting)
		w = h.next()
		if got := r.want(SignalOpen); !errors.Is(got.Err, ErrGap) {
			t.Errorf("a connection that does not resume: %v", got.Err)
		}
		go send(t, w, event(3, "session:resync", `{"rev":2}`)+event(4, "k", "{}"))
		if got := r.want(SignalEvent); !errors.Is(got.Err, ErrGap) {
			t.Errorf("a resync: %v", got.Err)
		}
		if got := r.want(SignalEvent); got.Err != nil {
			t.Errorf("an event: %v", got.Err)
		}
		r.close()
	})
}

func TestAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newStreamHost(t)
		h.refuse = func(*http.Request) *http.Response { return respond(http.StatusBadGateway, nil, "<html>") }
		stream := timedClient(t, h, retry.Default()).Events(t.Context(), StreamOptions{})
		var types []SignalType
		for signal := range stream.All() {
			if types = append(types, signal.Type); len(types) == 4 {
				break
			}
		}
		if want := []SignalType{SignalConnecting, SignalLost, SignalConnecting, SignalLost}; !slices.Equal(types, want) {
			t.Errorf("got %v", types)
		}
		if _, err := stream.Next(t.Context()); !errors.Is(err, errStreamClosed) {
			t.Errorf("Next after the loop: %v", err)
		}
	})
}
