package command

import (
	"testing"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/jsonfields"
)

func TestJSONFields(t *testing.T) {
	t.Parallel()
	jsonfields.Check(t, map[string]any{
		"--dry-run":        dryRunResult{},
		"error":            failure{},
		"version":          Version{},
		"list-agent-nodes": agentsResult{},
		"inspect-node":     mainResult{},
		"snapshot":         protocol.Snapshot{},
	})
}
