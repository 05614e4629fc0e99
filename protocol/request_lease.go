package protocol

// HeartbeatRequest renews an agent's lease.
type HeartbeatRequest struct {
	PlayerID     string `json:"playerId"`
	ConnectionID string `json:"connectionId"`
	// LeaseTTLSeconds is clamped when parsed; 0 when absent keeps the term that
	// the lease has.
	LeaseTTLSeconds int `json:"leaseTtlSeconds,omitzero"`
}

// ParseHeartbeat reads the body of `POST /api/play/players/heartbeat`.
func ParseHeartbeat(o Object) (HeartbeatRequest, *Error) {
	f := readFields(o)
	r := HeartbeatRequest{
		PlayerID:        f.agentID("playerId", false),
		ConnectionID:    f.id("connectionId", false),
		LeaseTTLSeconds: f.leaseTTL(0),
	}
	return r, f.err()
}

// DisconnectRequest takes an agent off the map, if ConnectionID is its current
// connection or empty.
type DisconnectRequest struct {
	PlayerID     string `json:"playerId"`
	ConnectionID string `json:"connectionId,omitzero"`
}

// ParseDisconnect reads the body of `POST /api/play/players/disconnect`.
func ParseDisconnect(o Object) (DisconnectRequest, *Error) {
	f := readFields(o)
	r := DisconnectRequest{
		PlayerID:     f.agentID("playerId", false),
		ConnectionID: f.id("connectionId", true),
	}
	return r, f.err()
}
