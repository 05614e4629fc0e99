package aql

import (
	"slices"
	"strings"

	"github.com/playctl/playctl/protocol"
)

// Known is what completion can offer besides keywords.
type Known struct {
	// Variables are the names of the variables that are set.
	Variables []string
	// Agents, Contexts and Spaces return all names. They are called only if one is
	// expected; nil means none.
	Agents, Contexts, Spaces func() []string
}

// Complete offers what could follow in a line: words that replace the line from
// start, counted in bytes. A word that must not be extended ends in a blank.
func Complete(line string, known Known) (start int, words []string) {
	start = strings.LastIndexAny(line, " \t,=\"") + 1
	prefix := line[start:]
	before := line[:start]
	inQuotes := strings.HasSuffix(before, `"`) && strings.Count(before, `"`)%2 == 1
	if inQuotes {
		start--
		before = line[:start]
	}
	lexed, found := lex(before)
	if found != nil || lexed.commented {
		return start, nil
	}
	expected := expectedAfter(lexed.tokens[:len(lexed.tokens)-1])
	var offers []string
	for _, word := range expected.words {
		if inQuotes {
			break
		}
		if prefix != "" && prefix == strings.ToLower(prefix) {
			word = strings.ToLower(word)
		}
		offers = append(offers, word)
	}
	offers = append(offers, known.values(expected.kind)...)
	for _, offer := range offers {
		if strings.HasPrefix(strings.ToUpper(strings.Trim(offer, `"`)), strings.ToUpper(prefix)) && !slices.Contains(words, offer+" ") {
			words = append(words, offer+" ")
		}
	}
	return start, words
}

// values returns the known values of a kind.
func (k Known) values(kind string) []string {
	var offers []string
	switch kind {
	case "", kindEnv:
		return nil
	case kindAmenity:
		offers = protocol.Amenities()
	case kindAgent:
		offers = quoteAll(k.Agents)
	case kindContext:
		offers = quoteAll(k.Contexts)
	case kindSpace, kindSpaceNode:
		offers = quoteAll(k.Spaces)
	}
	for _, name := range k.Variables {
		offers = append(offers, "$"+name)
	}
	return offers
}

func quoteAll(names func() []string) []string {
	if names == nil {
		return nil
	}
	var result []string
	for _, text := range names() {
		result = append(result, quote(text))
	}
	return result
}
