package host

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Callers that wait share one access to the store, which begins after they came.
func TestRefusedCallersShareAccessToStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f freshness
		failure := errors.New("the store is away")
		began := time.Now()
		accesses := 0
		access := func(context.Context) error {
			accesses++
			<-time.After(time.Millisecond)
			return failure
		}
		if err := f.read(t.Context(), access); !errors.Is(err, failure) || time.Since(began) != time.Millisecond {
			t.Errorf("the first caller got %v after %v", err, time.Since(began))
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		var all sync.WaitGroup
		for n := range 1000 {
			all.Go(func() {
				ctx := t.Context()
				if n%2 == 1 {
					ctx = gone // It waits no longer, and takes nothing from the others.
				}
				if err := f.read(ctx, access); !errors.Is(err, failure) && (n%2 == 0 || !errors.Is(err, context.Canceled)) {
					t.Errorf("caller %d got %v", n, err)
				}
			})
		}
		all.Wait()
		if accesses != 2 || time.Since(began) != refreshEvery+time.Millisecond {
			t.Errorf("%d accesses in %v", accesses, time.Since(began))
		}
	})
}
