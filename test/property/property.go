// Package property sets how often a normal run of the tests checks a random
// property.
package property

import (
	"flag"
	"os"
)

// Checks sets how often each property of a package is checked, for its TestMain, if
// one check is expensive. With PLAYCTL_TEST_LONG it is rapid's default, 100 times,
// and -rapid.checks on the command line overrides both. Every run draws different
// values.
func Checks(times string) {
	if os.Getenv("PLAYCTL_TEST_LONG") != "" {
		return
	}
	if err := flag.Set("rapid.checks", times); err != nil {
		panic(err) // the package's tests do not use rapid, or times is no number
	}
}
