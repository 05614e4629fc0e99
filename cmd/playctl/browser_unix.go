//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// detach gives a command a session of its own, so that neither Ctrl-C nor the
// end of this terminal ends what it started.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
