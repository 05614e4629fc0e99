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
		"add-agent, remove-agent, agent run, intercom serve":           playerResult{},
		"register-mcp, unregister-mcp":                                 mcpResult{},
		"record-interaction, record-journey":                           recordedResult{},
		"interactions":                                                 interactionsResult{},
		"intercom send":                                                answerResult{},
		"intercom serve, agent run; the standard input of the program": programInput{},
		"agent run --lines; the standard input of the program":         lineQuestion{},
		"agent list": listedAgents{},
		"init":       initResult{},
	})
}
