package otel

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/playctl/playctl/test/hostprocess"
)

// suite builds the program once, and removes it before the check for leaks.
type suite struct{ *testing.M }

func (s suite) Run() int { return hostprocess.Main(s.M) }

func TestMain(m *testing.M) { goleak.VerifyTestMain(suite{m}) }
