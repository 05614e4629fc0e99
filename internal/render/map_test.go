package render

import (
	"fmt"
	"math"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/protocol"
)

// statuses returns the possible statuses of a copy.
func statuses() []Status {
	const root = "3f2a9c81d0e44b7796a1c0ffee5be11ad0d1e2f3a4b5c6d7e8f90a1b2c3d4e5f"
	return []Status{
		{},
		{Connected: true},
		{Connected: true, Verified: true, Rev: new(uint64(12)), Root: root, Occupants: 4, Lag: 12 * time.Millisecond, HasLag: true},
		{Connected: true, Verified: true, Rev: new(uint64(9007199254740991)), Root: root, Occupants: 10000, Lag: -time.Second, HasLag: true},
		{Connected: true, Known: "catching up", Rev: new(uint64(13)), Root: root, Occupants: 4},
		{Connected: true, Known: "mismatched", Rev: new(uint64(13)), Root: root, Occupants: 4},
		{Tried: true, Verified: true, Rev: new(uint64(13)), Root: root, Occupants: 4},
		{Tried: true, Known: "\x1b[2Junverifiable", Root: "\x1b"},
	}
}

func TestStatusGolden(t *testing.T) {
	t.Parallel()
	for name, look := range looks() {
		var out strings.Builder
		for _, status := range statuses() {
			out.WriteString(StatusLine(look, status) + "\n")
		}
		golden(t, path.Join("status", name+".txt"), out.String())
		inWindow(t, "status", look, out.String())
	}
}

// However narrow the window is, a status shows whether the copy is verified, and
// never shows verified if it is not.
func TestStatusShowsVerificationAtAnyWidth(t *testing.T) {
	t.Parallel()
	for width := 24; width < 120; width++ {
		for _, status := range statuses() {
			line := StatusLine(Look{Width: width}, status)
			claims := strings.Contains(line, "verified") && !strings.Contains(line, "not verified")
			if want := status.Connected && status.Verified; claims != want {
				t.Errorf("at %d columns %+v is shown as %q", width, status, line)
			}
		}
	}
}

// scene returns a world with occupants and events of every kind.
func scene(look Look) *Map {
	m := &Map{Title: "home http://127.0.0.1:7420"}
	const far = 5
	m.Show(World{
		Bounds: protocol.Bounds{MaxX: 19, MaxY: 11},
		Occupants: []protocol.Occupant{
			&protocol.Agent{AgentID: adaID, Name: "Ada", X: 3, Y: 4},
			&protocol.Agent{AgentID: graceID, Name: "\x1b[2JGrace\u202e", X: 9, Y: 4},
			&protocol.MCP{ID: "m1", Name: "weather", X: far, Y: far},
			&protocol.Structure{ID: "s1", Name: "Mill with a name that is long", X: 18, Y: 8},
			&protocol.Human{ID: "h1", Name: "日本語の人", X: 0, Y: 11},
		},
	})
	var names Names
	for _, event := range events() {
		if !event.Seen.IsZero() || event.Kind == protocol.EventJourney || strings.Contains(string(event.Data), `"role":"tool"`) {
			continue
		}
		event.Seen = noon.Add(-time.Minute)
		if strings.Contains(string(event.Data), "old bridge") {
			event.Seen = noon
		}
		if event.Kind != protocol.EventSessionReset {
			m.Take(look, &names, event)
		}
	}
	m.Take(look, &names, Event{Kind: protocol.EventJourney, Seen: noon, Data: []byte(`{"playerId":"` + graceID + `","journey":{"steps":[
		{"type":"origin","content":"Up?","messageId":"1"},{"type":"destination","content":"Down.","messageId":"2"}]},"path":[
		{"type":"origin","content":"Up?","messageId":"1","x":9,"y":4},{"type":"destination","content":"Down.","messageId":"2","x":18,"y":8}]}`)})
	m.Note(look, "The connection was lost.\x1b]0;owned\x07")
	m.Fades(noon)
	return m
}

func TestMapGolden(t *testing.T) {
	t.Parallel()
	heights := map[int]int{0: 24, 40: 16, 80: 24, 200: 50}
	for name, look := range looks() {
		look.Zone = time.UTC
		m, height := scene(look), heights[look.Width]
		if look.Width == 0 {
			look.Width = 80
		}
		text := m.Frame(look, height, statuses()[2]).Text(look)
		golden(t, path.Join("map", name+".txt"), text)
		inWindow(t, "map", look, text)
		if lines := strings.Count(text, "\n"); lines != height {
			t.Errorf("%s has %d lines of %d", name, lines, height)
		}
	}
}

// In a window of any size the map and the status are drawn.
func TestMapInAnyWindow(t *testing.T) {
	t.Parallel()
	for width := range 45 {
		look := Look{Width: width, Now: noon}
		m := scene(look)
		for height := range 30 {
			text := m.Frame(look, height, statuses()[2]).Text(look)
			inWindow(t, fmt.Sprintf("%d×%d", width, height), look, text)
			if width > 16 && height > 0 && !strings.Contains(text, "live  verified") {
				t.Errorf("%d×%d has no status:\n%s", width, height, text)
			}
		}
	}
}

// A host may send any place and any bounds; the map stays within its border.
func TestMapOfInvalidBounds(t *testing.T) {
	t.Parallel()
	look := Look{Width: 60, Now: noon}
	for _, bounds := range []protocol.Bounds{
		{}, {MinX: 5, MaxX: -5, MinY: 5, MaxY: -5}, {MinX: -math.MaxFloat64, MaxX: math.MaxFloat64, MinY: math.Inf(-1), MaxY: math.Inf(1)},
		{MinX: -1, MaxX: -1}, {MaxX: 1e9, MaxY: 1e9},
	} {
		m := &Map{}
		var crowd []protocol.Occupant
		for i, at := range []float64{0, 1e300, -1e300, math.NaN(), math.Inf(1), 7, 7} {
			crowd = append(crowd, &protocol.Agent{AgentID: fmt.Sprint(i), Name: "x", X: at, Y: -at})
		}
		m.Show(World{Bounds: bounds, Occupants: crowd})
		m.follow("1", []protocol.PathStep{{X: math.Inf(1)}, {Y: math.NaN()}, {X: -1e300, Y: 1e300}}, noon)
		text := m.Frame(look, 20, Status{}).Text(look)
		for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
			if i > 1 && i < 15 && (!strings.HasPrefix(line, "│") || !strings.HasSuffix(line, "│")) && !strings.HasPrefix(line, "└") {
				t.Errorf("bounds %+v: the border is broken in line %d:\n%s", bounds, i, text)
			}
		}
	}
}

// Chat lines and journeys fade on the map.
func TestMapFades(t *testing.T) {
	t.Parallel()
	look := Look{Width: 200, Now: noon}
	m := scene(look)
	picture := func() string { return m.Frame(look, 50, Status{}).Text(look) }
	inMap := func() string { return strings.Split(picture(), "└")[0] }
	if now := inMap(); !strings.Contains(now, "next to the mill") || !strings.Contains(now, markTrail) {
		t.Errorf("the map shows no activity:\n%s", now)
	}
	if !m.Fades(noon.Add(trailTime)) || strings.Contains(inMap(), markTrail) {
		t.Errorf("the trail did not fade:\n%s", inMap())
	}
	if m.Fades(noon.Add(speechTime)) || strings.Contains(inMap(), "next to the mill") {
		t.Errorf("the speech did not fade:\n%s", inMap())
	}
}
