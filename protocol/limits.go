package protocol

import "slices"

// Limits of a request. A "character" is a Unicode code point; sizes of JSON values
// are the bytes of their text as sent.
const (
	// MaxBodyBytes is the longest body of a request.
	MaxBodyBytes = 1 << 20
	// MaxDepth is how deep objects and arrays of a body may nest, the body
	// itself counted. The contract sets none; this one bounds every recursion
	// over a row and is far above what tools' arguments need.
	MaxDepth = 256

	// MaxNameChars is the longest name of an agent, an MCP placement, a space,
	// a structure or an owner.
	MaxNameChars = 200
	// MaxTypeChars is the longest type of a registration or its agent.
	MaxTypeChars = 64
	// MaxKindChars is the longest kind.
	MaxKindChars = 16
	// MaxURLChars is the longest URL of an MCP placement.
	MaxURLChars = 2048
	// MaxIDChars is the longest id that a caller chooses.
	MaxIDChars = 128
	// MaxStableKeyChars is the longest stable key that is looked up. The
	// contract sets none; the longest that a row can have is below 300.
	MaxStableKeyChars = 512

	// MaxToolNames is how many tools an agent may register.
	MaxToolNames = 128
	// MaxToolNameChars is the longest name of a tool.
	MaxToolNameChars = 128
	// MaxAssistToolsBytes is the longest JSON of an agent's assistTools.
	MaxAssistToolsBytes = 64 << 10
	// MaxRealtimeInstructionsBytes is the longest realtimeInstructions.
	MaxRealtimeInstructionsBytes = 8 << 10

	// MaxInteractionChars is where an interaction's text is cut.
	MaxInteractionChars = 4000
	// MaxActivityTextChars is where the text of an activity is cut.
	MaxActivityTextChars = 200
	// MaxGroupChars is the longest group of an agent.
	MaxGroupChars = 64
	// MaxStepErrorChars is where the error of a journey's step is cut.
	MaxStepErrorChars = 500
	// MaxJourneySteps is how many steps a journey may have.
	MaxJourneySteps = 500
	// MaxJourneyBytes is the longest JSON of a journey.
	MaxJourneyBytes = 128 << 10

	// MaxIntercomArgsBytes is the longest JSON of an intercom's args.
	MaxIntercomArgsBytes = 64 << 10
	// MaxIntercomResultBytes is the longest JSON of an intercom's result.
	MaxIntercomResultBytes = 64 << 10
	// MaxIntercomTextBytes is the longest text, message or error of an intercom; the
	// contract sets none, and this one equals that of args and result.
	MaxIntercomTextBytes = 64 << 10

	// MaxDescriptionChars is the longest description of a space; the contract
	// sets none.
	MaxDescriptionChars = 4000
	// MaxDesignKeyChars is the longest designKey; the contract sets none.
	MaxDesignKeyChars = 128

	// MaxStableKeys is how many nodes one batch read may request.
	MaxStableKeys = 256
	// MaxAnswers is how many agents a stream may declare as answered by its reader,
	// and how many listAnswering may name.
	MaxAnswers = 128
	// MaxAnswersBytes is the longest value of the parameter `answers`.
	MaxAnswersBytes = 8 << 10
	// DefaultListLimit is the length of a page of a listing if the request names no limit.
	DefaultListLimit = 100
	// MaxListLimit is the longest page of a listing.
	MaxListLimit = 1000
)

// Lease terms in seconds. A requested term is clamped to the first two.
const (
	// MinLeaseTTLSeconds is the shortest term of a lease in seconds.
	MinLeaseTTLSeconds = 5
	// MaxLeaseTTLSeconds is the longest term of a lease in seconds.
	MaxLeaseTTLSeconds = 300
	// DefaultLeaseTTLSeconds is the term of a lease in seconds if a registration names
	// none.
	DefaultLeaseTTLSeconds = 45
)

// Terms of invitations in seconds, and the numbers of main nodes that one may create.
const (
	// MinInvitationSeconds is the shortest term of an invitation in seconds.
	MinInvitationSeconds = 60
	// MaxInvitationSeconds is the longest term of an invitation in seconds: 30 days.
	MaxInvitationSeconds = 30 * 24 * 60 * 60
	// DefaultInvitationSeconds is the term of an invitation in seconds if the request
	// names none: a day.
	DefaultInvitationSeconds = 24 * 60 * 60
	// DefaultInvitationUses is how many main nodes one invitation may create if the
	// request names no number.
	DefaultInvitationUses = 1
	// MaxInvitationUses is how many main nodes one invitation may create at most.
	MaxInvitationUses = 1000
)

// MaxLabelChars is the longest label of a node.
const MaxLabelChars = 64

// Terms of API keys in seconds.
const (
	// MinKeySeconds is the shortest term of an API key in seconds.
	MinKeySeconds = 60
	// MaxKeySeconds is the longest term of an API key in seconds: 10 years of 365 days.
	MaxKeySeconds = 10 * 365 * 24 * 60 * 60
)

