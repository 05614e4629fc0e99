package card

import (
	"hash/fnv"
	"image"
	"image/color"
	"math"

	"golang.org/x/image/vector"

	"github.com/playctl/playctl/protocol"
)

// The colors of the town by day; the watch page paints the same.
var (
	sea     = rgb(0x9ccbd3)
	shallow = rgb(0xb4dadd)
	sand    = rgb(0xf0e2bd)
	grass   = rgb(0xcfdcae)
	lawn    = rgb(0xc6d6a3)
	street  = rgb(0xf3e8cd)
	wall    = rgb(0xfbf3e0)
	wood    = rgb(0xa47e54)
	lantern = rgb(0x1fa3ad)
	roof    = rgb(0xa8481f)
	paper   = rgb(0xfffaf0)
	edge    = rgb(0xdccfb0)
	ink     = rgb(0x2c2933)
	inkSoft = rgb(0x5f5a66)
	outline = rgb(0x6a563a)
	shadow  = color.NRGBA{R: 70, G: 58, B: 28, A: 50}
	coats   = [...]color.NRGBA{
		rgb(0xd75f5f), rgb(0xd7875f), rgb(0xd78700), rgb(0x87af00), rgb(0x5faf5f), rgb(0x00af87),
		rgb(0x5f87af), rgb(0x5f87ff), rgb(0x875fd7), rgb(0xaf5fd7), rgb(0xd75faf), rgb(0xd7005f),
	}
	skins = [...]color.NRGBA{
		rgb(0xf6d7bb), rgb(0xeabf97), rgb(0xd49f73), rgb(0xb27a50), rgb(0x8a5a3c), rgb(0x62402f), rgb(0xf1cdb6), rgb(0xc68e63),
	}
)

func rgb(n uint32) color.NRGBA {
	return color.NRGBA{R: uint8(n >> 16), G: uint8(n >> 8), B: uint8(n), A: 255}
}

// skinTrait is the index of the skin among the traits of a look; see look.ts of the
// page.
const skinTrait = 5

// lookSeed returns the number that an agent's looks derive from, the same as on the
// watch page and in terminals: FNV-1a of 32 bits of its id, its bits spread.
func lookSeed(id string) uint32 {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(id))
	return spread(sum.Sum32())
}

// spread returns the finalizer of MurmurHash3 (Austin Appleby, public domain).
func spread(h uint32) uint32 {
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}

func coatOf(id string) color.NRGBA { return coats[lookSeed(id)%uint32(len(coats))] }

func skinOf(id string) color.NRGBA {
	step := uint32(skinTrait)
	return skins[spread(lookSeed(id)+step*0x9e3779b9)%uint32(len(skins))]
}

// sheet is the picture while it is drawn.
type sheet struct {
	image *image.RGBA
	// filler is reused for each shape.
	filler vector.Rasterizer
	// plates are the places of names.
	plates []image.Rectangle
}

type point struct{ x, y float64 }

// land draws the ground: an island with a lawn, and streets between the cells.
func (s *sheet) land(v view) {
	s.rect(0, 0, Width, Height, sea)
	s.rounded(24, 20, Width-48, Height-band-40, 90, shallow)
	s.rounded(40, 34, Width-80, Height-band-68, 80, sand)
	s.rounded(52, 46, Width-104, Height-band-92, 70, grass)
	const inner, top, bottom = 90.0, 84.0, Height - band - 84.0
	if v.cell < 24 {
		return
	}
	// The lawns of every other cell, then a street through the middle of every fourth row.
	for y := math.Mod(v.top, v.cell) - v.cell; y < bottom; y += v.cell {
		row := math.Round((y - v.top) / v.cell)
		for x := math.Mod(v.left, v.cell) - v.cell; x < Width-inner; x += v.cell {
			column := math.Round((x - v.left) / v.cell)
			if math.Mod(math.Abs(row+column), 2) == 1 && x > inner && y > top && x+v.cell < Width-inner && y+v.cell < bottom {
				s.rounded(x+2, y+2, v.cell-4, v.cell-4, v.cell/6, lawn)
			}
		}
		if math.Mod(math.Abs(row), 4) == 2 && y+v.cell/2 > top && y+v.cell/2 < bottom {
			s.rounded(inner, y+v.cell/2-8*v.size, Width-2*inner, 16*v.size, 8*v.size, street)
		}
	}
}

// resident draws a house with its residents, a lighthouse or a hall.
func (s *sheet) resident(r *Resident, v view) {
	x, y := v.at(r)
	k := v.size
	to := func(points ...point) []point {
		for i, p := range points {
			points[i] = point{x + p.x*k, y + p.y*k}
		}
		return points
	}
	s.circle(x, y+9*k, 24*k, 7*k, shadow)
	switch r.Kind {
	case protocol.KindMCP:
		s.polygon(to(point{-9, 10}, point{-6, -30}, point{6, -30}, point{9, 10}), wall, outline, k)
		s.polygon(to(point{-7.4, -10}, point{-6.8, -18}, point{6.8, -18}, point{7.4, -10}), lantern, lantern, k)
		s.circle(x, y-36*k, 7*k, 7*k, lantern)
	case protocol.KindStructure:
		s.polygon(to(point{-26, 10}, point{-26, -18}, point{26, -18}, point{26, 10}), wall, outline, k)
		s.polygon(to(point{-31, -16}, point{0, -40}, point{31, -16}), roof, outline, k)
		s.polygon(to(point{-5, 10}, point{-5, -6}, point{5, -6}, point{5, 10}), wood, outline, k)
	case protocol.KindAgent:
		s.polygon(to(point{-24, 6}, point{-24, -14}, point{8, -14}, point{8, 6}), wall, outline, k)
		s.polygon(to(point{-28, -12}, point{-19, -31}, point{4, -31}, point{12, -12}), coatOf(r.ID), outline, k)
		s.polygon(to(point{-11, 6}, point{-11, -6}, point{-4, -6}, point{-4, 6}), wood, outline, k)
		s.figure(x+14*k, y+10*k, k, coatOf(r.ID), skinOf(r.ID))
	case protocol.KindHuman:
		s.figure(x, y+8*k, k, inkSoft, skinOf(r.ID))
	}
}

