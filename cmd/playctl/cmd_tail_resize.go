//go:build unix

package main

import (
	"os"
	"syscall"
)

// resizes reports changes of the terminal's size until stop.
func (p *program) resizes() (changes <-chan os.Signal, stop func()) {
	if p.Signals == nil {
		return nil, func() {}
	}
	// One that waits is enough: the size is read when it is dealt with.
	c := make(chan os.Signal, 1)
	p.Signals(c, syscall.SIGWINCH)
	return c, func() { p.StopSignals(c) }
}
