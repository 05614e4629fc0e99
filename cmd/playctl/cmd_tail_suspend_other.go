//go:build !unix

package main

import (
	"context"
	"os"
)

// suspensions reports nothing where the system stops no programs.
func (*program) suspensions() (suspended <-chan os.Signal, stop func()) { return nil, func() {} }

func (*tailer) suspend(context.Context) error { return nil }
