package aql

// tokenKind says what a token is.
type tokenKind int

const (
	// tokenEnd is the end of the line.
	tokenEnd tokenKind = iota
	// tokenWord is a run of characters without quotes: a keyword, a name, an
	// amenity, an id or an address.
	tokenWord
	// tokenText is a text in quotes.
	tokenText
	// tokenVariable is $name or $name.path.
	tokenVariable
	// tokenEquals is "=".
	tokenEquals
	// tokenComma is ",".
	tokenComma
)

// token is one piece of a line.
type token struct {
	kind tokenKind
	pos  Pos
	// text is the word, or the text without quotes and escapes.
	text string
	// name and path are those of a variable.
	name string
	path []string
}

// described is the token as a message names it. It never tells the content of a
// text, which may be a passphrase at the wrong place.
func (t token) described() string {
	switch t.kind {
	case tokenWord:
		return quoted(t.text)
	case tokenText:
		return "a text in quotes"
	case tokenVariable:
		return "$" + t.name
	case tokenEquals:
		return `"="`
	case tokenComma:
		return `","`
	case tokenEnd:
	}
	return "the end of the line"
}

// longestQuoted is how much of a word a message repeats.
const longestQuoted = 40

// quoted is a word for a message.
func quoted(word string) string {
	runes := []rune(word)
	if len(runes) > longestQuoted {
		return `"` + string(runes[:longestQuoted]) + `…"`
	}
	return `"` + word + `"`
}
