package livecopy

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// long is set where the tests may take many minutes.
var long = os.Getenv("PLAYCTL_TEST_LONG") != ""

func TestMain(m *testing.M) {
	if !long {
		// Each case waits for real reconnects; the default of 100 is for long runs.
		if err := flag.Set("rapid.checks", "6"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	goleak.VerifyTestMain(m)
}
