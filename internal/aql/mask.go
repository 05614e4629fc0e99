package aql

import (
	"slices"
	"strings"
)

// HoldsSecret reports whether a line of a program has a passphrase written in
// it, be the line right or wrong.
func HoldsSecret(line string) bool { return masked(line) != line }

// masked is a line with its passphrases blotted out, character by character, so
// that columns stay where they are. Only a variable may follow PASSPHRASE
// openly. Without the lexer's help, for the line may be no valid one.
func masked(line string) string {
	const keyword = "PASSPHRASE"
	runes := []rune(line)
	for at := 0; at+len(keyword) <= len(runes); at++ {
		if !strings.EqualFold(string(runes[at:at+len(keyword)]), keyword) {
			continue
		}
		start := at + len(keyword)
		for start < len(runes) && (runes[start] == ' ' || runes[start] == '\t') {
			start++
		}
		if start == len(runes) || runes[start] == '$' {
			continue
		}
		return string(runes[:start]) + strings.Repeat("*", len(runes)-start)
	}
	return line
}

// WithoutSecrets gives those of a session's lines that may be kept: none with a
// passphrase in it, and none that puts a written text into a variable which
// served as a passphrase later.
func WithoutSecrets(lines []string) []string {
	var kept []string
	served := map[string]bool{}
	for _, line := range slices.Backward(lines) {
		parsed, _ := (&Program{}).parseLine(1, line)
		switch s := parsed.Statement.(type) {
		case UseSpaceNode:
			serve(served, s.Passphrase)
		case UseAgentNode:
			serve(served, s.Passphrase)
		case Let:
			if served[s.Name.Text] {
				for i := range s.Values {
					serve(served, &s.Values[i])
				}
				continue
			}
		}
		if !HoldsSecret(line) {
			kept = append(kept, line)
		}
	}
	slices.Reverse(kept)
	return kept
}

func serve(served map[string]bool, o *Operand) {
	if o != nil && o.Variable != "" {
		served[o.Variable] = true
	}
}
