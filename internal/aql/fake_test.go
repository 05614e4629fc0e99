package aql

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/playctl/playctl/protocol"
)

// fakeWorld is the least that a program can talk to: what the interpreter asks,
// as whom and in which order. What a host makes of it is tested with a host.
type fakeWorld struct {
	// asked are the calls, "caller method arguments".
	asked  []string
	spaces []protocol.Space
	// rows are agents on the map, nodes those of the main node.
	rows  []json.RawMessage
	nodes []protocol.AgentRecord
	// phrases are the right ones, by node id.
	phrases map[string]string
	// refuse makes a method fail.
	refuse map[string]error

	secrets map[string]string
	saved   map[string]string
	results []Result
	notes   []string
	open    int
}

const spacePhrase = "correct horse battery staple"

func newFakeWorld() *fakeWorld {
	return &fakeWorld{
		phrases: map[string]string{"a1": "ada ada"}, refuse: map[string]error{}, secrets: map[string]string{}, saved: map[string]string{},
		nodes: []protocol.AgentRecord{{AgentID: "a1", Name: "Ada"}, {AgentID: "a2cdef", Name: "Bo"}},
		rows: []json.RawMessage{
			json.RawMessage(`{"kind":"agent","agentId":"a1","name":"Ada","x":1}`),
			json.RawMessage(`{"kind":"agent","agentId":"b7ffff","name":"Bo"}`),
			json.RawMessage(`{"kind":"mcp","id":"m","name":"Ada"}`),
		},
	}
}

// fakeCaller calls as one node.
type fakeCaller struct {
	*fakeWorld
	node   string
	phrase string
}

func (c *fakeCaller) did(method string, args ...any) error {
	c.asked = append(c.asked, strings.TrimSuffix(fmt.Sprintln(append([]any{c.node, method}, args...)...), "\n"))
	return c.refuse[method]
}

func (c *fakeCaller) Node() string { return c.node }

func (c *fakeCaller) Session(context.Context) (*protocol.SessionReply, error) {
	return &protocol.SessionReply{SID: "s"}, c.did("session")
}

func (c *fakeCaller) WorldSnapshot(context.Context) (json.RawMessage, uint64, error) {
	snapshot := protocol.Snapshot{SID: "s", MainNodeID: "root"}
	snapshot.WorldMap.Occupants = c.rows
	text, err := json.Marshal(snapshot)
	return text, 0, errors.Join(err, c.did("snapshot"))
}

func (c *fakeCaller) Nodes(context.Context) (*protocol.NodesReply, error) {
	return &protocol.NodesReply{MainNode: protocol.MainNodeRecord{NodeID: "main"}, AgentNodes: c.nodes}, c.did("nodes")
}

func (c *fakeCaller) ValidateNode(_ context.Context, r protocol.ValidateRequest) (*protocol.ValidateReply, error) {
	if err := c.did("validate", r.NodeID); err != nil {
		return nil, err
	}
	if c.phrase != c.phrases[c.node] {
		return nil, protocol.Errorf(protocol.CodeCredentialsInvalid, "the credentials are wrong")
	}
	return &protocol.ValidateReply{OK: r.NodeID != "gone", Reason: protocol.ReasonNodeNotFound}, nil
}

func (c *fakeCaller) CreateSpace(_ context.Context, r *protocol.CreateSpaceRequest) (*protocol.CreateSpaceReply, error) {
	if err := c.did("create", r.Name, r.DesignKey, r.OwnerDisplayName, r.Description, r.StructureName, r.Amenities); err != nil {
		return nil, err
	}
	id := fmt.Sprintf("space%d", len(c.spaces)+1)
	c.spaces = append(c.spaces, protocol.Space{ID: id, Name: r.Name, Amenities: r.Amenities, Owner: protocol.SpaceOwner{NodeID: "node-" + id}})
	c.phrases["node-"+id] = spacePhrase
	return &protocol.CreateSpaceReply{SpaceID: id, NodeID: "node-" + id, Phrase: protocol.NewSecret(spacePhrase).Wire(), Structure: json.RawMessage(`{"x":1}`)}, nil
}

func (c *fakeCaller) ListSpaceNodes(context.Context) (*protocol.SpacesReply, error) {
	return &protocol.SpacesReply{Spaces: c.spaces}, c.did("spaces")
}

