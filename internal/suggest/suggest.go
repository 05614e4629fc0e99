// Package suggest finds the word that a person most likely meant.
package suggest

import "strings"

// Nearest returns the candidate that differs least from a word: by at most two
// changes, and by at most a third of the candidate, ignoring case; "" if there is
// none.
func Nearest(word string, candidates []string) string {
	best, least := "", 3
	for _, candidate := range candidates {
		to := []rune(strings.ToUpper(candidate))
		if d := distance([]rune(strings.ToUpper(word)), to); d < least && 3*d <= len(to) {
			best, least = candidate, d
		}
	}
	return best
}

// distance counts the insertions, removals, replacements and swaps of
// neighbors that turn a into b: the optimal string alignment distance, with
// the last three rows of its matrix (F. Damerau, 1964).
func distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			changed := last[j-1]
			if a[i-1] != b[j-1] {
				changed++
			}
			row[j] = min(last[j]+1, row[j-1]+1, changed)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
