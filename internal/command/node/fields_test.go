package node

import (
	"testing"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/jsonfields"
)

func TestJSONFields(t *testing.T) {
	t.Parallel()
	jsonfields.Check(t, map[string]any{
		"create-root-key":                               rootKeyResult{},
		"create-main-node, login":                       createdMainResult{},
		"create-agent-node, credentials import --agent": createdAgentResult{},
		"create-api-key":                                apiKeyResult{},
		"whoami":                                        whoamiResult{},
		"inspect-node AGENT":                            inspectedAgentResult{},
		"validate-main-node, validate-agent-node":       validationResult{},
		"delete-main-node, delete-agent-node":           deletedResult{},
		"credentials export":                            exportedResult{},
		"credentials clear":                             clearedResult{},
		"invite":                                        inviteResult{},
		"key create":                                    createdKeyResult{},
		"key list":                                      keysResult{},
		"key revoke":                                    revokedKeyResult{},
		"context export":                                bundleResult{},
		"invite list":                                   invitationsResult{},
		"invite revoke":                                 revokedInvitationResult{},
		"context list":                                  contextsResult{},
		"context show, context add, context edit, context import, context remove, context rename, context use, credentials import": contextResult{},
		"nodes list":                 nodesResult{},
		"nodes list --output ndjson": nodeItem{},
		"nodes limit":                protocol.NodeLimitsReply{},
		"nodes label":                labelResult{},
	})
}
