package redis

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/store"
)

// A server is checked every 30 s, after a new connection, and every second while it is
// not fit; never more often.
func TestFitnessIsCheckedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dialed := make(chan struct{}, 1)
		f := fitness{dialed: dialed}
		elapsed := pause.Stopwatch()
		var at []time.Duration
		f.begin(func(context.Context) {
			at = append(at, elapsed().Truncate(time.Second))
			switch len(at) {
			case 1:
				dialed <- struct{}{}
			case 2:
				f.unfit.Store(&store.FaultError{Reason: "a test"})
			case 4:
				f.unfit.Store(nil)
			}
		})
		pause.For(t.Context(), time.Minute+10*time.Second)
		f.end()
		f.end()
		want := []time.Duration{30 * time.Second, 31 * time.Second, 32 * time.Second, 33 * time.Second, 63 * time.Second}
		if !slices.Equal(at, want) {
			t.Errorf("checked at %v, want %v", at, want)
		}
	})
}

func TestFitnessThatNeverBegan(t *testing.T) {
	var f fitness
	f.end()
	f.begin(func(context.Context) { t.Error("it checks after its end") })
}

// A server that answers is not doubted, only one whose answer is not understood.
func TestAdvice(t *testing.T) {
	const doubt = `is that a Redis server, and does it answer "redis-cli ping"?`
	for advice, err := range map[string]error{
		"":    &store.FaultError{Reason: "no world", Err: fmt.Errorf("%w: no world", store.ErrUnavailable)},
		doubt: fmt.Errorf("%w: unexpected reply", store.ErrUnavailable),
	} {
		if got := (location{}).Advice(err); got != advice {
			t.Errorf("%v: the advice is %q", err, got)
		}
	}
}
