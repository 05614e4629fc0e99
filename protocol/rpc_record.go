package protocol

// The roles of an interaction.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// RecordInteractionRequest is the payload of recordInteraction.
type RecordInteractionRequest struct {
	PlayerID string `json:"playerId"`
	Role     string `json:"role"`
	// Text is what NormalizeText leaves of it once parsed; "" means that nothing
	// is recorded.
	Text string `json:"text"`
}

// ParseRecordInteraction reads the payload of recordInteraction.
func ParseRecordInteraction(o Object) (RecordInteractionRequest, *Error) {
	f := readFields(o)
	r := RecordInteractionRequest{
		PlayerID: f.agentID("playerId", false),
		Role:     f.oneOf("role", false, RoleUser, RoleAssistant, RoleTool),
		Text:     NormalizeText(f.text("text", textRule{blank: true})),
	}
	return r, f.err()
}

// ListRequest is the payload of listInteractions and listJourneys.
type ListRequest struct {
	// PlayerID restricts the listing to one agent; empty for all.
	PlayerID string `json:"playerId,omitzero"`
	// Limit is 1 to MaxListLimit, DefaultListLimit when absent. A larger one is
	// refused: a page that is silently shorter than asked for looks complete.
	Limit int `json:"limit,omitzero"`
	// BeforeSeq asks for what came before that event; nil for the newest.
	BeforeSeq *uint64 `json:"beforeSeq,omitzero"`
}

// ParseList reads the payload of listInteractions and listJourneys.
func ParseList(o Object) (ListRequest, *Error) {
	f := readFields(o)
	r := ListRequest{
		PlayerID:  f.agentID("playerId", true),
		Limit:     DefaultListLimit,
		BeforeSeq: f.position("beforeSeq"),
	}
	if n, ok := f.integer("limit", true, 1, MaxListLimit); ok {
		r.Limit = int(n)
	}
	return r, f.err()
}

// position reads an optional rev or seq.
func (f fields) position(name string) *uint64 {
	n, ok := f.integer(name, true, 0, MaxSafeInteger)
	if !ok {
		return nil
	}
	p := uint64(n)
	return &p
}
