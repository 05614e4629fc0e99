package chain_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/playctl/playctl/test/property"
)

func TestMain(m *testing.M) {
	property.Checks(40) // each compares many trees with a slow implementation
	goleak.VerifyTestMain(m)
}
