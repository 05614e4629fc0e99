package stream

import (
	"testing"

	"github.com/playctl/playctl/test/jsonfields"
)

func TestJSONFields(t *testing.T) {
	t.Parallel()
	jsonfields.Check(t, map[string]any{
		"tail":           eventResult{},
		"tail --record":  recordedLine{},
		"replay --check": replayResult{},
	})
}
