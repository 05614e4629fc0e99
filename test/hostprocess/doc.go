// Package hostprocess runs real `playctl serve` processes for tests and benchmarks:
// the program is built once for each of them, every host ends with its test, and a
// test fails if its host prints a secret.
package hostprocess