// figure draws a person who stands at a point.
func (s *sheet) figure(x, y, k float64, coat, skin color.NRGBA) {
	s.polygon([]point{{x - 8*k, y}, {x - 5.5*k, y - 17*k}, {x + 5.5*k, y - 17*k}, {x + 8*k, y}}, coat, outline, k)
	s.circle(x, y-22*k, 8.2*k, 8.2*k, outline)
	s.circle(x, y-22*k, 7.2*k, 7.2*k, skin)
}

func (s *sheet) rect(x, y, w, h float64, c color.NRGBA) { s.rounded(x, y, w, h, 0, c) }

func (s *sheet) rounded(x, y, w, h, r float64, c color.NRGBA) {
	// A curve of a quarter of a circle has its handles at this share of the radius.
	o := r * (1 - 0.5523)
	s.fill(x, y, x+w, y+h, c, func(p *pen) {
		p.move(x+r, y)
		p.line(x+w-r, y)
		p.curve(point{x + w - o, y}, point{x + w, y + o}, point{x + w, y + r})
		p.line(x+w, y+h-r)
		p.curve(point{x + w, y + h - o}, point{x + w - o, y + h}, point{x + w - r, y + h})
		p.line(x+r, y+h)
		p.curve(point{x + o, y + h}, point{x, y + h - o}, point{x, y + h - r})
		p.line(x, y+r)
		p.curve(point{x, y + o}, point{x + o, y}, point{x + r, y})
	})
}

func (s *sheet) circle(x, y, rx, ry float64, c color.NRGBA) {
	const share = 0.5523
	s.fill(x-rx, y-ry, x+rx, y+ry, c, func(p *pen) {
		p.move(x+rx, y)
		p.curve(point{x + rx, y + share*ry}, point{x + share*rx, y + ry}, point{x, y + ry})
		p.curve(point{x - share*rx, y + ry}, point{x - rx, y + share*ry}, point{x - rx, y})
		p.curve(point{x - rx, y - share*ry}, point{x - share*rx, y - ry}, point{x, y - ry})
		p.curve(point{x + share*rx, y - ry}, point{x + rx, y - share*ry}, point{x + rx, y})
	})
}

// polygon fills a closed figure and draws its edge, a line of 1.2 times the scale.
func (s *sheet) polygon(points []point, c, line color.NRGBA, k float64) {
	s.closed(points, c)
	for i, a := range points {
		b := points[(i+1)%len(points)]
		long := math.Hypot(b.x-a.x, b.y-a.y)
		if long == 0 {
			continue
		}
		dx, dy := (b.y-a.y)/long*0.6*k, (a.x-b.x)/long*0.6*k
		s.closed([]point{{a.x + dx, a.y + dy}, {b.x + dx, b.y + dy}, {b.x - dx, b.y - dy}, {a.x - dx, a.y - dy}}, line)
	}
}

func (s *sheet) closed(points []point, c color.NRGBA) {
	low, high := points[0], points[0]
	for _, p := range points {
		low = point{min(low.x, p.x), min(low.y, p.y)}
		high = point{max(high.x, p.x), max(high.y, p.y)}
	}
	s.fill(low.x, low.y, high.x, high.y, c, func(p *pen) {
		p.move(points[0].x, points[0].y)
		for _, q := range points[1:] {
			p.line(q.x, q.y)
		}
	})
}

// pen draws an outline within a box of the picture.
type pen struct {
	to         *vector.Rasterizer
	left, high float64
}

func (p *pen) move(x, y float64) { p.to.MoveTo(float32(x-p.left), float32(y-p.high)) }
func (p *pen) line(x, y float64) { p.to.LineTo(float32(x-p.left), float32(y-p.high)) }
func (p *pen) curve(a, b, c point) {
	p.to.CubeTo(float32(a.x-p.left), float32(a.y-p.high), float32(b.x-p.left), float32(b.y-p.high), float32(c.x-p.left), float32(c.y-p.high))
}

// fill fills an outline; the part outside the picture is omitted.
func (s *sheet) fill(x0, y0, x1, y1 float64, c color.NRGBA, draw func(*pen)) {
	box := image.Rect(int(math.Floor(x0)), int(math.Floor(y0)), int(math.Ceil(x1)), int(math.Ceil(y1)))
	if !box.In(s.image.Bounds()) {
		return
	}
	s.filler.Reset(box.Dx(), box.Dy())
	draw(&pen{&s.filler, float64(box.Min.X), float64(box.Min.Y)})
	s.filler.ClosePath()
	s.filler.Draw(s.image, box, image.NewUniform(c), image.Point{})
}
