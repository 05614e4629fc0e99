package node

import (
	"testing"

	"github.com/playctl/playctl/test/jsonfields"
)

func TestJSONFields(t *testing.T) {
	t.Parallel()
	jsonfields.Check(t, map[string]any{
		"create-root-key":    rootKeyResult{},
		"create-main-node":   createdMainResult{},
		"create-agent-node":  createdAgentResult{},
		"create-api-key":     apiKeyResult{},
		"whoami":             whoamiResult{},
		"inspect-node agent": inspectedAgentResult{},
		"validate-node":      validationResult{},
		"delete-node":        deletedResult{},
		"credentials export": exportedResult{},
		"credentials clear":  clearedResult{},
		"invite":             inviteResult{},
		"key create":         createdKeyResult{},
		"key list":           keysResult{},
		"key revoke":         revokedKeyResult{},
		"context export":     bundleResult{},
		"invite list":        invitationsResult{},
		"invite revoke":      revokedInvitationResult{},
		"context list":       contextsResult{},
		"context show":       contextResult{},
		"nodes list":         nodesResult{},
		"nodes list item":    nodeItem{},
		"nodes label":        labelResult{},
	})
}
