package host

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/internal/world"
)

var writeLimits = flag.Bool("write-limits", false, "rewrite the table of limits in docs/hosting.md")

// limitsBegin and limitsEnd enclose the table in the page for operators.
const (
	limitsBegin = "<!-- The table of limits is written by go generate ./internal/command/host. -->\n"
	limitsEnd   = "<!-- The end of the table. -->\n"
)

// Every limit is on the page for operators.
func TestHostingPageListsEveryLimit(t *testing.T) {
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
	for _, l := range new(serveSettings).limitFlags() {
		fmt.Fprintf(&table, "| `--%s` | %d | %s |\n", l.flag, l.value, l.help)
	}
	table.WriteString("\n")
	if *writeLimits {
		text = bytes.Join([][]byte{before, []byte(limitsBegin), []byte(table.String()), []byte(limitsEnd), after}, nil)
		if err := os.WriteFile(page, text, 0o644); err != nil { //nolint:gosec // a page of the documentation
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(string(was), table.String()); diff != "" {
		t.Errorf("docs/hosting.md differs from the output of go generate ./internal/command/host (-page +limits):\n%s", diff)
	}
}

// namedDefault matches a flag with its default in the table of what accounts may have: a
// number with commas, in MiB or GiB, or none.
var namedDefault = regexp.MustCompile("`--([a-z-]+)` ([0-9,]+|none)(?: (MiB|GiB))?")

// The table of what accounts may have states the defaults of the flags.
func TestDefaultsInTableOfAccounts(t *testing.T) {
	text, err := os.ReadFile("../../../docs/hosting.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(text, []byte("## What accounts may have\n"))
	section, _, _ := bytes.Cut(rest, []byte("\n## "))
	listed := map[string]int{}
	for _, m := range namedDefault.FindAllStringSubmatch(string(section), -1) {
		n := 0
		if m[2] != "none" {
			if n, err = strconv.Atoi(strings.ReplaceAll(m[2], ",", "")); err != nil {
				t.Fatal(err)
			}
		}
		listed[m[1]] = n * map[string]int{"": 1, "MiB": 1 << 20, "GiB": 1 << 30}[m[3]]
	}
	if len(listed) == 0 {
		t.Fatal("docs/hosting.md has no table of the limits of accounts")
	}
	for _, l := range new(serveSettings).limitFlags() {
		n, there := listed[l.flag]
		if there && n != l.value {
			t.Errorf("the table has %d for --%s, whose default is %d", n, l.flag, l.value)
		}
		delete(listed, l.flag)
	}
	if len(listed) > 0 {
		t.Errorf("the table has flags that are no limits: %v", listed)
	}
}

// Every quota has two flags: for each account, and for all together.
func TestEveryQuotaHasFlags(t *testing.T) {
	flags := map[string]bool{}
	for _, l := range new(serveSettings).limitFlags() {
		flags[l.flag] = true
	}
	for _, q := range world.Quotas() {
		if !flags["max-total-"+q.Label()] || q != world.Accounts && !flags["max-"+q.Label()] {
			t.Errorf("no flags limit %s", q)
		}
	}
}
