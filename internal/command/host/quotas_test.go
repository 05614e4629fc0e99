package host

import (
	"bytes"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/world"
)

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
