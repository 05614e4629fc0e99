package host

import (
	"os"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/world"
)

// Every limit is on the page for operators, and every quota among them, for each
// account and for all together.
func TestOperatorsFindEveryLimit(t *testing.T) {
	text, err := os.ReadFile("../../../docs/hosting.md")
	if err != nil {
		t.Fatal(err)
	}
	flags := map[string]bool{}
	for _, l := range limits {
		flags[l.flag] = true
		if !strings.Contains(string(text), "`--"+l.flag+"`") {
			t.Errorf("docs/hosting.md says nothing of --%s", l.flag)
		}
	}
	for _, q := range world.Quotas() {
		if !flags["max-total-"+q.Label()] || q != world.Accounts && !flags["max-"+q.Label()] {
			t.Errorf("no flags limit %s", q)
		}
	}
}
