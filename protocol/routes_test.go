package protocol

import (
	"slices"
	"strings"
	"testing"
)

func TestRoutes(t *testing.T) {
	t.Parallel()
	patterns, ids := map[string]bool{}, map[string]bool{}
	for _, r := range Routes(ServicePlay) {
		at := r.Pattern()
		for what, wrong := range map[string]bool{
			"another route has its method and path":         patterns[at],
			"another route has its id":                      ids[r.ID] || r.ID == "",
			"its group is unknown":                          !slices.Contains([]string{GroupWorld, GroupOperations, GroupNodes, GroupWatch, GroupUpkeep}, r.Group),
			"nobody may use it":                             r.Callers == 0 && !r.Anyone,
			"its summary is not a sentence":                 !strings.HasSuffix(r.Summary, "."),
			"it reads and accepts an idempotency key":       r.Method == methodGet && r.Repeatable,
			"it keeps a secret reply without repeats":       r.Secret && !r.Repeatable,
			"it has no body that may be absent":             r.OptionalBody && r.Request == nil,
			"it has a reply that nothing describes":         r.Reply != nil && r.Result == "",
			"the path of a world's route lacks its service": r.Group == GroupWorld && !strings.HasPrefix(r.Path, "/api/play/"),
		} {
			if wrong {
				t.Errorf("%s: %s", at, what)
			}
		}
		patterns[at], ids[r.ID] = true, true
	}
}
