package aql

import (
	"encoding/json"
	"fmt"

	"github.com/playctl/playctl/protocol"
)

// Result is what one statement gave.
type Result struct {
	// Line is where the statement stands, Verb its keywords.
	Line int
	Verb string
	// Data is one of the types below, or a value where SHOW shows one. It has a
	// JSON form, without secrets.
	Data any
}

// Created is the result of CREATE SPACE.
type Created struct {
	SpaceID string `json:"spaceId"`
	NodeID  string `json:"nodeId"`
	// PhraseFile is where the phrase of the space's node is; empty where it has
	// to be shown.
	PhraseFile string          `json:"phraseFile,omitzero"`
	Structure  json.RawMessage `json:"structure"`
	// Phrase is not part of the JSON form.
	Phrase protocol.Secret `json:"-"`
}

// Changed is the result of changed amenities.
type Changed struct {
	Space protocol.Space `json:"space"`
}

// Removed is the result of REMOVE SPACE.
type Removed struct {
	OK      bool   `json:"ok"`
	SpaceID string `json:"spaceId"`
	Name    string `json:"name"`
}

// InspectedSpace is the result of INSPECT SPACE. Log is absent where the caller
// may not see it.
type InspectedSpace struct {
	Space protocol.Space           `json:"space"`
	Log   []protocol.SpaceLogEntry `json:"log,omitzero"`
}

// InspectedMain is the result of INSPECT MAIN NODE.
type InspectedMain struct {
	GenesisNodeID string                              `json:"genesisNodeId"`
	MainNode      protocol.MainNodeRecord             `json:"mainNode"`
	AgentNodes    protocol.List[protocol.AgentRecord] `json:"agentNodes"`
}

// InspectedAgent is the result of INSPECT AGENT.
type InspectedAgent struct {
	AgentID string `json:"agentId"`
	// Node is the host's record, for agents of the main node that connects.
	Node *protocol.AgentRecord `json:"node,omitzero"`
	// Occupant is the agent's row on the map, absent where it is not there.
	Occupant json.RawMessage `json:"occupant,omitzero"`
}

// Sent is the result of SEND. Seq is absent where the text was blank, so that
// nothing was recorded, and on hosts that do not number events.
type Sent struct {
	PlayerID string  `json:"playerId"`
	Text     string  `json:"text"`
	Seq      *uint64 `json:"seq,omitzero"`
}

// Occupants is the result of FETCH OCCUPANTS: the rows of the map.
type Occupants []json.RawMessage

// Snapshot is the result of FETCH SNAPSHOT, as the host sent it.
type Snapshot json.RawMessage

// MarshalJSON gives the text.
func (s Snapshot) MarshalJSON() ([]byte, error) { return s, nil }

// Metadata is the result of FETCH METADATA: what a snapshot says beside its
// rows. Rev, Seq and the tree's root are absent on hosts without them.
type Metadata struct {
	SID             string          `json:"sid"`
	MainNodeID      string          `json:"mainNodeId"`
	Rev             *uint64         `json:"rev,omitzero"`
	Seq             *uint64         `json:"seq,omitzero"`
	MerkleRootHex   string          `json:"merkleRootHex,omitzero"`
	MerkleLeafCount int             `json:"merkleLeafCount,omitzero"`
	Bounds          protocol.Bounds `json:"bounds"`
	// Counts of rows, the occupants by kind.
	OccupantCounts map[string]int `json:"occupantCounts"`
	SpaceCount     int            `json:"spaceCount"`
}

// SpaceList is the result of SHOW SPACES.
type SpaceList struct {
	Spaces protocol.List[protocol.Space] `json:"spaces"`
}

// AgentList is the result of SHOW AGENTS.
type AgentList struct {
	Agents protocol.List[protocol.AgentRecord] `json:"agents"`
}

// VariableList is the result of SHOW VARIABLES, by name.
type VariableList []Variable

// Variable is one variable of a VariableList. Secrets in Value are replaced.
type Variable struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
}

// ConnectionState is the result of SHOW CONNECTION.
type ConnectionState struct {
	Server   string `json:"server"`
	Context  string `json:"context,omitzero"`
	MainNode string `json:"mainNode,omitzero"`
	// SpaceID and AgentID are of the nodes in use.
	SpaceID string `json:"spaceId,omitzero"`
	AgentID string `json:"agentId,omitzero"`
}

// Shown is a value that SHOW shows, its secrets replaced. Its JSON form is the
// value's.
type Shown struct{ Value any }

// MarshalJSON gives the value.
func (s Shown) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(s.Value)
	if err != nil {
		return nil, fmt.Errorf("show the value: %w", err)
	}
	return text, nil
}
