//go:build !unix

package main

import "os"

// resizes reports nothing where the system has no signal for it: the size is
// read whenever something is drawn.
func (*program) resizes() (changes <-chan os.Signal, stop func()) { return nil, func() {} }
