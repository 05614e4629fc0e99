package world

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/playctl/playctl/test/jsonfields"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestJSONFields(t *testing.T) {
	t.Parallel()
	jsonfields.Check(t, map[string]any{
		"connect":                  connectResult{},
		"watch, qr":                watchResult{},
		"watch list":               watchTokensResult{},
		"watch revoke":             revokedTokenResult{},
		"chain node":               nodeResult{},
		"chain prove":              proofResult{},
		"chain show, chain verify": chainResult{},
		"chain verify-proof":       proofVerdict{},
		"status":                   statusResult{},
		"session reset":            resetResult{},
		"remove":                   removedResult{},
	})
}
