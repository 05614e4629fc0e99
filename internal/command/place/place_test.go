package place

import (
	"os"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/store/redis"
)

// The page for operators has the rules that a test of the store proves: enough,
// and nothing too much.
func TestDocsHaveTheRules(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/redis.md")
	if err != nil {
		t.Fatal(err)
	}
	one, many := redis.Rules("default", false), redis.Rules("default", true)
	for _, rules := range [][]string{one, many[len(one):]} {
		if text := strings.Join(rules, " "); !strings.Contains(string(page), text) {
			t.Errorf("docs/redis.md lacks:\n%s", text)
		}
	}
}
