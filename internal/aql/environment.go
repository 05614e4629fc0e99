package aql

import (
	"context"
	"encoding/json"

	"github.com/playctl/playctl/protocol"
)

// Caller calls a host as one node. A *client.Client is one; its documentation
// says what each method does and returns.
type Caller interface {
	// Node is the id of the node that calls, "" for nobody.
	Node() string
	Session(ctx context.Context) (*protocol.SessionReply, error)
	WorldSnapshot(ctx context.Context) (text json.RawMessage, rev uint64, err error)
	Nodes(ctx context.Context) (*protocol.NodesReply, error)
	ValidateNode(ctx context.Context, r protocol.ValidateRequest) (*protocol.ValidateReply, error)
	CreateSpace(ctx context.Context, r *protocol.CreateSpaceRequest) (*protocol.CreateSpaceReply, error)
	ListSpaceNodes(ctx context.Context) (*protocol.SpacesReply, error)
	InspectSpace(ctx context.Context, spaceID string) (*protocol.InspectSpaceReply, error)
	RemoveSpace(ctx context.Context, spaceID string) (*protocol.OKReply, error)
	AddSpaceAmenity(ctx context.Context, r protocol.AmenityRequest) (*protocol.SpaceReply, error)
	RemoveSpaceAmenity(ctx context.Context, r protocol.AmenityRequest) (*protocol.SpaceReply, error)
	RecordInteraction(ctx context.Context, r protocol.RecordInteractionRequest) (*protocol.RecordInteractionReply, error)
}

// Target says which host CONNECT means; all empty is the default one.
type Target struct {
	// Server is the address of a host.
	Server string
	// Context is the name of a context of credentials.
	Context string
}

// Agent is an agent that can be called for.
type Agent struct {
	// ID is its agent node's, Name what a person calls it.
	ID, Name string
	// Caller calls as the agent, or as its owner where Owned is set.
	Caller Caller
	Owned  bool
}

// Connection is a host with the credentials that are known for it.
type Connection interface {
	// Server is the host's address, Context the name of the context of
	// credentials in use, "" for none.
	Server() string
	Context() string
	// Main calls as the main node, or as nobody where there is none.
	Main() Caller
	// As calls as the node with a phrase.
	As(nodeID string, phrase protocol.Secret) (Caller, error)
	// Agent finds an agent by its label, its id or the beginning of its id.
	Agent(ref string) (Agent, error)
	// Close ends the connection.
	Close()
}

// Environment is what a program touches beside the world.
type Environment interface {
	// Connect connects to a host.
	Connect(ctx context.Context, target Target) (Connection, error)
	// Variable is an environment variable, the zero value if it is not set.
	Variable(name string) protocol.Secret
	// File reads a secret from a file.
	File(path string) (protocol.Secret, error)
	// Ask asks the person at the terminal for a secret.
	Ask(ctx context.Context, question string) (protocol.Secret, error)
	// CanSave reports why Save would fail, as far as that can be known before.
	CanSave(path string) error
	// Save saves the phrase of a space's node: in a new file if path is not
	// empty, else wherever it is not lost. It tells the file, "" where the phrase
	// is in no file and Emit shows it.
	Save(spaceID, path string, phrase protocol.Secret) (where string, err error)
	// During does the part of a statement that waits for the host.
	During(ctx context.Context, verb string, work func(ctx context.Context) error) error
	// Warn tells what is doubtful about a program, before it is carried out.
	Warn(warnings LineErrors)
	// Note tells something beside the results.
	Note(text string)
	// Emit takes the result of a statement.
	Emit(result Result) error
}
