//go:build !unix

package command

import (
	"context"
	"os"
	"os/exec"
)

// Detach does nothing: on this system the end of a terminal does not affect other
// programs.
func Detach(*exec.Cmd) {}

// EndWithChildren does nothing, so that the program is killed: there are no process
// groups to signal.
func EndWithChildren(*exec.Cmd) {}

// Resizes reports nothing, because the system has no signal for it: the size is read
// before each drawing.
func (*Program) Resizes() (changes <-chan os.Signal, stop func()) { return nil, func() {} }

// Suspensions reports nothing, because the system does not stop programs.
func (*Program) Suspensions() (suspended <-chan os.Signal, stop func()) { return nil, func() {} }

// WhileRead returns the context itself: a command notices at its next write that the
// reader of its output has closed the pipe.
func (*App) WhileRead(ctx context.Context) (read context.Context, stop func()) {
	return ctx, func() {}
}

// Suspend does nothing on this system.
func (*Program) Suspend(context.Context) error { return nil }
