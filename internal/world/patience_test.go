package world

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/sharedstore"
)

// slowStore is a host's access to a shared journal that, while delay is set, answers
// look-ups late and completes no commit.
type slowStore struct {
	*sharedstore.Host
	delay atomic.Int64
}

func (l *slowStore) Get(ctx context.Context, table store.Table, key []byte) ([]byte, error) {
	if !pause.For(ctx, time.Duration(l.delay.Load())) {
		return nil, store.ErrUnavailable
	}
	return l.Host.Get(ctx, table, key)
}

func (l *slowStore) Commit(ctx context.Context, b *store.Batch) (store.Tip, error) {
	if l.delay.Load() == 0 {
		return l.Host.Commit(ctx, b)
	}
	<-ctx.Done()
	return store.Tip{}, store.ErrUnavailable
}

// A request that calls the store several times, each call taking almost the whole
// time, is answered within one second in total, not one second for each call.
func TestTotalStoreWaitOfRequestIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := newClock()
		way := &slowStore{Host: sharedstore.NewServer(store.DefaultRetention(), clock.Now).Host()}
		w, err := Open(t.Context(), Options{Journal: way, RootKey: testRootKey, Now: clock.Now, Random: rand.NewChaCha8([32]byte{1})})
		if err != nil {
			t.Fatal(err)
		}
		defer closeWorld(t, w)
		way.delay.Store(int64(patience - time.Millisecond))
		for name, last := range map[string]func(context.Context) error{
			"a command": func(ctx context.Context) error {
				_, err := w.Do(ctx, Request{}, CreateMainNode{NodeID: id("owner"), APIKey: protocol.NewSecret("key")})
				return err
			},
			"a look-up": func(ctx context.Context) error {
				_, err := w.Space(ctx, "nowhere")
				return err
			},
		} {
			ctx := w.WithStoreWait(t.Context())
			elapsed := pause.Stopwatch()
			if _, _, err := w.Repeated(ctx, &Idempotency{}); err != nil {
				t.Fatalf("%s: the first look-up: %v", name, err)
			}
			// The host's own time between two calls is not counted.
			pause.For(ctx, time.Minute)
			wantCode(t, last(ctx), protocol.CodeStoreUnavailable)
			if took := elapsed() - time.Minute; took > patience {
				t.Errorf("%s: the request waited %v for the store, want %v at most", name, took, patience)
			}
		}
		way.delay.Store(0)
	})
}
