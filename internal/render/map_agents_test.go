package render

import (
	"path"
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// crowded returns a map of agents that say what they do.
func crowded(count int) *Map {
	m := &Map{Title: "http://127.0.0.1:7420"}
	world := World{Bounds: protocol.Bounds{MaxX: 19, MaxY: 11}}
	for _, row := range crowd(count) {
		world.Occupants = append(world.Occupants, row)
	}
	m.Show(world)
	return m
}

func TestMapAgentsGolden(t *testing.T) {
	t.Parallel()
	for name, look := range looks() {
		if look.Width == 0 {
			look.Width = 110
		}
		m := crowded(30)
		text := m.Frame(look, 26, statuses()[2]).Text(look)
		m.Press('a')
		m.Press('s')
		m.Press('g')
		m.Press('g')
		text += m.Frame(look, 14, statuses()[2]).Text(look)
		golden(t, path.Join("map-agents", name+".txt"), text)
		inWindow(t, "map-agents", look, text)
	}
}

// In a window of any size, with and without the list, the picture fits and has its status.
func TestMapAgentsInAnyWindow(t *testing.T) {
	t.Parallel()
	for width := 20; width < 220; width += 9 {
		look := Look{Width: width, Now: noon}
		for _, keys := range []string{"", "a", "s", "sg", "as"} {
			m := crowded(100)
			for _, key := range []byte(keys) {
				m.Press(key)
			}
			for _, height := range []int{1, 8, 9, 14, 40} {
				text := m.Frame(look, height, statuses()[2]).Text(look)
				inWindow(t, keys, look, text)
				if !strings.Contains(text, "live  verified") || strings.Count(text, "\n") != height {
					t.Errorf("%q in %d×%d:\n%s", keys, width, height, text)
				}
			}
		}
	}
}

// Keys do nothing on a map where no agent says what it does, and the picture changes with
// time only if one does.
func TestMapKeysNeedActivity(t *testing.T) {
	t.Parallel()
	m := &Map{}
	m.Show(World{Occupants: []protocol.Occupant{&protocol.Agent{AgentID: "a", Name: "Ada"}}})
	if m.Press('a') || m.Press('s') || m.Fades(noon) {
		t.Error("a map without activity changed")
	}
	if m := crowded(5); !m.Press('a') || m.Press('x') || !m.Fades(noon) {
		t.Error("a map with activity does not change as it should")
	}
}
