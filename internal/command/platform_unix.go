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

// Detach starts a command in a new session, so that neither Ctrl-C nor the end of this
// terminal ends it.
func Detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// EndWithChildren ends the child processes of a program together with it: the program
// gets its own process group, which is signaled as a whole.
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

// notify reports a signal until stop. A buffer of one is enough: the receiver reads the
// current state itself.
func (p *Program) notify(signal os.Signal) (signals <-chan os.Signal, stop func()) {
	if p.Signals == nil {
		return nil, func() {}
	}
	c := make(chan os.Signal, 1)
	p.Signals(c, signal)
	return c, func() { p.StopSignals(c) }
}

// stopTime is how long a process may take to stop after its signal, on a busy machine. A
// process that has not stopped by then has no shell to continue it.
const stopTime = 2 * time.Second

// Suspend stops the process until it is continued.
func (p *Program) Suspend(ctx context.Context) error {
	continued, stop := p.notify(syscall.SIGCONT)
	defer stop()
	// This signal stops a process as SIGTSTP does, which the program handles itself; it has
	// no effect where no shell would continue the process.
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
