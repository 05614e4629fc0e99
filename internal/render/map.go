package render

import (
	"fmt"
	"maps"
	"time"

	"github.com/playctl/playctl/protocol"
)

// How long the map shows the words of an agent and its trail.
const (
	speechTime = 12 * time.Second
	trailTime  = 10 * time.Second
)

// The marks of occupants on the map.
const (
	markAgent     = "●"
	markMCP       = "◆"
	markHuman     = "○"
	markStructure = "■"
	markTrail     = "·"
)

// keptLines is how many events the map keeps for the lines below it.
const keptLines = 64

// World is the part of a live copy that the map shows.
type World struct {
	Bounds    protocol.Bounds
	Occupants []protocol.Occupant
}

// Map is a live picture of a world: occupants, recent chat lines, trails, and the
// last events. It has one owner.
type Map struct {
	// Title is the name of the world in the first row.
	Title string

	world  World
	lines  []logged
	speech map[string]utterance // by playerId
	trails map[string]trail     // by playerId
	// filter selects the agents that are listed and named; listed is set while the list is
	// shown in place of the map.
	filter RosterFilter
	listed bool
}

// logged is an event in the lines below the map.
type logged struct {
	clock string
	said  sentence
}

type utterance struct {
	text  string
	until time.Time
}

type trail struct {
	stations []protocol.PathStep
	until    time.Time
}

// Show sets the state of the world that the map shows.
func (m *Map) Show(world World) { m.world = world }

// Note adds a line that is not an event, such as a lost connection.
func (m *Map) Note(look Look, text string) {
	m.log(logged{look.Clock(look.Now.Format(time.RFC3339)), sentence{verb: "note", tone: warn, text: text}})
}

func (m *Map) log(line logged) {
	m.lines = append(m.lines, line)
	if len(m.lines) > keptLines {
		m.lines = append(m.lines[:0], m.lines[len(m.lines)-keptLines:]...)
	}
}

// Take adds an event to the picture. Past events, whose Seen is zero, only become
// lines: they are not current.
func (m *Map) Take(look Look, names *Names, event Event) {
	// What agents do is on the map itself, and changes too often for the lines below it.
	if said := names.describe(event); said.verb != "" && event.Kind != protocol.EventActivity {
		m.log(logged{look.Clock(event.time()), said})
	}
	if event.Seen.IsZero() {
		return
	}
	switch event.Kind {
	case protocol.EventInteraction:
		if line, err := read[protocol.InteractionData](event.Data); err == nil {
			m.hear(line.PlayerID, line.Text, event.Seen)
		}
	case protocol.EventJourney:
		if journey, err := read[protocol.JourneyData](event.Data); err == nil {
			m.follow(journey.PlayerID, journey.Path, event.Seen)
		}
	case protocol.EventSessionReset:
		clear(m.speech)
		clear(m.trails)
	}
}

func (m *Map) hear(player, text string, now time.Time) {
	if m.speech == nil {
		m.speech = map[string]utterance{}
	}
	m.speech[player] = utterance{text, now.Add(speechTime)}
}

func (m *Map) follow(player string, path []protocol.PathStep, now time.Time) {
	if m.trails == nil {
		m.trails = map[string]trail{}
	}
	m.trails[player] = trail{path, now.Add(trailTime)}
}

// Fades reports whether the picture changes with time without an event, and removes
// the parts that have expired.
func (m *Map) Fades(now time.Time) bool {
	maps.DeleteFunc(m.speech, func(_ string, s utterance) bool { return !now.Before(s.until) })
	maps.DeleteFunc(m.trails, func(_ string, t trail) bool { return !now.Before(t.until) })
	_, say := m.agents() // and since when
	return say || len(m.speech)+len(m.trails) > 0
}

// The smallest window with a map, and the rows besides the map: the title, the
// borders, the status.
const (
	leastMapWidth  = 20
	leastMapHeight = 8
	otherRows      = 4
)

// Frame draws the picture for the size of a window.
func (m *Map) Frame(look Look, height int, status Status) *Screen {
	screen := NewScreen(look.Width, height)
	screen.putParts(0, height-1, status.parts(), look.Width)
	if look.Width < leastMapWidth || height < leastMapHeight {
		if height > 1 {
			screen.put(0, 0, "The window is too small for the map.", warn, look.Width)
		}
		return screen
	}
	below := min(max((height-otherRows)/4, 2), 12)
	m.drawTitle(screen, status)
	area := box{x: 1, y: 2, width: look.Width - 2, height: height - otherRows - below}
	mapped, list := m.besides(area, screen.width)
	if mapped.width > 0 {
		mapped.draw(screen)
		m.drawWorld(screen, look, mapped)
	}
	m.drawAgents(screen, look, list)
	m.drawKeys(screen, area)
	m.drawLines(screen, area.y+area.height+1, below)
	return screen
}

func (m *Map) drawTitle(screen *Screen, status Status) {
	legend := fmt.Sprintf("%s agent  %s mcp  %s place  %s person", markAgent, markMCP, markStructure, markHuman)
	const legendWidth = 36
	rows, say := m.agents()
	if say {
		used := screen.put(0, 0, m.Title, strong, screen.width) + columnGap
		used += screen.put(used, 0, CountsText(CountAgents(rows)), plain, screen.width-used) + columnGap
		if used+legendWidth <= screen.width {
			screen.put(screen.width-legendWidth, 0, legend, faint, legendWidth)
		}
		return
	}
	room := screen.width
	if room >= 2*legendWidth {
		room -= legendWidth + columnGap
		screen.put(screen.width-legendWidth, 0, legend, faint, legendWidth)
	}
	used := screen.put(0, 0, m.Title, strong, room)
	bounds := m.world.Bounds
	if status.Root != "" {
		size := fmt.Sprintf("(%v, %v) to (%v, %v)", bounds.MinX, bounds.MinY, bounds.MaxX, bounds.MaxY)
		if len(size)+columnGap <= room-used {
			screen.put(used+columnGap, 0, size, faint, room-used-columnGap)
		}
	}
}

// drawLines draws the newest events, the last one in the last of the rows.
func (m *Map) drawLines(screen *Screen, top, rows int) {
	lines := m.lines[max(0, len(m.lines)-rows):]
	for i, line := range lines {
		x := 0
		if screen.width >= 2*textColumn {
			screen.put(0, top+i, line.clock, faint, clockWidth)
			x = clockWidth + columnGap
		}
		screen.put(x, top+i, line.said.verb, line.said.tone, verbWidth)
		x += verbWidth + columnGap
		screen.put(x, top+i, line.said.text, plain, screen.width-x)
	}
}
