package world

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/protocol"
)

// A host that is behind the store is not ready, and is as soon as it is not.
func TestAHostThatIsBehindIsNotReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := openCluster(t, 2)
		defer c.close()
		a := c.agent(0, 45)
		c.agree()
		behind := c.worlds[1]
		if err := behind.Healthy(t.Context()); err != nil {
			t.Fatalf("a host at the head: %v", err)
		}
		c.hosts[1].Deaf.Store(true)
		c.must(0, a, line(a, "not heard of"))
		asked := make(chan error, 1)
		go func() { asked <- behind.Healthy(t.Context()) }()
		synctest.Wait()
		select {
		case err := <-asked:
			t.Fatalf("a host that has not the last line says %v", err)
		default:
		}
		if err := behind.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := <-asked; err != nil {
			t.Errorf("a host that caught up: %v", err)
		}

		c.must(0, a, line(a, "nor of this"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		wantCode(t, behind.Healthy(ctx), protocol.CodeStoreUnavailable)
	})
}
