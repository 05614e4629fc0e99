// Package aql is a small line-oriented language for changing and inspecting a
// world. A program is a list of statements, one on a line:
//
//	CONNECT
//	LET owner = "Ada"
//	CREATE SPACE "Corner shop" DESIGN "bazaar" OWNER $owner INTO shop
//	USE SPACE NODE $shop.nodeId PASSPHRASE $shop.phrase
//	ADD SPACE AMENITY car_wash
//	FETCH OCCUPANTS
//
// Parse parses a text into a Program, Check finds errors before it runs, Format
// prints it and Complete offers possible continuations. Nothing here runs a
// program: the command that does knows the host, the terminal and the files.
//
// A value from the environment, a file or a prompt, and the phrase of a new space,
// is a secret: it can be used as a passphrase only.
package aql

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2/lexer"
)

// Statement is one of the types below. Their tags are the grammar: parsing,
// printing and completion use only the tags.
//
//	parser  the rule, in the notation of participle
//	kind    what the operand names, as messages say it; else it is a value
//	secret  "allowed" where the operand may be a secret
type Statement any

// statements are all types of statements, in the order in which messages list
// their keywords.
var statements = []Statement{
	Connect{}, LetFrom{}, Let{}, CreateSpace{}, UseSpaceNode{}, ChangeAmenity{}, RemoveSpace{}, InspectSpace{}, InspectMainNode{},
	UseAgentNode{}, InspectAgent{}, Send{}, Fetch{}, ShowList{}, Show{},
}

// The kinds of operands that completion and checks know.
const (
	kindValue      = "quoted text or a variable"
	kindAmenity    = "an amenity"
	kindAgent      = "an agent"
	kindSpace      = "a space"
	kindSpaceNode  = "a space node"
	kindContext    = "the name of a context"
	kindEnv        = "the name of an environment variable"
	kindPassphrase = "a passphrase"
)

// Verb is the keywords at the beginning of a statement, in capitals.
type Verb string

// Capture implements participle.Capture.
func (v *Verb) Capture(words []string) error {
	*v = Verb(strings.ToUpper(strings.Join(words, " ")))
	return nil
}

// Operand is a value in a statement: a text or a variable.
type Operand struct {
	Pos lexer.Position
	// Variable is its name with the path to one of its fields, without the $;
	// empty for a text.
	Variable Reference `parser:"@Variable"`
	Text     Text      `parser:"| @(Text | Name | Word)"`
}

// Reference is a variable, with the path to one of its fields: "shop.nodeId".
type Reference string //nolint:recvcheck // Capture changes it, the other methods read it

// Capture implements participle.Capture.
func (r *Reference) Capture(tokens []string) error {
	*r = Reference(tokens[0][len("$"):])
	return nil
}

// Split returns the name of the variable and the path to its field.
func (r Reference) Split() (name string, path []string) {
	parts := strings.Split(string(r), ".")
	return parts[0], parts[1:]
}

// name returns the name of the variable.
func (r Reference) name() string {
	name, _ := r.Split()
	return name
}

// Text is a text without its quotes and escapes.
type Text string

// Capture implements participle.Capture.
func (t *Text) Capture(tokens []string) error {
	*t = Text(tokens[0])
	if strings.HasPrefix(tokens[0], `"`) {
		text, _, _ := unquote(tokens[0]) // the lexer found no mistake in it
		*t = Text(text)
	}
	return nil
}

// Name is a variable that a statement sets.
type Name struct {
	Text string `parser:"@(Name | Keyword)"`
}

// Connect selects the host of the following statements, by its address or the name
// of a context of credentials; without either the default one.
type Connect struct {
	Verb    Verb     `parser:"@'CONNECT'"`
	Context *Operand `parser:"( 'CONTEXT' @@" kind:"the name of a context"`
	Server  *Operand `parser:"| @@ )?" kind:"the address of a host"`
}

// LetFrom sets a variable to a secret. The question is optional.
type LetFrom struct {
	Verb     Verb     `parser:"@'LET'"`
	Name     Name     `parser:"@@ 'FROM'"`
	Env      *Operand `parser:"( 'ENV' @@" kind:"the name of an environment variable"`
	File     *Operand `parser:"| 'FILE' @@" kind:"the path of a file"`
	Prompt   Verb     `parser:"| @'PROMPT'"`
	Question *Operand `parser:"( (?! Name | Word) @@ )? )"`
}

// Let sets a variable. Several values are joined to one text.
type Let struct {
	Verb   Verb      `parser:"@'LET'"`
	Name   Name      `parser:"@@"`
	Values []Operand `parser:"'=' ( (?! Name | Word) @@ )+" secret:"allowed"`
}

