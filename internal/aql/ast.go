package aql

// Program is a parsed text.
type Program struct {
	// Source names the text in messages.
	Source string
	// Lines are all its lines, those without a statement included.
	Lines []Line
	// text are the lines as they were written, for messages.
	text []string
}

// Line is one line of a program.
type Line struct {
	// Number starts at 1.
	Number int
	// Statement is nil on a line without one.
	Statement Statement
	// Comment is the text after "#"; Commented is set where there is one.
	Comment   string
	Commented bool
}

// Statement is one of the types of statements below.
type Statement interface {
	// Pos is where the statement starts.
	Pos() Pos
	// Verb is the statement's keywords, such as "CREATE SPACE".
	Verb() string
	// print writes the statement in its canonical form.
	print(p *printer)
	// check reports what cannot work.
	check(c *checker)
}

// place is where a statement starts.
type place struct{ At Pos }

// Pos implements Statement.
func (p place) Pos() Pos { return p.At }

// Operand is a value as a statement names it: a text, or a variable with the
// path to one of its fields.
type Operand struct {
	At Pos
	// Variable is empty for a text.
	Variable string
	Path     []string
	Text     string
}

// Name is a variable that a statement sets.
type Name struct {
	At   Pos
	Text string
}

// Connect chooses the host that the following statements are for.
type Connect struct {
	place
	// Server is its address and Context the name of a context of credentials;
	// at most one is not nil.
	Server, Context *Operand
}

// Let sets a variable. Several values are joined to one text.
type Let struct {
	place
	Name   Name
	Values []Operand
}

// SecretSource says where a secret comes from.
type SecretSource string

// The sources of LET … FROM.
const (
	SourceEnv    SecretSource = "ENV"
	SourceFile   SecretSource = "FILE"
	SourcePrompt SecretSource = "PROMPT"
)

// LetFrom sets a variable to a secret.
type LetFrom struct {
	place
	Name   Name
	Source SecretSource
	// From is the name of the environment variable, the path of the file, or
	// the question; the last may be nil.
	From *Operand
}

// CreateSpace makes a space with its node and a structure on the map.
type CreateSpace struct {
	place
	Name, Design, Owner Operand
	// What is nil or empty was not given.
	Description, Structure *Operand
	Amenities              []Operand
	// Keyfile is where the phrase of the space's node is saved.
	Keyfile *Operand
	Into    *Name
}

// UseSpaceNode makes the following statements about amenities be of a space.
type UseSpaceNode struct {
	place
	// Node names the space's node, or the space.
	Node Operand
	// Passphrase is nil where the main node acts for the space.
	Passphrase *Operand
}

// UseAgentNode makes the following statements be an agent's.
type UseAgentNode struct {
	place
	Node Operand
	// Passphrase is nil where the agent's own credentials are known, or its
	// main node acts for it.
	Passphrase *Operand
}

// ChangeAmenity gives the used space an amenity, or takes one from it.
type ChangeAmenity struct {
	place
	Remove  bool
	Amenity Operand
}

// RemoveSpace removes a space; Space is nil for the used one.
type RemoveSpace struct {
	place
	Space *Operand
}

// InspectSpace looks at a space; Space is nil for the used one.
type InspectSpace struct {
	place
	Space *Operand
	Into  *Name
}

// InspectMainNode looks at the main node.
type InspectMainNode struct {
	place
	Into *Name
}

// InspectAgent looks at an agent; Agent is nil for the used one.
type InspectAgent struct {
	place
	Agent *Operand
	Into  *Name
}

// Send says something as the used agent.
type Send struct {
	place
	Text []Operand
}

// Fetchable is what FETCH reads.
type Fetchable string

// What FETCH reads.
const (
	FetchOccupants Fetchable = "OCCUPANTS"
	FetchMetadata  Fetchable = "METADATA"
	FetchSnapshot  Fetchable = "SNAPSHOT"
)

// Fetch reads the world.
type Fetch struct {
	place
	What Fetchable
	Into *Name
}

// Showable is what SHOW lists beside values.
type Showable string

// What SHOW lists.
const (
	ShowAgents     Showable = "AGENTS"
	ShowConnection Showable = "CONNECTION"
	ShowSpaces     Showable = "SPACES"
	ShowVariables  Showable = "VARIABLES"
)

// Show shows values, or a list.
type Show struct {
	place
	// What is empty where Values are shown.
	What   Showable
	Values []Operand
}

// Verb implements Statement.
func (Connect) Verb() string { return "CONNECT" }

// Verb implements Statement.
func (Let) Verb() string { return "LET" }

// Verb implements Statement.
func (LetFrom) Verb() string { return "LET" }

// Verb implements Statement.
func (CreateSpace) Verb() string { return "CREATE SPACE" }

// Verb implements Statement.
func (UseSpaceNode) Verb() string { return "USE SPACE NODE" }

// Verb implements Statement.
func (UseAgentNode) Verb() string { return "USE AGENT NODE" }

// Verb implements Statement.
func (s ChangeAmenity) Verb() string {
	if s.Remove {
		return "REMOVE SPACE AMENITY"
	}
	return "ADD SPACE AMENITY"
}

// Verb implements Statement.
func (RemoveSpace) Verb() string { return "REMOVE SPACE" }

// Verb implements Statement.
func (InspectSpace) Verb() string { return "INSPECT SPACE" }

// Verb implements Statement.
func (InspectMainNode) Verb() string { return "INSPECT MAIN NODE" }

// Verb implements Statement.
func (InspectAgent) Verb() string { return "INSPECT AGENT" }

// Verb implements Statement.
func (Send) Verb() string { return "SEND" }

// Verb implements Statement.
func (s Fetch) Verb() string { return "FETCH " + string(s.What) }

// Verb implements Statement.
func (s Show) Verb() string {
	if s.What == "" {
		return "SHOW"
	}
	return "SHOW " + string(s.What)
}
