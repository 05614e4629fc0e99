// Package card draws the preview picture of a world for shared links: the map with
// its rows, as a PNG.
package card

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"strconv"

	"github.com/playctl/playctl/protocol"
)

// Width and Height of the picture in pixels, the size of link previews on sites.
const (
	Width  = 1200
	Height = 630
)

// MostDrawn is the greatest number of drawn rows, and mostNamed the greatest number
// of rows with names beside them.
const (
	MostDrawn = 300
	mostNamed = 30
)

// band is the height of the strip with the world's name.
const band = 110

// Resident is a row of the map.
type Resident struct {
	Kind protocol.OccupantKind
	// ID determines an agent's colors.
	ID, Name string
	// X and Y are its cell.
	X, Y float64
}

// Town is the content of the picture.
type Town struct {
	// World is the name of the world.
	World string
	// Residents are the rows in the order in which they are drawn; those after the
	// first MostDrawn are omitted.
	Residents []Resident
	// Agents is the number of agents.
	Agents int
}

// Draw returns the picture as a PNG.
func Draw(town *Town) ([]byte, error) {
	letters, err := loadLetters()
	if err != nil {
		return nil, err
	}
	s := &sheet{image: image.NewRGBA(image.Rect(0, 0, Width, Height))}
	residents := town.Residents[:min(len(town.Residents), MostDrawn)]
	view := fit(residents)
	s.land(view)
	for i := range residents {
		s.resident(&residents[i], view)
	}
	var failed error
	if len(residents) <= mostNamed {
		for i := range residents {
			x, y := view.at(&residents[i])
			failed = errors.Join(failed, s.plate(letters, residents[i].Name, x, y+14*view.size))
		}
	}
	if failed = errors.Join(failed, s.title(letters, town)); failed != nil {
		return nil, fmt.Errorf("draw the picture of the world: %w", failed)
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, s.image); err != nil {
		return nil, fmt.Errorf("encode the picture of the world: %w", err)
	}
	return b.Bytes(), nil
}

// view maps cells to the picture.
type view struct {
	// cell is the width of a cell in pixels, left and top are the position of cell 0,
	// 0, and size is the scale of figures.
	cell, left, top, size float64
}

// fit returns the view of the part of the map with residents.
func fit(residents []Resident) view {
	minX, minY, maxX, maxY := 0.0, 0.0, 0.0, 0.0
	for i := range residents {
		x, y := bounded(residents[i].X), bounded(residents[i].Y)
		if i == 0 {
			minX, minY, maxX, maxY = x, y, x, y
		}
		minX, minY, maxX, maxY = min(minX, x), min(minY, y), max(maxX, x), max(maxY, y)
	}
	const wide, high = Width - 200, Height - band - 190
	v := view{cell: min(wide/max(maxX-minX, 1), high/max(maxY-minY, 1), 150)}
	v.size = min(max(v.cell/64, 0.16), 1.6)
	v.left = Width/2 - (minX+maxX)/2*v.cell
	v.top = (Height-band)/2 + 6 - (minY+maxY)/2*v.cell
	return v
}

// bounded limits a coordinate to the range of a picture: a row may have any number.
func bounded(n float64) float64 {
	if math.IsNaN(n) {
		return 0
	}
	return min(max(n, -1e6), 1e6)
}

func (v view) at(r *Resident) (x, y float64) {
	return v.left + bounded(r.X)*v.cell, v.top + bounded(r.Y)*v.cell
}

// title writes the name of the world and the number of its agents.
func (s *sheet) title(letters *letters, town *Town) error {
	s.rect(0, Height-band, Width, band, paper)
	s.rect(0, Height-band, Width, 3, edge)
	count := strconv.Itoa(town.Agents) + " agents"
	if town.Agents == 1 {
		count = "1 agent"
	}
	taken, err := s.write(letters, count, 30, Width-60, Height-band/2+11, 1, 400, inkSoft)
	if err != nil {
		return err
	}
	_, err = s.write(letters, town.World, 52, 60, Height-band/2+18, 0, Width-180-taken, ink)
	return err
}
