// Package deploy has the files that run a host in production, and the tests that
// run what of them runs on any Linux machine: the commands with their settings,
// the proxy with events through it, the unit under systemd's own checks.
package deploy
