package protocol

// RegisterReply is the reply of a registration.
type RegisterReply struct {
	PlayerID string `json:"playerId"`
	// PreviewURL is the watch page.
	PreviewURL      string          `json:"previewUrl"`
	RegisteredAgent RegisteredAgent `json:"registeredAgent"`
	// ConnectionID and LeaseTTLSeconds are nil, and null on the wire, when the
	// registration had no connection.
	ConnectionID    *string `json:"connectionId"`
	LeaseTTLSeconds *int    `json:"leaseTtlSeconds"`
	EnableP2A       string  `json:"enableP2a"`
}

// RegisteredAgent is what the host keeps of an agent across its registrations.
type RegisteredAgent struct {
	AgentID    string       `json:"agentId"`
	Name       string       `json:"name"`
	ToolNames  List[string] `json:"toolNames"`
	ZoneCount  int64        `json:"zoneCount"`
	YieldCount int64        `json:"yieldCount"`
	Flagged    bool         `json:"flagged"`
}

// HeartbeatReply is the reply of a heartbeat; LeaseTTLSeconds is what was
// granted.
type HeartbeatReply struct {
	OK              bool `json:"ok"`
	LeaseTTLSeconds int  `json:"leaseTtlSeconds"`
}
