package card

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// drawPicture returns a town's picture, decoded.
func drawPicture(t *testing.T, town *Town) (image.Image, int) {
	t.Helper()
	b, err := Draw(town)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if size := picture.Bounds().Size(); size != (image.Point{X: Width, Y: Height}) {
		t.Errorf("the picture has %v", size)
	}
	return picture, len(b)
}

// count returns the number of pixels of a color. Nothing is transparent in a picture, so
// that a pixel is its color's bytes, which bytes.Index finds faster than a loop does.
func count(t *testing.T, picture image.Image, c color.NRGBA) (n int) {
	t.Helper()
	opaque, is := picture.(*image.RGBA)
	if !is || !opaque.Opaque() {
		t.Fatalf("the picture is a %T", picture)
	}
	pixel := []byte{c.R, c.G, c.B, c.A}
	for rest := opaque.Pix; ; {
		i := bytes.Index(rest, pixel)
		if i < 0 {
			return n
		}
		if i%len(pixel) == 0 {
			n++
		}
		rest = rest[i-i%len(pixel)+len(pixel):]
	}
}

func TestPictureShowsOccupants(t *testing.T) {
	t.Parallel()
	ada := Resident{Kind: protocol.KindAgent, ID: "ada", Name: "Ada", X: 3, Y: 4}
	alone, _ := drawPicture(t, &Town{World: "Harbor", Residents: []Resident{ada}, Agents: 1})
	if count(t, alone, coatOf("ada")) < 400 || count(t, alone, skinOf("ada")) < 50 {
		t.Error("the agent has neither its roof nor its face")
	}
	if count(t, alone, ink) < 500 {
		t.Error("no name is written")
	}
	empty, _ := drawPicture(t, &Town{World: "Harbor"})
	if count(t, empty, coatOf("ada")) != 0 || count(t, empty, ink) >= count(t, alone, ink) {
		t.Error("an empty world shows an agent")
	}
	other, _ := drawPicture(t, &Town{World: "Harbor", Residents: []Resident{
		ada, {Kind: protocol.KindMCP, ID: "m", Name: "Tools", X: 4, Y: 4}, {Kind: protocol.KindStructure, ID: "s", Name: "Hall", X: 5, Y: 5},
		{Kind: protocol.KindHuman, ID: "h", Name: "Me", X: 6, Y: 6}, {Kind: "ghost", X: 7, Y: 7},
	}, Agents: 1})
	if count(t, other, lantern) < 50 || count(t, other, roof) < 100 {
		t.Error("a placement and a structure are not drawn")
	}
}

func TestPictureSizeIsBounded(t *testing.T) {
	t.Parallel()
	names := []string{strings.Repeat("W", 5000), "", "\u202e\x00\n", "日本語", "🦀🦀", "Ωmega Ада"}
	for _, n := range []int{1, 30, 31, 2000} {
		town := &Town{World: names[n%len(names)], Agents: n}
		for i := range n {
			town.Residents = append(town.Residents, Resident{
				Kind: protocol.KindAgent, ID: fmt.Sprint(i), Name: names[i%len(names)], X: float64(i % 50), Y: float64(i / 50),
			})
		}
		if _, size := drawPicture(t, town); size > 400_000 {
			t.Errorf("%d agents make %d bytes", n, size)
		}
	}
	drawPicture(t, &Town{Residents: []Resident{
		{Kind: protocol.KindAgent, X: math.NaN(), Y: math.Inf(1)}, {Kind: protocol.KindAgent, X: -math.MaxFloat64, Y: 7},
	}})
}

// The colors are those of the page and of terminals, by their known answers.
func TestColorsMatchWatchPage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../render/testdata/looks.json")
	if err != nil {
		t.Fatal(err)
	}
	var known struct {
		Coats []struct{ RGB string }
		Looks []struct {
			ID         string
			Coat, Skin int
		}
	}
	if err := json.Unmarshal(text, &known); err != nil || len(known.Looks) == 0 {
		t.Fatalf("%d looks, %v", len(known.Looks), err)
	}
	for _, look := range known.Looks {
		c := coatOf(look.ID)
		if got := fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B); got != known.Coats[look.Coat].RGB || skinOf(look.ID) != skins[look.Skin] {
			t.Errorf("%q has the coat %s, want %s, and the skin %v", look.ID, got, known.Coats[look.Coat].RGB, skinOf(look.ID))
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	town := &Town{World: "Harbor", Agents: MostDrawn}
	for i := range MostDrawn {
		town.Residents = append(town.Residents, Resident{Kind: protocol.KindAgent, ID: fmt.Sprint(i), X: float64(i % 20), Y: float64(i / 20)})
	}
	for b.Loop() {
		if _, err := Draw(town); err != nil {
			b.Fatal(err)
		}
	}
}
