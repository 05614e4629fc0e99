//go:build !unix

package main

import "os/exec"

// detach does nothing: here a terminal's end does not reach other programs.
func detach(*exec.Cmd) {}
