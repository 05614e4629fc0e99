// Package property says how often the usual run of the tests checks a random property.
package property

import (
	"flag"
	"os"
)

// Checks has each property of a package checked that often, for its TestMain, where one
// check costs much. It is as often as rapid does it, 100 times, with PLAYCTL_TEST_LONG,
// and as often as -rapid.checks says where the command line has it. Every run draws
// others.
func Checks(times string) {
	if os.Getenv("PLAYCTL_TEST_LONG") != "" {
		return
	}
	if err := flag.Set("rapid.checks", times); err != nil {
		panic(err) // the package's tests do not use rapid, or times is no number
	}
}
