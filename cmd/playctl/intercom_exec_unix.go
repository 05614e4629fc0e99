//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// endWithChildren makes the end of a program that of everything it started: it
// gets a process group of its own, which is signalled as a whole.
func endWithChildren(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}
