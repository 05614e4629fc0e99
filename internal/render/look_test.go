package render

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// The tests of the watch page read the same file.
func TestLooksMatchWatchPage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/looks.json")
	if err != nil {
		t.Fatal(err)
	}
	var known struct {
		Colors []struct {
			Terminal uint8  `json:"terminal"`
			RGB      string `json:"rgb"`
		} `json:"coats"`
		Looks []struct {
			ID    string `json:"id"`
			Seed  uint32 `json:"seed"`
			Color int    `json:"coat"`
		} `json:"looks"`
	}
	if err := json.Unmarshal(text, &known); err != nil {
		t.Fatal(err)
	}
	if len(known.Colors) != len(agentColors) || len(known.Looks) < len(agentColors) {
		t.Fatalf("%d colors and %d looks are known, of %d colors", len(known.Colors), len(known.Looks), len(agentColors))
	}
	for i, c := range known.Colors {
		if agentColors[i] != c.Terminal || cubeColor(agentColors[i]) != c.RGB {
			t.Errorf("color %d is %d, %s; the page paints %d, %s", i, agentColors[i], cubeColor(agentColors[i]), c.Terminal, c.RGB)
		}
	}
	for _, look := range known.Looks {
		if seed, color := lookSeed(look.ID), agentColor(look.ID); seed != look.Seed || color != look.Color {
			t.Errorf("%q has seed %d and color %d, on the page %d and %d", look.ID, seed, color, look.Seed, look.Color)
		}
	}
}

// cubeColor returns the RGB value of a color in the cube of a terminal's 256
// colors: six levels for each of red, green and blue from index 16 on, as in xterm.
func cubeColor(index uint8) string {
	levels := [...]int{0, 0x5f, 0x87, 0xaf, 0xd7, 0xff}
	at := int(index) - 16
	return fmt.Sprintf("#%02x%02x%02x", levels[at/36], levels[at/6%6], levels[at%6])
}

// An agent has its color on the map; without color support the color leaves no
// trace.
func TestMapPaintsAgentColors(t *testing.T) {
	t.Parallel()
	m := &Map{}
	m.Show(World{Bounds: protocol.Bounds{MaxX: 19, MaxY: 11}, Occupants: []protocol.Occupant{
		&protocol.Agent{AgentID: adaID, Name: "Ada", X: 3, Y: 4},
		&protocol.Agent{AgentID: graceID, Name: "Grace", X: 9, Y: 4},
	}})
	look := Look{Color: true, Width: 80, Now: noon}
	text := m.Frame(look, 24, Status{}).Text(look)
	for _, id := range []string{adaID, graceID} {
		if want := fmt.Sprintf("\x1b[38;5;%dm%s", agentColors[agentColor(id)], markAgent); !strings.Contains(text, want) {
			t.Errorf("%s does not have color %d:\n%q", ShortID(id), agentColor(id), text)
		}
	}
	look.Color = false
	if text := m.Frame(look, 24, Status{}).Text(look); strings.Contains(text, "\x1b") {
		t.Errorf("color without color support:\n%q", text)
	}
}
