//go:build !linux && !darwin

package bolt_test

// platformRoles is empty on this system, where a process cannot limit the size of
// its files.
var platformRoles map[string]func(path string) int
