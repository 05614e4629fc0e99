package stream

import (
	"testing"

	"github.com/playctl/playctl/test/jsonfields"
)

func TestJSONFields(t *testing.T) {
	t.Parallel()
	jsonfields.Check(t, map[string]any{
		"tail, replay": eventResult{},
		"tail --output json, replay --output json": eventsResult{},
		"replay --open":  siteResult{},
		"tail --record":  recordedLine{},
		"replay --check": replayResult{},
	})
}

// eventsResult is what render.List writes of events.
type eventsResult struct {
	Events []eventResult `json:"events"` // the events, in order
}
