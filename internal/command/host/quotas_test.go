package host

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/internal/world"
)

var writeLimits = flag.Bool("write-limits", false, "write the table of limits in docs/hosting.md anew")

// limitsBegin and limitsEnd are around the table in the page for operators.
const (
	limitsBegin = "<!-- The table of limits is written by go generate ./internal/command/host. -->\n"
	limitsEnd   = "<!-- The end of the table. -->\n"
)

// Every limit is on the page for operators.
func TestOperatorsFindEveryLimit(t *testing.T) {
	const page = "../../../docs/hosting.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, hasBegin := bytes.Cut(text, []byte(limitsBegin))
	was, after, hasEnd := bytes.Cut(rest, []byte(limitsEnd))
	if !hasBegin || !hasEnd {
		t.Fatal("docs/hosting.md has no place for the table of limits")
	}
	var table strings.Builder
	table.WriteString("\n| flag | default | what it bounds |\n|---|---|---|\n")
	for _, l := range limits {
		fmt.Fprintf(&table, "| `--%s` | %d | %s |\n", l.flag, l.value, l.help)
	}
	table.WriteString("\n")
	if *writeLimits {
		text = bytes.Join([][]byte{before, []byte(limitsBegin), []byte(table.String()), []byte(limitsEnd), after}, nil)
		if err := os.WriteFile(page, text, 0o644); err != nil { //nolint:gosec // a page of the documentation
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(string(was), table.String()); diff != "" {
		t.Errorf("docs/hosting.md is not what go generate ./internal/command/host makes of it (-page +limits):\n%s", diff)
	}
}

// Every quota has its flags, for each account and for all together.
func TestEveryQuotaHasFlags(t *testing.T) {
	flags := map[string]bool{}
	for _, l := range limits {
		flags[l.flag] = true
	}
	for _, q := range world.Quotas() {
		if !flags["max-total-"+q.Label()] || q != world.Accounts && !flags["max-"+q.Label()] {
			t.Errorf("no flags limit %s", q)
		}
	}
}