// Times of the host in seconds.
const (
	// MaxIntercomSilenceSeconds is how long an agent has to answer a command in seconds;
	// each part of the answer restarts it.
	MaxIntercomSilenceSeconds = 120
	// RepeatSeconds is how long a repeat of an idempotency key or of the requestId of a
	// command is recognized in seconds: a day.
	RepeatSeconds = 24 * 60 * 60
	// MinPersonSeconds is the least time in seconds between two changes of a person's row.
	MinPersonSeconds = 2
	// MaxStreamSilenceSeconds is the silence in seconds after which a host sends a
	// comment in a stream.
	MaxStreamSilenceSeconds = 15
	// MinStreamSeconds is the shortest time in seconds after which a host ends a stream so
	// that its client reconnects.
	MinStreamSeconds = 30 * 60
	// MaxStreamSeconds is the longest time in seconds after which it ends one.
	MaxStreamSeconds = 60 * 60
)

// FlaggedZoneCount is the number of zone signals at which an agent is flagged.
const FlaggedZoneCount = 100

// MaxSafeInteger is the largest integer up to which JSON numbers, being IEEE
// doubles, are exact: 2^53 - 1. Revs and seqs in requests are at most this.
const MaxSafeInteger = 1<<53 - 1

// MaxRootKeyBytes is the longest root key of a validation; the contract sets
// none, and root files hold 64 hex digits.
const MaxRootKeyBytes = 4096

// Limit is a number of the contract with its name.
type Limit struct {
	Name  string
	Value int
}

// Limits returns the numbers that the rules of fields refer to by name, and those
// that clients need to know.
func Limits() []Limit { return slices.Clone(limits) }

var limits = []Limit{
	{"MaxBodyBytes", MaxBodyBytes},
	{"MaxNameChars", MaxNameChars},
	{"MaxTypeChars", MaxTypeChars},
	{"MaxKindChars", MaxKindChars},
	{"MaxURLChars", MaxURLChars},
	{"MaxIDChars", MaxIDChars},
	{"MaxStableKeyChars", MaxStableKeyChars},
	{"MaxToolNames", MaxToolNames},
	{"MaxToolNameChars", MaxToolNameChars},
	{"MaxAssistToolsBytes", MaxAssistToolsBytes},
	{"MaxRealtimeInstructionsBytes", MaxRealtimeInstructionsBytes},
	{"MaxInteractionChars", MaxInteractionChars},
	{"MaxActivityTextChars", MaxActivityTextChars},
	{"MaxGroupChars", MaxGroupChars},
	{"MaxStepErrorChars", MaxStepErrorChars},
	{"MaxJourneySteps", MaxJourneySteps},
	{"MaxJourneyBytes", MaxJourneyBytes},
	{"MaxIntercomArgsBytes", MaxIntercomArgsBytes},
	{"MaxIntercomResultBytes", MaxIntercomResultBytes},
	{"MaxIntercomTextBytes", MaxIntercomTextBytes},
	{"MaxDescriptionChars", MaxDescriptionChars},
	{"MaxDesignKeyChars", MaxDesignKeyChars},
	{"MaxRootKeyBytes", MaxRootKeyBytes},
	{"MaxAnswers", MaxAnswers},
	{"MaxAnswersBytes", MaxAnswersBytes},
	{"MaxStableKeys", MaxStableKeys},
	{"DefaultListLimit", DefaultListLimit},
	{"MaxListLimit", MaxListLimit},
	{"MinLeaseTTLSeconds", MinLeaseTTLSeconds},
	{"MaxLeaseTTLSeconds", MaxLeaseTTLSeconds},
	{"MinInvitationSeconds", MinInvitationSeconds},
	{"MaxInvitationSeconds", MaxInvitationSeconds},
	{"DefaultInvitationSeconds", DefaultInvitationSeconds},
	{"DefaultInvitationUses", DefaultInvitationUses},
	{"MaxInvitationUses", MaxInvitationUses},
	{"MaxLabelChars", MaxLabelChars},
	{"MinKeySeconds", MinKeySeconds},
	{"MaxKeySeconds", MaxKeySeconds},
	{"DefaultLeaseTTLSeconds", DefaultLeaseTTLSeconds},
	{"MaxIntercomSilenceSeconds", MaxIntercomSilenceSeconds},
	{"RepeatSeconds", RepeatSeconds},
	{"MinPersonSeconds", MinPersonSeconds},
	{"MaxStreamSilenceSeconds", MaxStreamSilenceSeconds},
	{"MinStreamSeconds", MinStreamSeconds},
	{"MaxStreamSeconds", MaxStreamSeconds},
	{"FlaggedZoneCount", FlaggedZoneCount},
	{"MaxSafeInteger", MaxSafeInteger},
}
