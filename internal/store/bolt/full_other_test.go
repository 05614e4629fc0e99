//go:build !linux && !darwin

package bolt_test

// platformRoles are roles for this system only: here a process cannot limit its
// files.
var platformRoles map[string]func(path string) int
