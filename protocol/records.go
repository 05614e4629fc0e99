package protocol

// RecordInteractionRequest is the payload of recordInteraction.
type RecordInteractionRequest struct {
	PlayerID string `json:"playerId" rule:"form=agent"`
	Role     string `json:"role" rule:"enum=InteractionRole"`
	// Text is trimmed and cut. A blank text is not recorded.
	Text string `json:"text" rule:"form=line,blank"`
}

// RecordInteractionReply is the reply of recordInteraction.
type RecordInteractionReply struct {
	OK bool `json:"ok" rule:"const=true"`
	// Seq is absent if the text was blank and nothing was recorded.
	Seq *uint64 `json:"seq,omitzero"`
}

// Interaction is one recorded chat line.
type Interaction struct {
	PlayerID string `json:"playerId" rule:"form=id"`
	// Role is the role of the speaker.
	Role string `json:"role" rule:"enum=InteractionRole"`
	// Text is the text of the line.
	Text string `json:"text" rule:"chars=MaxInteractionChars"`
	// At is when it was recorded.
	At string `json:"at" rule:"form=stamp"`
	// Seq is the seq of its event.
	Seq uint64 `json:"seq"`
}

// RecordJourneyRequest is the payload of recordJourney. Unknown fields of the
// journey and of its steps are dropped.
type RecordJourneyRequest struct {
	PlayerID string  `json:"playerId" rule:"form=agent"`
	Journey  Journey `json:"journey" rule:"bytes=MaxJourneyBytes"`
}

// RecordJourneyReply is the reply of recordJourney.
type RecordJourneyReply struct {
	OK bool `json:"ok" rule:"const=true"`
	// Rev is absent on hosts that give none.
	Rev *uint64 `json:"rev,omitzero" rule:"sent"`
}

// JourneyRecord is one recorded journey with the places of its steps.
type JourneyRecord struct {
	PlayerID string `json:"playerId" rule:"form=id"`
	// Journey is the journey as it was recorded.
	Journey Journey `json:"journey"`
	// Path has the place of each step.
	Path List[PathStep] `json:"path" rule:"items=1.."`
	// At is when it was recorded.
	At string `json:"at" rule:"form=stamp"`
	// Seq is the seq of its event.
	Seq uint64 `json:"seq"`
}

// ListRequest is the payload of listInteractions and listJourneys.
type ListRequest struct {
	// PlayerID restricts the listing to one agent.
	PlayerID string `json:"playerId,omitzero" rule:"form=agent"`
	// Limit is the length of a page. A larger one is refused: a page that is silently
	// shorter than requested looks complete.
	Limit int `json:"limit,omitzero" rule:"range=1..MaxListLimit,default=DefaultListLimit,last"`
	// BeforeSeq asks for the records before that event.
	BeforeSeq *uint64 `json:"beforeSeq,omitzero"`
}

// InteractionsReply is the reply of listInteractions, newest last.
type InteractionsReply struct {
	Interactions List[Interaction] `json:"interactions" rule:"items=..MaxListLimit"`
	HasMore      bool              `json:"hasMore"`
	// Damaged are the seqs of lines that the page leaves out because they are damaged in
	// the host's store, 0 for one whose seq is not known.
	Damaged []uint64 `json:"damaged,omitempty"`
}

// JourneysReply is the reply of listJourneys, newest last.
type JourneysReply struct {
	Journeys List[JourneyRecord] `json:"journeys" rule:"items=..MaxListLimit"`
	HasMore  bool                `json:"hasMore"`
	// Damaged are the seqs of journeys that the page leaves out because they are damaged
	// in the host's store, 0 for one whose seq is not known.
	Damaged []uint64 `json:"damaged,omitempty"`
}
