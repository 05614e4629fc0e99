package agent

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/playctl/playctl/test/jsonfields"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestJSONFields(t *testing.T) {
	t.Parallel()
	jsonfields.Check(t, map[string]any{
		"add-agent":      playerResult{},
		"register-mcp":   mcpResult{},
		"record":         recordedResult{},
		"interactions":   interactionsResult{},
		"intercom send":  answerResult{},
		"intercom serve": programInput{},
		"agent run":      lineQuestion{},
		"agent list":     listedAgents{},
		"init":           initResult{},
	})
}
