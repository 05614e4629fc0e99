package client

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/internal/retry"
)

// A program that is busy for a long time does not lose a connection on which data
// arrived.
func TestBusyProgramKeepsItsConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newStreamHost(t)
		s := timedClient(t, h, retry.Default()).Events(t.Context(), StreamOptions{})
		defer s.Close()
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			send(t, h.next(), event(1, "interaction", "{}")+event(2, "interaction", "{}"))
		}()
		for _, want := range []SignalType{SignalConnecting, SignalOpen, SignalEvent, SignalEvent} {
			signal, err := s.Next(t.Context())
			if err != nil || signal.Type != want {
				t.Fatalf("%v and %v, want %v", signal, err, want)
			}
			<-time.After(2 * stallAfter)
		}
		<-sent
	})
}
