package render

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/playctl/playctl/protocol"
)

// Roster lays out agents in the columns of a live list. The widths depend on the window,
// names and groups, and not on what the agents do, so that a change moves no column.
type Roster struct {
	look    Look
	columns []rosterColumn
}

// RosterTexts are the columns that a list knows besides the rows; nil leaves a column out.
type RosterTexts struct {
	// Owner is who owns an agent, Answering whether a program answers for it.
	Owner, Answering func(*protocol.Agent) string
	// Last is the last event of an agent, for one that does not say what it does.
	Last func(*protocol.Agent) string
}

type rosterColumn struct {
	title string
	width int
	right bool
	cell  func(Placed) part
}

// Widths of columns. The name of an agent has up to nameWidth, or a quarter of a wider
// window; or in a window without room for more, all that is left.
const (
	nameWidth, ownerWidth, answeringWidth = 18, 13, 9
	stateWidth                            = 14
	tokensWidth, costWidth                = 6, 6
	mostGroup                             = 14
	// leastDoing is the least width of the column with what an agent does, goodDoing the
	// width from which on other columns get room.
	leastDoing, goodDoing = 12, 24
	// ownedWidth is the least width with owners in a world where no agent says what it
	// does.
	ownedWidth = 58
)

// NewRoster returns the layout for rows in a window; texts may have more columns.
func NewRoster(look Look, rows []Placed, width int, texts RosterTexts) *Roster {
	r := &Roster{look: look}
	longest, group, says, uses := len("AGENT"), 0, false, false
	for _, row := range rows {
		longest = max(longest, ansi.StringWidth(Clean(row.Indented())))
		group = max(group, min(ansi.StringWidth(Clean(row.Group)), mostGroup))
		says = says || row.Activity != nil
		uses = uses || row.Activity != nil && row.Activity.Usage != nil
	}
	name := rosterColumn{title: "AGENT", cell: func(p Placed) part { return part{plain, p.Indented()} }}
	name.width = min(longest, max(nameWidth, width/4))
	owner := rosterColumn{"OWNER", ownerWidth, false, plainCell(texts.Owner)}
	answering := rosterColumn{"ANSWERING", answeringWidth, false, plainCell(texts.Answering)}
	if !says {
		r.columns = withLast(name, owner, answering, plainCell(texts.Last), longest, width)
		return r
	}
	state := rosterColumn{"STATE", stateWidth, false, func(p Placed) part { return part{toneOf(StateOf(p.Agent)), look.StateText(p.Activity)} }}
	left := width - name.width - columnGap - stateWidth - columnGap
	if left < leastDoing {
		r.columns = narrowed(name, state, longest, width)
		return r
	}
	doing := rosterColumn{"DOING", left, false, func(p Placed) part { return doingCell(p, texts.Last) }}
	tokens := rosterColumn{"TOKENS", tokensWidth, true, func(p Placed) part { return part{plain, TokensText(usageOf(p))} }}
	cost := rosterColumn{"COST", costWidth, true, func(p Placed) part { return part{plain, CostText(usageOf(p))} }}
	grouped := rosterColumn{"GROUP", max(group, len("GROUP")), false, func(p Placed) part { return part{faint, p.Group} }}
	r.columns = []rosterColumn{name, state, doing}
	add := func(wanted bool, more ...rosterColumn) {
		for _, column := range more {
			wanted = wanted && column.cell != nil
		}
		needed := 0
		for _, column := range more {
			needed += columnGap + column.width
		}
		if wanted && r.columns[2].width-needed >= goodDoing {
			r.columns[2].width -= needed
			r.columns = append(r.columns, more...)
		}
	}
	add(uses, tokens, cost)
	add(group > 0, grouped)
	add(true, answering)
	add(true, owner)
	return r
}

// narrowed returns the columns for a window without room for what agents do: one that is
// narrower still omits since when, and then the state.
func narrowed(name, state rosterColumn, longest, width int) []rosterColumn {
	const withSince, withState = 28, 16
	if width < withState {
		name.width = max(1, min(longest, width))
		return []rosterColumn{name}
	}
	if width < withSince {
		state.width = len(protocol.ActivityWorking)
		state.cell = func(p Placed) part { return part{toneOf(StateOf(p.Agent)), StateOf(p.Agent)} }
	}
	name.width = min(longest, width-state.width-columnGap)
	return []rosterColumn{name, state}
}

// withLast returns the columns for a world where no agent says what it does.
func withLast(name, owner, answering rosterColumn, last func(Placed) part, longest, width int) []rosterColumn {
	var columns []rosterColumn
	owned := width >= ownedWidth
	if answering.cell != nil && width > answeringWidth+columnGap {
		width -= answeringWidth + columnGap
		columns = append(columns, answering)
	}
	if !owned || owner.cell == nil {
		name.width = max(1, min(longest, width))
		return append([]rosterColumn{name}, columns...)
	}
	columns = append([]rosterColumn{name, owner}, columns...)
	if left := width - ownerWidth - columnGap - name.width - columnGap; left >= leastDoing && last != nil {
		columns = append(columns, rosterColumn{"LAST", left, false, last})
	}
	return columns
}

