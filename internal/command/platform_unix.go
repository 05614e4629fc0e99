//go:build unix

package command

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Detach gives a command a session of its own, so that neither Ctrl-C nor the
// end of this terminal ends what it started.
func Detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// EndWithChildren makes the end of a program that of everything it started: it
// gets a process group of its own, which is signaled as a whole.
func EndWithChildren(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}

// Resizes reports changes of the terminal's size until stop.
func (p *Program) Resizes() (changes <-chan os.Signal, stop func()) {
	return p.notify(syscall.SIGWINCH)
}

// Suspensions reports Ctrl-Z until stop.
func (p *Program) Suspensions() (suspended <-chan os.Signal, stop func()) {
	return p.notify(syscall.SIGTSTP)
}

// notify reports a signal until stop. One that waits is enough: what it says is
// looked up when it is dealt with.
func (p *Program) notify(signal os.Signal) (signals <-chan os.Signal, stop func()) {
	if p.Signals == nil {
		return nil, func() {}
	}
	c := make(chan os.Signal, 1)
	p.Signals(c, signal)
	return c, func() { p.StopSignals(c) }
}

// stopTime is how long a process that was asked to stop may go on until it does, on a
// machine with much to do. One that is not stopped by then has nobody to continue it.
const stopTime = 2 * time.Second

// Suspend stops the process until it is continued.
func (p *Program) Suspend(ctx context.Context) error {
	continued, stop := p.notify(syscall.SIGCONT)
	defer stop()
	// The system stops a process for this signal as for Ctrl-Z, whose own is taken:
	// not where no shell would continue it.
	if err := syscall.Kill(os.Getpid(), syscall.SIGTTOU); err != nil {
		return fmt.Errorf("stop this program: %w", err)
	}
	select {
	case <-continued:
	case <-time.After(stopTime):
	case <-ctx.Done():
	}
	return nil
}
