package livecopy

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/playctl/playctl/test/property"
)

// long is set if the tests may take many minutes.
var long = os.Getenv("PLAYCTL_TEST_LONG") != ""

func TestMain(m *testing.M) {
	property.Checks("6") // each waits for real reconnects
	goleak.VerifyTestMain(m)
}
