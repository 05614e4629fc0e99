//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"
)

// stopTime is how long a process that was told to stop may go on until it does, on a
// machine with much to do. One that is not stopped by then has nobody to continue it.
const stopTime = 2 * time.Second

// suspensions reports Ctrl-Z until stop.
func (p *program) suspensions() (suspended <-chan os.Signal, stop func()) {
	if p.Signals == nil {
		return nil, func() {}
	}
	c := make(chan os.Signal, 1)
	p.Signals(c, syscall.SIGTSTP)
	return c, func() { p.StopSignals(c) }
}

// suspend stops the process with the terminal as it was, and draws anew when it is
// continued.
func (t *tailer) suspend(ctx context.Context) error {
	if err := t.shown.away(); err != nil {
		return err
	}
	continued := make(chan os.Signal, 1)
	t.Signals(continued, syscall.SIGCONT)
	defer t.StopSignals(continued)
	// The system stops a process for this signal as for Ctrl-Z, whose own is taken:
	// not where no shell would continue it.
	if err := syscall.Kill(os.Getpid(), syscall.SIGTTOU); err != nil {
		return fmt.Errorf("stop this program: %w", err)
	}
	limit := time.NewTimer(stopTime)
	defer limit.Stop()
	select {
	case <-continued:
	case <-limit.C:
	case <-ctx.Done():
	}
	if err := t.shown.back(); err != nil {
		return err
	}
	return t.shown.draw(t.status())
}
