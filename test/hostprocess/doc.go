// Package hostprocess runs real `playctl serve` processes for tests and
// benchmarks: the program is built once for each of them, every host ends with
// its test, and a test fails whose host shows a secret.
package hostprocess
