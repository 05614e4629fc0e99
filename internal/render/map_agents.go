package render

import (
	"fmt"

	"github.com/playctl/playctl/protocol"
)

// The list of agents beside the map: the least window with both, and the list's least and
// greatest width. In a narrower window a key shows it in place of the map.
const (
	leastBeside           = 96
	leastPanel, mostPanel = 40, 72
)

// mapKeys are the keys while agents say what they do.
const mapKeys = " s state  g group  a list  q quit "

// agents returns the agents of the world, and whether any says what it does.
func (m *Map) agents() (rows []*protocol.Agent, say bool) {
	for _, o := range m.world.Occupants {
		if row, ok := o.(*protocol.Agent); ok {
			rows = append(rows, row)
			say = say || row.Activity != nil
		}
	}
	return rows, say
}

// Press handles a key, and reports whether the picture changed.
func (m *Map) Press(key byte) bool {
	rows, say := m.agents()
	switch {
	case !say:
		return false
	case key == 's':
		m.filter = m.filter.NextState(rows)
	case key == 'g':
		m.filter = m.filter.NextGroup(rows)
	case key == 'a':
		m.listed = !m.listed
	default:
		return false
	}
	return true
}

// besides divides the area between the map and the list; a width of 0 shows none of it.
func (m *Map) besides(area box, width int) (mapped, list box) {
	switch _, say := m.agents(); {
	case !say:
		return area, box{}
	case m.listed:
		return box{}, area
	case width < leastBeside:
		return area, box{}
	}
	list = area
	list.width = min(max(leastPanel, width*2/5), mostPanel)
	area.width -= list.width + columnGap
	list.x = area.x + area.width + columnGap
	return area, list
}

// drawAgents lists the agents that the filter selects, with a last line for those that have
// no room.
func (m *Map) drawAgents(screen *Screen, look Look, list box) {
	if list.width == 0 {
		return
	}
	rows, _ := m.agents()
	placed := m.filter.Of(rows)
	roster := NewRoster(look, placed, list.width, RosterTexts{})
	roster.put(screen, list.x, list.y, func(column rosterColumn) part { return part{faint, column.title} })
	room := max(0, list.height-1)
	for i, row := range placed {
		y := list.y + 1 + i
		if i == room-1 && len(placed) > room {
			screen.put(list.x, y, fmt.Sprintf("… and %d more", len(placed)-i), faint, list.width)
			return
		}
		if i < room {
			roster.put(screen, list.x, y, func(column rosterColumn) part { return column.cell(row) })
		}
	}
	if len(placed) == 0 && room > 0 {
		screen.put(list.x, list.y+1, "no agents here", faint, list.width)
	}
}

// put writes a line of the list on a screen.
func (r *Roster) put(screen *Screen, x, y int, cell func(rosterColumn) part) {
	for i, p := range r.cells(cell) {
		screen.put(x, y, p.text, p.tone, r.columns[i].width)
		x += r.columns[i].width + columnGap
	}
}

// drawKeys writes the filter and the keys into the border below the area.
func (m *Map) drawKeys(screen *Screen, area box) {
	if _, say := m.agents(); !say {
		return
	}
	y, text := area.y+area.height, ""
	if filter := m.filter.String(); filter != "" {
		text = " filter: " + filter + " "
	}
	used := screen.put(area.x, y, text, accent, area.width)
	if room := area.width - used; room >= len(mapKeys) {
		screen.put(area.x+area.width-len(mapKeys), y, mapKeys, faint, len(mapKeys))
	}
}
