//go:build !linux

package creds

func inBackground(f func()) { f() }
