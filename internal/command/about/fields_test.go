package about

import (
	"testing"

	"github.com/playctl/playctl/test/jsonfields"
)

func TestJSONFields(t *testing.T) {
	t.Parallel()
	jsonfields.Check(t, map[string]any{
		"config show":                 configResult{},
		"config show --output ndjson": settingResult{},
	})
}
