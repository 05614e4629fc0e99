// Package property sets how often a run of the tests checks a random property, and
// reports which run it is.
package property

import (
	"flag"
	"strconv"
)

// Checks sets how often each property of a package is checked, for its TestMain, if
// one check is expensive: with [Full] five times as often. -rapid.checks on the command
// line overrides it. Every run draws different values.
func Checks(times int) {
	if Full {
		times *= 5
	}
	if err := flag.Set("rapid.checks", strconv.Itoa(times)); err != nil {
		panic(err) // the package's tests do not use rapid
	}
}
