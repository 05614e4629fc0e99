package world

import (
	"hash/fnv"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// cell is a position on the map.
type cell struct{ x, y int64 }

// grid is the size of the map, from (0, 0). It grows and never shrinks, until a
// new session starts.
type grid struct{ width, height int64 }

// smallestGrid is the least size that the protocol allows.
var smallestGrid = grid{width: 20, height: 12}

// fullness is the share of taken cells, in percent, past which the map grows:
// below it a free cell is found after a few tries, and occupants stay apart.
const fullness = 60

func gridOf(h *store.Header) grid {
	return grid{width: h.MaxX - h.MinX + 1, height: h.MaxY - h.MinY + 1}
}

func (g grid) header(sid string) *store.Header {
	return &store.Header{SID: sid, MaxX: g.width - 1, MaxY: g.height - 1}
}

// grown returns the size that holds n occupants.
func (g grid) grown(n int) grid {
	for step := int64(1); int64(n)*100 > g.width*g.height*fullness; step++ {
		if next := (grid{smallestGrid.width * step, smallestGrid.height * step}); next.width > g.width {
			g = next
		}
	}
	return g
}

// place picks the cell of a new row: where the hash of its key points, or the
// next free one from there. The same rows in the same order always get the same
// cells.
func (g grid) place(key string, taken func(cell) bool) cell {
	h := fnv.New64a()
	_, _ = h.Write([]byte(key))
	size := uint64(g.width) * uint64(g.height)
	// A step that shares no factor with the size visits every cell once and
	// spreads neighbors better than walking along a row.
	at, step := mix(h.Sum64())%size, uint64(1)
	for _, s := range [...]uint64{101, 103, 107, 109} {
		if size%s != 0 {
			step = s
			break
		}
	}
	for range size {
		c := cell{x: int64(at % uint64(g.width)), y: int64(at / uint64(g.width))}
		if !taken(c) {
			return c
		}
		at = (at + step) % size
	}
	panic("world: no free cell on a map that is never full")
}

// near returns the wanted cell, or a free one near it: the nearest in the smallest
// square around it that has a free cell, and of equally near ones the first in
// reading order. There must be a free cell.
func (g grid) near(want cell, taken func(cell) bool) cell {
	for radius := range max(g.width, g.height) {
		found, nearest := want, int64(-1)
		for y := max(0, want.y-radius); y <= min(g.height-1, want.y+radius); y++ {
			step := int64(1)
			if y != want.y-radius && y != want.y+radius {
				step = 2 * radius
			}
			for x := want.x - radius; x <= want.x+radius; x += step {
				c := cell{x: x, y: y}
				away := (x-want.x)*(x-want.x) + (y-want.y)*(y-want.y)
				if x >= 0 && x < g.width && (nearest < 0 || away < nearest) && !taken(c) {
					found, nearest = c, away
				}
			}
		}
		if nearest >= 0 {
			return found
		}
	}
	panic("world: no free cell on a map that is never full")
}

// mix spreads the bits of a hash (the finalizer of MurmurHash3, by Austin
// Appleby, public domain): FNV's low bits alone put similar keys side by side.
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

func cellOf(o protocol.Occupant) cell {
	x, y := o.Position()
	return cell{x: int64(x), y: int64(y)}
}
