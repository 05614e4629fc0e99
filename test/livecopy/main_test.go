//go:build full

package livecopy

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/playctl/playctl/test/property"
)

func TestMain(m *testing.M) {
	property.Checks(4) // each waits for real reconnects
	goleak.VerifyTestMain(m)
}
