package manyhosts

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/playctl/playctl/internal/hostprocess"
)

// envSeeds chooses the seeds, such as 17 or 1-300.
const envSeeds = "PLAYCTL_CHAOS_SEEDS"

func TestMain(m *testing.M) {
	code := hostprocess.Main(m)
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// seeds are 20, with PLAYCTL_TEST_LONG 300, or those that PLAYCTL_CHAOS_SEEDS says.
func seeds(t *testing.T) (first, last uint64) {
	t.Helper()
	text := os.Getenv(envSeeds)
	switch {
	case text == "" && os.Getenv("PLAYCTL_TEST_LONG") != "":
		return 1, 300
	case text == "":
		return 1, 20
	}
	from, to, isRange := strings.Cut(text, "-")
	if !isRange {
		to = from
	}
	first, err := strconv.ParseUint(from, 10, 64)
	if err == nil {
		last, err = strconv.ParseUint(to, 10, 64)
	}
	if err != nil {
		t.Fatalf("%s=%q: write a seed or two with a hyphen between them", envSeeds, text)
	}
	return first, last
}