func (c *fakeCaller) space(id string) *protocol.Space {
	return &c.spaces[slices.IndexFunc(c.spaces, func(s protocol.Space) bool { return s.ID == id })]
}

func (c *fakeCaller) InspectSpace(_ context.Context, id string) (*protocol.InspectSpaceReply, error) {
	return &protocol.InspectSpaceReply{Space: *c.space(id), Log: []protocol.SpaceLogEntry{{Action: "created"}}}, c.did("inspect", id)
}

func (c *fakeCaller) RemoveSpace(_ context.Context, id string) (*protocol.OKReply, error) {
	c.spaces = slices.DeleteFunc(c.spaces, func(s protocol.Space) bool { return s.ID == id })
	return &protocol.OKReply{OK: true}, c.did("remove", id)
}

func (c *fakeCaller) AddSpaceAmenity(_ context.Context, r protocol.AmenityRequest) (*protocol.SpaceReply, error) {
	return &protocol.SpaceReply{Space: *c.space(r.SpaceID)}, c.did("add", r.SpaceID, r.Kind)
}

func (c *fakeCaller) RemoveSpaceAmenity(_ context.Context, r protocol.AmenityRequest) (*protocol.SpaceReply, error) {
	return &protocol.SpaceReply{Space: *c.space(r.SpaceID)}, c.did("take", r.SpaceID, r.Kind)
}

func (c *fakeCaller) RecordInteraction(_ context.Context, r protocol.RecordInteractionRequest) (*protocol.RecordInteractionReply, error) {
	return &protocol.RecordInteractionReply{OK: true}, c.did("say", r.PlayerID, r.Role, fmt.Sprintf("%q", r.Text))
}

// fakeConnection is a connection to the world at one address.
type fakeConnection struct {
	*fakeWorld
	target Target
}

func (c fakeConnection) Server() string  { return "http://" + c.target.Server }
func (c fakeConnection) Context() string { return c.target.Context }
func (c fakeConnection) Main() Caller    { return &fakeCaller{fakeWorld: c.fakeWorld, node: "main"} }
func (c fakeConnection) Close()          { c.open-- }

func (c fakeConnection) As(node string, phrase protocol.Secret) (Caller, error) {
	return &fakeCaller{fakeWorld: c.fakeWorld, node: node, phrase: phrase.Reveal()}, nil
}

func (c fakeConnection) Agent(ref string) (Agent, error) {
	switch ref {
	case "Ada", "a1":
		return Agent{ID: "a1", Name: "Ada", Caller: &fakeCaller{fakeWorld: c.fakeWorld, node: "a1", phrase: "ada ada"}}, nil
	case "mine", "gone":
		return Agent{ID: ref, Name: ref, Caller: c.Main(), Owned: true}, nil
	}
	return Agent{}, fmt.Errorf("there is no agent %q", ref)
}

func (w *fakeWorld) Connect(_ context.Context, target Target) (Connection, error) {
	if err := w.refuse["connect"]; err != nil {
		return nil, err
	}
	w.open++
	return fakeConnection{w, target}, nil
}

func (w *fakeWorld) Variable(name string) protocol.Secret {
	return protocol.NewSecret(w.secrets["env "+name])
}

func (w *fakeWorld) File(path string) (protocol.Secret, error) {
	return protocol.NewSecret(w.secrets["file "+path]), w.refuse["file"]
}

func (w *fakeWorld) Ask(_ context.Context, question string) (protocol.Secret, error) {
	w.notes = append(w.notes, question)
	return protocol.NewSecret(w.secrets["prompt"]), w.refuse["ask"]
}

func (w *fakeWorld) CanSave(string) error { return w.refuse["can save"] }

func (w *fakeWorld) Save(spaceID, path string, phrase protocol.Secret) (string, error) {
	if path == "" {
		path = spaceID + ".phrase"
	}
	w.saved[path] = phrase.Reveal()
	return path, w.refuse["save"]
}

func (w *fakeWorld) During(ctx context.Context, _ string, work func(context.Context) error) error {
	return work(ctx)
}
func (w *fakeWorld) Note(text string) { w.notes = append(w.notes, text) }

func (w *fakeWorld) Warn(warnings LineErrors) {
	for _, warning := range warnings {
		w.notes = append(w.notes, warning.Error())
	}
}

func (w *fakeWorld) Emit(result Result) error {
	w.results = append(w.results, result)
	return w.refuse["emit"]
}
