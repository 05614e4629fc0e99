//go:build !unix

package command

import (
	"context"
	"os"
	"os/exec"
)

// Detach does nothing: here a terminal's end does not reach other programs.
func Detach(*exec.Cmd) {}

// EndWithChildren leaves the program to be killed: there are no process groups
// to signal here.
func EndWithChildren(*exec.Cmd) {}

// Resizes reports nothing where the system has no signal for it: the size is
// read whenever something is drawn.
func (*Program) Resizes() (changes <-chan os.Signal, stop func()) { return nil, func() {} }

// Suspensions reports nothing where the system stops no programs.
func (*Program) Suspensions() (suspended <-chan os.Signal, stop func()) { return nil, func() {} }

// Suspend does nothing here.
func (*Program) Suspend(context.Context) error { return nil }
