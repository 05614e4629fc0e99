package world

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/playctl/playctl/test/property"
)

func TestMain(m *testing.M) {
	property.Checks(30) // each check opens several hosts
	goleak.VerifyTestMain(m)
}
