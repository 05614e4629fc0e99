package redis_test

import (
	"context"
	"testing"
	"time"
)

// eventually asks until the answer is yes, for 10 s at most.
func eventually(t *testing.T, what string, ask func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ask() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("there is not: %s", what)
		}
	}
}
