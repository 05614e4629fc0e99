package chain_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain has properties checked less often than rapid does on its own: each compares
// many trees with their slow definition. PLAYCTL_TEST_LONG has them all.
func TestMain(m *testing.M) {
	if os.Getenv("PLAYCTL_TEST_LONG") == "" {
		if err := flag.Set("rapid.checks", "40"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	goleak.VerifyTestMain(m)
}