// CreateSpace creates a space with its node and a structure on the map. Its clauses
// may be in any order; design and owner are required.
type CreateSpace struct {
	Verb        Verb      `parser:"@('CREATE' 'SPACE')"`
	Name        Operand   `parser:"(?! Name | Word) @@"`
	Design      *Operand  `parser:"( 'DESIGN' (?! Name | Word) @@"`
	Owner       *Operand  `parser:"| 'OWNER' (?! Name | Word) @@"`
	Description *Operand  `parser:"| 'DESCRIPTION' (?! Name | Word) @@"`
	Structure   *Operand  `parser:"| 'STRUCTURE' (?! Name | Word) @@"`
	Amenities   []Operand `parser:"| 'AMENITIES' @@ ( ',' @@ )*" kind:"an amenity"`
	// Keyfile is the file in which the phrase of the space's node is saved.
	Keyfile *Operand `parser:"| 'KEYFILE' @@" kind:"the path of a file"`
	Into    *Name    `parser:"| 'INTO' @@ )*"`
}

// UseSpaceNode selects the space of the following statements about amenities, by
// its node or its own name. Without a passphrase the main node acts for it.
type UseSpaceNode struct {
	Verb       Verb     `parser:"@('USE' 'SPACE' 'NODE')"`
	Node       Operand  `parser:"@@" kind:"a space node"`
	Passphrase *Operand `parser:"( 'PASSPHRASE' (?! Name | Word) @@ )?" kind:"a passphrase" secret:"allowed"`
}

// UseAgentNode selects the agent of the following statements. Without a passphrase
// the agent's own credentials are used, or its main node acts for it.
type UseAgentNode struct {
	Verb       Verb     `parser:"@('USE' 'AGENT' 'NODE')"`
	Node       Operand  `parser:"@@" kind:"an agent"`
	Passphrase *Operand `parser:"( 'PASSPHRASE' (?! Name | Word) @@ )?" kind:"a passphrase" secret:"allowed"`
}

// ChangeAmenity adds an amenity to the space in use, or removes one.
type ChangeAmenity struct {
	Verb    Verb    `parser:"@( ('ADD' | 'REMOVE') 'SPACE' 'AMENITY' )"`
	Amenity Operand `parser:"@@" kind:"an amenity"`
}

// RemoveSpace removes a space, or the one in use.
type RemoveSpace struct {
	Verb  Verb     `parser:"@('REMOVE' 'SPACE')"`
	Space *Operand `parser:"@@?" kind:"a space"`
}

// InspectSpace shows a space, or the one in use.
type InspectSpace struct {
	Verb  Verb     `parser:"@('INSPECT' 'SPACE')"`
	Space *Operand `parser:"@@?" kind:"a space"`
	Into  *Name    `parser:"( 'INTO' @@ )?"`
}

// InspectMainNode shows the main node.
type InspectMainNode struct {
	Verb Verb  `parser:"@('INSPECT' 'MAIN' 'NODE')"`
	Into *Name `parser:"( 'INTO' @@ )?"`
}

// InspectAgent shows an agent, or the one in use.
type InspectAgent struct {
	Verb  Verb     `parser:"@('INSPECT' 'AGENT')"`
	Agent *Operand `parser:"@@?" kind:"an agent"`
	Into  *Name    `parser:"( 'INTO' @@ )?"`
}

// Send sends a chat line as the agent in use.
type Send struct {
	Verb Verb      `parser:"@'SEND'"`
	Text []Operand `parser:"( (?! Name | Word) @@ )+"`
}

// Fetch reads the world.
type Fetch struct {
	Verb Verb  `parser:"@( 'FETCH' ('OCCUPANTS' | 'METADATA' | 'SNAPSHOT') )"`
	Into *Name `parser:"( 'INTO' @@ )?"`
}

// ShowList lists all items of a kind.
type ShowList struct {
	Verb Verb `parser:"@( 'SHOW' ('AGENTS' | 'CONNECTION' | 'SPACES' | 'VARIABLES') )"`
}

// Show shows values, joined to one text if there are several.
type Show struct {
	Verb   Verb      `parser:"@'SHOW'"`
	Values []Operand `parser:"( (?! Name | Word) @@ )+" secret:"allowed"`
}

// verbOf returns the verb of a statement.
func verbOf(s Statement) string { return reflect.ValueOf(s).Field(0).String() }

// eachOperand visits the operands of a statement.
func eachOperand(s Statement, visit func(field reflect.StructField, o *Operand)) {
	if s == nil {
		return
	}
	v := reflect.ValueOf(s)
	for i := range v.NumField() {
		switch value := v.Field(i).Interface().(type) {
		case Operand:
			visit(v.Type().Field(i), &value)
		case *Operand:
			if value != nil {
				visit(v.Type().Field(i), value)
			}
		case []Operand:
			for j := range value {
				visit(v.Type().Field(i), &value[j])
			}
		}
	}
}

// literals returns the keywords and signs in a rule of the grammar.
func literals(rule string) []string {
	var list []string
	for i, part := range strings.Split(rule, "'") {
		if i%2 == 1 {
			list = append(list, part)
		}
	}
	return list
}

// allLiterals are the literals of the whole grammar, each once.
var allLiterals = sync.OnceValue(func() []string {
	var list []string
	for _, s := range statements {
		for field := range reflect.TypeOf(s).Fields() {
			for _, word := range literals(field.Tag.Get("parser")) {
				if !slices.Contains(list, word) {
					list = append(list, word)
				}
			}
		}
	}
	return list
})
