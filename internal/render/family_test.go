package render

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/playctl/playctl/protocol"
)

// doing returns a row: "name state [parent [owner]]"; a state of "-" is none.
func doing(text string) *protocol.Agent {
	words := append(strings.Fields(text), "", "", "")
	row := &protocol.Agent{AgentID: words[0], Name: words[0], ParentID: words[2], NodeID: words[3]}
	if words[1] != "-" {
		row.Activity = &protocol.Activity{State: words[1], Since: "2026-03-04T11:57:00.000Z"}
	}
	return row
}

func TestArrange(t *testing.T) {
	t.Parallel()
	since := func(row *protocol.Agent, at string) *protocol.Agent {
		row.Activity.Since = at
		return row
	}
	for name, test := range map[string]struct {
		rows []*protocol.Agent
		want string
	}{
		"by urgency, then by name": {
			[]*protocol.Agent{doing("zed -"), doing("i idle"), doing("d done"), doing("w working"), doing("B working"), doing("f failed"), doing("a waiting"), doing("n of-tomorrow")},
			"a f B w d i n zed",
		},
		"the longest wait first": {
			[]*protocol.Agent{since(doing("a waiting"), "2026-03-04T11:58:00.000Z"), since(doing("b waiting"), "2026-03-04T11:56:00.000Z")},
			"b a",
		},
		"children below their parents": {
			[]*protocol.Agent{doing("c working p"), doing("a working"), doing("p working"), doing("g idle c"), doing("b failed p")},
			"p .b .c ..g a",
		},
		"a family comes as early as its most urgent agent": {
			[]*protocol.Agent{doing("a working"), doing("p idle"), doing("c done p"), doing("g waiting c")},
			"p .c ..g a",
		},
		"a parent of another owner":       {[]*protocol.Agent{doing("p idle - x"), doing("c idle p y")}, "c p"},
		"a parent that is not on the map": {[]*protocol.Agent{doing("c idle gone")}, "c"},
		"its own parent":                  {[]*protocol.Agent{doing("a idle a")}, "a"},
		"a cycle":                         {[]*protocol.Agent{doing("a idle b"), doing("b idle c"), doing("c idle a"), doing("d idle a")}, "a .d b c"},
		"nobody":                          {nil, ""},
	} {
		var got []string
		for _, placed := range Arrange(test.rows) {
			got = append(got, strings.Repeat(".", placed.Depth)+placed.Name)
		}
		if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Whatever parents rows state, each is listed once, and the order does not depend on that of
// the rows; a child is below its own parent.
func TestArrangeAnyFamily(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"})
		rows := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) *protocol.Agent {
			state := rapid.SampledFrom(append(protocol.ActivityStates(), "-")).Draw(t, "state")
			return doing(id.Draw(t, "id") + " " + state + " " + rapid.OneOf(id, rapid.Just("-")).Draw(t, "parent") + " " + rapid.SampledFrom([]string{"x", "y"}).Draw(t, "owner"))
		}), 0, 12, func(row *protocol.Agent) string { return row.NodeID + row.AgentID }).Draw(t, "rows")
		placed := Arrange(rows)
		if len(placed) != len(rows) {
			t.Fatalf("%d of %d rows are listed", len(placed), len(rows))
		}
		var above []Placed
		seen := map[*protocol.Agent]bool{}
		for _, one := range placed {
			if seen[one.Agent] || one.Depth > len(above) {
				t.Fatalf("%s of %s is listed twice or below nothing", one.Name, one.NodeID)
			}
			seen[one.Agent] = true
			above = above[:one.Depth]
			if one.Depth > 0 {
				if parent := above[one.Depth-1]; parent.AgentID != one.ParentID || parent.NodeID != one.NodeID {
					t.Fatalf("%s is below %s", one.Name, parent.Name)
				}
			}
			above = append(above, one)
		}
		if diff := cmp.Diff(placed, Arrange(rapid.Permutation(rows).Draw(t, "shuffled"))); diff != "" {
			t.Fatalf("the order depends on that of the rows:\n%s", diff)
		}
	})
}

func TestActivityTexts(t *testing.T) {
	t.Parallel()
	look := Look{Now: noon}
	for at, want := range map[string]string{
		"2026-03-04T12:00:00.000Z": "0 s", "2026-03-04T11:59:30.500Z": "29 s", "2026-03-04T11:57:30.000Z": "2 min", "2026-03-04T12:00:05.000Z": "0 s", "soon": "",
	} {
		if got := look.SinceText(&protocol.Activity{Since: at}); got != want {
			t.Errorf("since %s is %q, want %q", at, got, want)
		}
	}
	for _, test := range []struct{ text, tool, want string }{
		{"", "", ""}, {"Editing", "", "Editing"}, {"", "edit", "edit"}, {"Editing", "edit", "Editing (edit)"},
		{"Approve send_email", "send_email", "Approve send_email"},
	} {
		if got := DoingText(&protocol.Activity{Text: test.text, ToolName: test.tool}); got != test.want {
			t.Errorf("%q with %q is %q", test.text, test.tool, got)
		}
	}
	for number, want := range map[float64]string{
		0: "0", 950: "950", 999.7: "1.0k", 1234: "1.2k", 99_940: "99.9k", 123_456: "123k", 999_600: "1.0M", 1.2e6: "1.2M", 1e300: ">999T",
	} {
		if got := TokensText(&protocol.Usage{InputTokens: &number}); got != want {
			t.Errorf("%v tokens are %q, want %q", number, got, want)
		}
	}
	for number, want := range map[float64]string{0: "$0.00", 0.001: "<$0.01", 0.31: "$0.31", 12.5: "$12.50", 1234.5: "$1.2k", 1e300: "$>999T"} {
		if got := CostText(&protocol.Usage{CostUSD: &number}); got != want {
			t.Errorf("%v dollars are %q, want %q", number, got, want)
		}
	}
	if TokensText(nil) != "" || CostText(&protocol.Usage{}) != "" || DoingText(nil) != "" || look.SinceText(nil) != "" {
		t.Error("what is not known has a text")
	}
	counts := CountAgents([]*protocol.Agent{doing("a working"), doing("b waiting"), doing("c working"), doing("d -"), doing("e failed"), doing("f done"), doing("g idle"), doing("h of-tomorrow")})
	if got := CountsText(counts); got != "2 working · 1 waiting · 1 failed · 1 done · 1 idle" || counts.Agents != 8 {
		t.Errorf("counts: %q of %d", got, counts.Agents)
	}
}
