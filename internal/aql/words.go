package aql

import (
	"slices"
	"strings"

	"github.com/playctl/playctl/protocol"
)

// keywords are all words that have a meaning. One that is meant as a value
// stands in quotes.
var keywords = []string{
	"ADD", "AGENT", "AGENTS", "AMENITIES", "AMENITY", "CONNECT", "CONNECTION", "CONTEXT", "CREATE", "DESCRIPTION", "DESIGN",
	"ENV", "FETCH", "FILE", "FROM", "INSPECT", "INTO", "KEYFILE", "LET", "MAIN", "METADATA", "NODE", "OCCUPANTS", "OWNER",
	"PASSPHRASE", "PROMPT", "REMOVE", "SEND", "SHOW", "SNAPSHOT", "SPACE", "SPACES", "STRUCTURE", "USE", "VARIABLES",
}

func isKeyword(word string) bool {
	return slices.ContainsFunc(keywords, func(k string) bool { return strings.EqualFold(k, word) })
}

// anyOf lists words for a sentence: "a, b or c".
func anyOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// unknownAmenity says which amenities there are.
func unknownAmenity(kind string) string {
	return "unknown amenity " + quoted(kind) + "; use " + anyOf(protocol.Amenities())
}

// nearest is the candidate that a person most likely meant: one that differs by
// at most two changes, and by less than half of it; "" if there is none.
func nearest(word string, candidates []string) string {
	best, least := "", 3
	for _, candidate := range candidates {
		d := distance([]rune(strings.ToUpper(word)), []rune(strings.ToUpper(candidate)))
		if d < least && 2*d < len(candidate) {
			best, least = candidate, d
		}
	}
	return best
}

// distance counts the insertions, removals, replacements and swaps of
// neighbours that turn a into b: the optimal string alignment distance, with
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