func plainCell(text func(*protocol.Agent) string) func(Placed) part {
	if text == nil {
		return nil
	}
	return func(p Placed) part { return part{plain, text(p.Agent)} }
}

// doingCell is what an agent does, or else its last event.
func doingCell(p Placed, last func(*protocol.Agent) string) part {
	if doing := DoingText(p.Activity); doing != "" || last == nil {
		return part{plain, doing}
	}
	return part{faint, last(p.Agent)}
}

func usageOf(p Placed) *protocol.Usage {
	if p.Activity == nil {
		return nil
	}
	return p.Activity.Usage
}

// Titles returns the heading.
func (r *Roster) Titles() string {
	return r.line(func(column rosterColumn) part { return part{faint, column.title} }, false)
}

// Line returns an agent on a line that is as wide as the columns. The agent under the
// cursor stands out.
func (r *Roster) Line(p Placed, chosen bool) string {
	return r.line(func(column rosterColumn) part { return column.cell(p) }, chosen)
}

func (r *Roster) line(cell func(rosterColumn) part, chosen bool) string {
	var out strings.Builder
	for i, p := range r.cells(cell) {
		if i > 0 {
			out.WriteString(strings.Repeat(" ", columnGap))
		}
		if chosen && p.tone == plain {
			p.tone = strong
		}
		out.WriteString(r.look.paint(p.tone, p.text))
	}
	return out.String()
}

// cells returns the cells of a line, cleaned and as wide as their columns.
func (r *Roster) cells(cell func(rosterColumn) part) []part {
	cells := make([]part, len(r.columns))
	for i, column := range r.columns {
		p := cell(column)
		text := ansi.Truncate(strings.TrimSpace(Clean(p.text)), column.width, "…")
		if column.title == "AGENT" {
			text = ansi.Truncate(Clean(p.text), column.width, "…") // its indentation stays
		}
		space := strings.Repeat(" ", max(0, column.width-ansi.StringWidth(text)))
		if column.right {
			cells[i] = part{p.tone, space + text}
		} else {
			cells[i] = part{p.tone, text + space}
		}
	}
	return cells
}

// RosterFilter selects agents. Its zero value selects all.
type RosterFilter struct {
	// Text is a part of the name, the platform or the group, in any case.
	Text string
	// State and Group are those of the agents.
	State, Group string
}

// Takes reports whether the filter selects an agent.
func (f RosterFilter) Takes(row *protocol.Agent) bool {
	text := strings.ToLower(row.Name + "\n" + row.Platform + "\n" + row.Group)
	return strings.Contains(text, strings.ToLower(f.Text)) && (f.State == "" || f.State == StateOf(row)) && (f.Group == "" || f.Group == row.Group)
}

// Of returns the selected agents in the order of Arrange.
func (f RosterFilter) Of(rows []*protocol.Agent) []Placed {
	var selected []*protocol.Agent
	for _, row := range rows {
		if f.Takes(row) {
			selected = append(selected, row)
		}
	}
	return Arrange(selected)
}

// String returns the filter in words, not cleaned; "" if it selects all.
func (f RosterFilter) String() string {
	var words []string
	if f.State != "" {
		words = append(words, f.State)
	}
	if f.Group != "" {
		words = append(words, "in "+f.Group)
	}
	if f.Text != "" {
		words = append(words, f.Text)
	}
	return strings.Join(words, ", ")
}

// NextState returns the filter for the next state that an agent has, in the order of urgency, and after
// the last one all again.
func (f RosterFilter) NextState(rows []*protocol.Agent) RosterFilter {
	has := map[string]bool{}
	for _, row := range rows {
		has[StateOf(row)] = true
	}
	f.State = after(f.State, slices.DeleteFunc(slices.Clone(urgency), func(state string) bool { return !has[state] }))
	return f
}

// NextGroup returns the filter for the next group that an agent is in, and after the last one all again.
func (f RosterFilter) NextGroup(rows []*protocol.Agent) RosterFilter {
	var groups []string
	for _, row := range rows {
		if row.Group != "" {
			groups = append(groups, row.Group)
		}
	}
	slices.Sort(groups)
	f.Group = after(f.Group, slices.Compact(groups))
	return f
}

// after returns the item after one in a list; "" after the last one and in an empty list. An
// item that is gone is followed by the first.
func after(now string, list []string) string {
	at := slices.Index(list, now) + 1
	if at >= len(list) {
		return ""
	}
	return list[at]
}
