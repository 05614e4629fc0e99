package otel

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// documented returns the table of conventions as the documentation has it.
func documented() string {
	type row struct{ kind, names []string }
	rows, order := map[string]*row{}, []string(nil)
	for i := range conventions {
		c := &conventions[i]
		if rows[c.product] == nil {
			rows[c.product] = &row{}
			order = append(order, c.product)
		}
		r := rows[c.product]
		if c.kind != "" {
			r.kind = append(r.kind, c.kind)
		}
		for name := range c.names {
			r.kind = append(r.kind, name)
		}
		r.names = append(r.names, slices.Concat(c.agent, c.tool, c.weak)...)
		if c.named {
			r.names = append(r.names, "")
		}
	}
	var text strings.Builder
	text.WriteString("| product | what a span is | the names of agents and tools |\n|---|---|---|\n")
	for _, product := range order {
		slices.Sort(rows[product].kind)
		text.WriteString("| " + product + " | " + codes(rows[product].kind) + " | " + codes(rows[product].names) + " |\n")
	}
	return text.String()
}

// codes returns names as they are in the documentation; the empty one is the span's name.
func codes(names []string) string {
	var cells []string
	for _, name := range names {
		cell := "`" + name + "`"
		if name == "" {
			cell = "the span's name"
		}
		if !slices.Contains(cells, cell) {
			cells = append(cells, cell)
		}
	}
	if len(cells) == 0 {
		return "as in the first row"
	}
	return strings.Join(cells, ", ")
}

// The documentation has the table of conventions; with PLAYCTL_UPDATE_GOLDEN the test writes
// it.
func TestConventionsInDocumentation(t *testing.T) {
	t.Parallel()
	const file, mark = "../../docs/otel.md", "<!-- The test TestConventionsInDocumentation writes this table. -->\n\n"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, after, found := strings.Cut(string(page), mark)
	if !found {
		t.Fatal("the page has no table of conventions")
	}
	table, rest, _ := strings.Cut(after, "\nOf other programs")
	if os.Getenv("PLAYCTL_UPDATE_GOLDEN") != "" {
		table = documented()
		if err := os.WriteFile(file, []byte(before+mark+table+"\nOf other programs"+rest), 0o600); err != nil { //nolint:gosec // it is the page above
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(documented(), table); diff != "" {
		t.Error(diff)
	}
}
