package replay_test

import (
	"testing"

	"github.com/playctl/playctl/internal/store/replay"
)

// Ranks grow with the numbers in steps of an eighth at most, and Least returns the
// least number of a rank.
func TestRanks(t *testing.T) {
	before := replay.RankOf(0)
	if before != 0 || replay.RankOf(-1) != 0 || replay.RankOf(1<<40) <= replay.RankOf(1<<30) {
		t.Errorf("ranks of the ends: %d, %d, %d", before, replay.RankOf(-1), replay.RankOf(1<<40))
	}
	for n := 1; n < 1<<21; n++ {
		rank := replay.RankOf(n)
		if least := rank.Least(); rank < before || rank > before+1 || rank > before != (least == n) || n-least > n/8 {
			t.Fatalf("%d has the rank %d after %d, with the least number %d", n, rank, before, least)
		}
		before = rank
	}
}
