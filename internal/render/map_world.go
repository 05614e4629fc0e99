package render

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"charm.land/lipgloss/v2"

	"github.com/playctl/playctl/protocol"
)

// box is a part of a screen, without its border.
type box struct{ x, y, width, height int }

func (b box) draw(screen *Screen) {
	for x := b.x; x < b.x+b.width; x++ {
		screen.put(x, b.y-1, "─", faint, 1)
		screen.put(x, b.y+b.height, "─", faint, 1)
	}
	for y := b.y; y < b.y+b.height; y++ {
		screen.put(b.x-1, y, "│", faint, 1)
		screen.put(b.x+b.width, y, "│", faint, 1)
	}
	for corner, at := range map[string][2]int{
		"┌": {b.x - 1, b.y - 1}, "┐": {b.x + b.width, b.y - 1},
		"└": {b.x - 1, b.y + b.height}, "┘": {b.x + b.width, b.y + b.height},
	} {
		screen.put(at[0], at[1], corner, faint, 1)
	}
}

// spot is a place on the screen.
type spot struct{ x, y int }

// place returns the spot of a cell of the world on the screen. For any cell and
// bounds that a host states, the spot is inside the box.
func (b box) place(bounds protocol.Bounds, x, y float64) spot {
	return spot{
		b.x + scaled(x, bounds.MinX, bounds.MaxX, b.width),
		b.y + scaled(y, bounds.MinY, bounds.MaxY, b.height),
	}
}

// scaled returns the step of a value in a range of inclusive limits, in [0, steps).
func scaled(value, least, most float64, steps int) int {
	at := (value - least) / (most - least + 1) * float64(steps)
	switch {
	case at >= float64(steps):
		return steps - 1
	case at >= 0:
		return int(at)
	}
	return 0 // NaN as well
}

// mark is the mark at one spot: of one occupant, or of several if the world is
// larger than the window.
type mark struct {
	spot
	sign  string
	tone  tone
	label string
	says  string
	// said is the tone of what it says.
	said  tone
	count int
}

func (m *Map) drawWorld(screen *Screen, look Look, area box) {
	marks := m.marks(look, area)
	for _, mark := range marks {
		screen.put(mark.x, mark.y, mark.sign, mark.tone, 1)
	}
	m.drawTrails(screen, area)
	// Occupants that speak now get room for it first.
	slices.SortStableFunc(marks, func(a, b mark) int { return cmp.Compare(len(b.says), len(a.says)) })
	for _, mark := range marks {
		mark.drawLabel(screen, area)
	}
}

// marks returns the occupants by spot, in the order of rows and columns.
func (m *Map) marks(look Look, area box) []mark {
	at := map[spot]mark{}
	for _, o := range m.world.Occupants {
		x, y := o.Position()
		where := area.place(m.world.Bounds, x, y)
		if crowd, taken := at[where]; taken {
			at[where] = crowd.with()
			continue
		}
		at[where] = m.markOf(look, o, where)
	}
	return slices.SortedFunc(maps.Values(at), func(a, b mark) int {
		return cmp.Or(cmp.Compare(a.y, b.y), cmp.Compare(a.x, b.x))
	})
}

func (m *Map) markOf(look Look, o protocol.Occupant, where spot) mark {
	found := mark{spot: where, count: 1, said: speech}
	switch row := o.(type) {
	case *protocol.Agent:
		found.sign, found.tone, found.label = markAgent, firstAgentColor+tone(agentColor(row.AgentID)), row.Name
		found.says = m.speech[row.AgentID].text
		state := StateOf(row)
		if urgent := state == protocol.ActivityWaiting || state == protocol.ActivityFailed; urgent && found.says == "" {
			found.says, found.said = look.StateText(row.Activity), toneOf(state)
		}
		if !m.filter.Takes(row) {
			found.tone, found.label, found.says = faint, "", ""
		}
	case *protocol.MCP:
		found.sign, found.tone, found.label = markMCP, accent, row.Name
	case *protocol.Human:
		found.sign, found.tone, found.label = markHuman, strong, row.Name
	case *protocol.Structure:
		found.sign, found.tone, found.label = markStructure, warn, row.Name
	default:
		found.sign, found.label = "?", o.StableKey()
	}
	return found
}

// with returns the mark with one more occupant: from two on it shows their number.
func (m mark) with() mark {
	m.count++
	m.sign, m.tone, m.label, m.says = "+", strong, "", ""
	if m.count < 10 {
		m.sign = strconv.Itoa(m.count)
	}
	return m
}

// leastLabel is the least useful width of a label in columns.
const leastLabel = 3

// drawLabel writes the name and the words beside the mark: on its right, else on
// its left.
func (m mark) drawLabel(screen *Screen, area box) {
	name, said := Clean(m.label), Clean(m.says)
	if said != "" {
		said = ": " + said
	}
	whole := lipgloss.Width(name) + lipgloss.Width(said)
	right := room(screen, m.x+1, m.y, 1, area.x+area.width-m.x-1)
	left := room(screen, m.x-1, m.y, -1, m.x-area.x)
	switch {
	case whole == 0:
	case right >= min(whole, leastLabel) && (right >= whole || right >= left):
		used := screen.put(m.x+1, m.y, name, plain, right)
		screen.put(m.x+1+used, m.y, said, m.said, right-used)
	case left >= min(whole, leastLabel):
		begin := m.x - min(left, whole)
		used := screen.put(begin, m.y, name, plain, m.x-begin)
		screen.put(begin+used, m.y, said, m.said, m.x-begin-used)
	}
}

// room returns how many cells from x on in a direction a label may take: those with
// nothing but trails, except for the last one before something else.
func room(screen *Screen, x, y, step, limit int) int {
	free := 0
	for free < limit && screen.free(x+free*step, y) {
		free++
	}
	if free < limit {
		free--
	}
	return max(free, 0)
}

// free reports whether a cell may be written over.
func (s *Screen) free(x, y int) bool {
	c := s.at(x, y)
	return c != nil && !c.half && (c.text == "" || c.text == markTrail)
}

// drawTrails draws the recent trails of agents, on cells with nothing else.
func (m *Map) drawTrails(screen *Screen, area box) {
	for _, trail := range m.trails {
		for i := 1; i < len(trail.stations); i++ {
			from, to := trail.stations[i-1], trail.stations[i]
			line(area.place(m.world.Bounds, from.X, from.Y), area.place(m.world.Bounds, to.X, to.Y), func(at spot) {
				if screen.blank(at.x, at.y) {
					screen.put(at.x, at.y, markTrail, accent, 1)
				}
			})
		}
	}
}

// line visits the spots of a straight line from one spot to another (J. E.
// Bresenham, 1965).
func line(from, to spot, visit func(spot)) {
	dx, dy := abs(to.x-from.x), -abs(to.y-from.y)
	sx, sy := cmp.Compare(to.x, from.x), cmp.Compare(to.y, from.y)
	for at, wrong := from, dx+dy; ; {
		visit(at)
		if at == to {
			return
		}
		twice := 2 * wrong
		if twice >= dy {
			wrong += dy
			at.x += sx
		}
		if twice <= dx {
			wrong += dx
			at.y += sy
		}
	}
}

func abs(n int) int { return max(n, -n) }
