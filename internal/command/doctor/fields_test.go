package doctor

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/playctl/playctl/test/jsonfields"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestJSONFields(t *testing.T) {
	t.Parallel()
	jsonfields.Check(t, map[string]any{
		"doctor":                 doctorResult{},
		"doctor --output ndjson": finding{},
	})
}
