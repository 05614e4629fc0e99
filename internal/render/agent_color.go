package render

import "hash/fnv"

// agentColors are the colors of agents, as indexes of the 256 colors of terminals:
// those after the first sixteen are the same everywhere, whatever the theme. They
// have medium lightness, to be visible on black and on white, and none is the cyan
// of placements or the yellow of places. The watch page uses the same ones.
var agentColors = [...]uint8{167, 173, 172, 106, 71, 36, 67, 69, 98, 134, 169, 161}

// agentColor returns the index of an agent's color in agentColors. It depends on
// the agent's id only, so that an agent looks the same in every terminal and on the
// watch page.
func agentColor(agentID string) int {
	return int(lookSeed(agentID) % uint32(len(agentColors)))
}

// lookSeed returns the number that determines an agent's looks: FNV-1a of 32 bits
// of the id (G. Fowler, L. C. Noll, K.-P. Vo), its bits spread by the finalizer of
// MurmurHash3 (Austin Appleby, public domain), because ids that differ in one
// character should look different.
func lookSeed(id string) uint32 {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(id))
	h := sum.Sum32()
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}
