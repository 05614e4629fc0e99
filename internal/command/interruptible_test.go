package command

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
)

// An interrupt ends the wait for a computation at once, although it goes on.
func TestInterruptEndsWaitForComputation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &App{Program: &Program{Stderr: io.Discard}}
		release := make(chan struct{})
		defer close(release)
		ctx, cancel := context.WithCancelCause(t.Context())
		go cancel(ErrInterrupted)
		_, err := Interruptible(ctx, a, "Computing", func() (int, error) {
			<-release
			return 1, nil
		})
		if !errors.Is(err, ErrInterrupted) {
			t.Errorf("the wait ended with %v", err)
		}
	})
}
