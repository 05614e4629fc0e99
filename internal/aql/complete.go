package aql

import (
	"slices"
	"strings"

	"github.com/playctl/playctl/protocol"
)

// Known is what completion can offer beside keywords.
type Known struct {
	// Variables are the names of those that are set.
	Variables []string
	// Agents are labels of agents, Contexts names of contexts.
	Agents, Contexts []string
}

// Complete offers what could follow in a line: words that replace the line from
// start, counted in bytes. A word that must not be extended ends in a blank.
func Complete(line string, known Known) (start int, words []string) {
	start = strings.LastIndexAny(line, " \t,=\"") + 1
	prefix := line[start:]
	before := line[:start]
	quotedWord := strings.HasSuffix(before, `"`) && strings.Count(before, `"`)%2 == 1
	if quotedWord {
		start--
		before = line[:start]
	}
	lexed := lex(1, before)
	if lexed.problem != nil || lexed.commented {
		return start, nil
	}
	p := &parser{tokens: lexed.tokens}
	p.whole()
	if p.peek().kind != tokenEnd {
		return start, nil
	}
	var offers []string
	if !quotedWord {
		offers = p.keywordOffers(prefix)
	}
	for _, kind := range p.wanted {
		offers = append(offers, valueOffers(kind, known)...)
	}
	for _, offer := range offers {
		if strings.HasPrefix(strings.ToUpper(strings.Trim(offer, `"`)), strings.ToUpper(prefix)) && !slices.Contains(words, offer+" ") {
			words = append(words, offer+" ")
		}
	}
	return start, words
}

// keywordOffers are the keywords that could follow, in the case that the person
// writes.
func (p *parser) keywordOffers(prefix string) []string {
	offers := slices.Clone(p.tried)
	if prefix != "" && prefix == strings.ToLower(prefix) {
		for i := range offers {
			offers[i] = strings.ToLower(offers[i])
		}
	}
	return offers
}

// valueOffers are the values of a kind that are known.
func valueOffers(kind operandKind, known Known) []string {
	var offers []string
	switch kind {
	case operandName, operandEnv:
		return nil
	case operandAmenity:
		offers = protocol.Amenities()
	case operandAgent:
		offers = inQuotes(known.Agents)
	case operandContext:
		offers = inQuotes(known.Contexts)
	case operandValue, operandSpace, operandSpaceNode, operandPassphrase, operandFile, operandServer:
	}
	for _, name := range known.Variables {
		offers = append(offers, "$"+name)
	}
	return offers
}

func inQuotes(list []string) []string {
	result := make([]string, len(list))
	for i, text := range list {
		result[i] = quote(text)
	}
	return result
}
