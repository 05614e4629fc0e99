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
