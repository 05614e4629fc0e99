package protocol

// Code is the machine-readable name of an error in a reply. Clients decide on
// it and never on its sentence.
type Code string

// The codes of refused requests whose body, query or state does not allow them
// (status 400). A 4xx changes nothing.
const (
	// CodeJSONInvalid: the body is not one strict JSON text.
	CodeJSONInvalid Code = "json_invalid"
	// CodeBodyInvalid: a field is missing or has a value that it cannot have; the sentence names it.
	CodeBodyInvalid Code = "body_invalid"
	// CodeSIDMissing: the route or the operation needs the `sid` in its query.
	CodeSIDMissing Code = "sid_missing"
	// CodeOpUnknown: no such rpc operation.
	CodeOpUnknown Code = "op_unknown"
	// CodeStableKeyUnknown: the text is not a stable key of any kind.
	CodeStableKeyUnknown Code = "stable_key_unknown"
	// CodeChatToolMissing: an agent's toolNames lack `chat_tool`.
	CodeChatToolMissing Code = "chat_tool_missing"
	// CodeToolUnknown: the agent did not register that tool.
	CodeToolUnknown Code = "tool_unknown"
	// CodeLeaseUnknown: the connection does not hold the agent any more; register again.
	CodeLeaseUnknown Code = "lease_unknown"
	// CodePlayerUnknown: the agent is not on the map, or not that main node's.
	CodePlayerUnknown Code = "player_unknown"
	// CodeAgentNotAnswering: no program answers for the agent; only for requests with
	// `ifAnswering=1`.
	CodeAgentNotAnswering Code = "agent_not_answering"
	// CodeRequestUnknown: no open intercom request of that id for that agent.
	CodeRequestUnknown Code = "request_unknown"
	// CodeNodeNotDerivable: the node id does not derive from the passwHash.
	CodeNodeNotDerivable Code = "node_not_derivable"
	// CodeConfirmationMismatch: confirmNodeId is not the node to delete.
	CodeConfirmationMismatch Code = "confirmation_mismatch"
	// CodeOccupantLimit: the map, or your share of it, is full.
	CodeOccupantLimit Code = "occupant_limit"
	// CodeAgentLimit: your account, or the world, has reached the operator's limit of agents.
	CodeAgentLimit Code = "agent_limit"
	// CodePeopleLimit: the map has reached the operator's limit of people.
	CodePeopleLimit Code = "people_limit"
	// CodeAccountLimit: the host has reached the operator's limit of accounts.
	CodeAccountLimit Code = "account_limit"
	// CodeSpaceLimit: your account, or the world, has reached the operator's limit of spaces.
	CodeSpaceLimit Code = "space_limit"
	// CodeMCPLimit: your account, or the world, has reached the operator's limit of MCP placements.
	CodeMCPLimit Code = "mcp_limit"
	// CodeIntercomLimit: your account, or the world, has reached the operator's limit of open intercom requests; wait for answers.
	CodeIntercomLimit Code = "intercom_limit"
	// CodeInvitationLimit: the caller, or the world, has reached the limit of invitations; revoke some.
	CodeInvitationLimit Code = "invitation_limit"
	// CodeAPIKeyLimit: the account has reached the limit of API keys; revoke some.
	CodeAPIKeyLimit Code = "api_key_limit"
	// CodeStorageLimit: the data does not fit within the storage limit of your account or of the world.
	CodeStorageLimit Code = "storage_limit"
	// CodeAmenityLast: a space keeps at least one amenity.
	CodeAmenityLast Code = "amenity_last"
)

// The codes of requests without the necessary rights (401, 403).
const (
	// CodeCredentialsMissing: the route requires credentials.
	CodeCredentialsMissing Code = "credentials_missing"
	// CodeCredentialsInvalid: no such node, or not its secret; or a wrong token.
	CodeCredentialsInvalid Code = "credentials_invalid"
	// CodeAPIKeyInvalid: the account's API key is missing or wrong.
	CodeAPIKeyInvalid Code = "api_key_invalid"
	// CodeSIDInvalid: the session is over; get the new sid from the session route and retry.
	CodeSIDInvalid Code = "sid_invalid"
	// CodeForbidden: the caller neither is nor owns the agent or object that it acts for, or its
	// kind of node may not do this.
	CodeForbidden Code = "forbidden"
	// CodeRegistrationClosed: the host does not create main nodes, or requires a registration
	// token.
	CodeRegistrationClosed Code = "registration_closed"
	// CodeInvitationUsed: the invitation has been used up; ask for another.
	CodeInvitationUsed Code = "invitation_used"
	// CodeInvitationExpired: the invitation has expired; ask for another.
	CodeInvitationExpired Code = "invitation_expired"
	// CodeHostUnknown: the header `Host` is not a name of this host, which requires no credentials.
	CodeHostUnknown Code = "host_unknown"
	// CodeOriginForbidden: a page of another origin sent the request to a host that requires no credentials.
	CodeOriginForbidden Code = "origin_forbidden"
)

// The codes of requests that do not fit the present state (404 to 429).
const (
	// CodeNotFound: no such route or thing.
	CodeNotFound Code = "not_found"
	// CodeSpaceUnknown: no such space.
	CodeSpaceUnknown Code = "space_unknown"
	// CodeMethodNotAllowed: the path exists, but not for this method; see `Allow`.
	CodeMethodNotAllowed Code = "method_not_allowed"
	// CodeNodeExists: a node with this id exists already.
	CodeNodeExists Code = "node_exists"
	// CodeAPIKeyExists: the account has an API key of this name already.
	CodeAPIKeyExists Code = "api_key_exists"
	// CodeLabelExists: another agent of the account has this label.
	CodeLabelExists Code = "label_exists"
	// CodeSpaceExists: a space with this id already exists.
	CodeSpaceExists Code = "space_exists"
	// CodeAmenityExists: the space has that amenity already.
	CodeAmenityExists Code = "amenity_exists"
	// CodeIdempotencyConflict: the key belongs to another request; use a fresh one.
	CodeIdempotencyConflict Code = "idempotency_conflict"
	// CodeRemoved: the route has been replaced by another.
	CodeRemoved Code = "removed"
	// CodeBodyTooLarge: the body is longer than 1 MiB.
	CodeBodyTooLarge Code = "body_too_large"
	// CodeMediaType: the body is not application/json, or has a Content-Encoding.
	CodeMediaType Code = "media_type"
	// CodeRateLimited: too many requests; retry after `Retry-After` seconds.
	CodeRateLimited Code = "rate_limited"
)

// The codes of requests whose outcome is unknown (5xx): retry them with the
// same idempotency key.
const (
	// CodeInternal: an internal error in the host; the details are only in its log, under the request id.
	CodeInternal Code = "internal"
	// CodeRecordDamaged: a part of the store that the request needs is damaged; a retry does not help.
	CodeRecordDamaged Code = "record_damaged"
	// CodeStoreUnavailable: the store cannot be written or read now; retry after `Retry-After` seconds.
	CodeStoreUnavailable Code = "store_unavailable"
	// CodeRepositoryOff: the host runs without a repository.
	CodeRepositoryOff Code = "repository_off"
	// CodeBehind: this host has not yet received the requested rev; retry after `Retry-After` seconds.
	CodeBehind Code = "behind"
	// CodeShuttingDown: the host is stopping; retry after `Retry-After` seconds.
	CodeShuttingDown Code = "shutting_down"
	// CodeOverloaded: the host has no room for the request now; retry after `Retry-After` seconds.
	CodeOverloaded Code = "overloaded"
)

// statusInternal is the status of an error of unknown kind, and the lowest status
// after which the outcome is unknown.
const statusInternal = 500

type codeStatus struct {
	code   Code
	status int
}

// codeTable is the only place that maps codes to statuses (RFC 9110 section 15).
// CodeForStatus returns the first code of a status.
var codeTable = []codeStatus{
	{CodeBodyInvalid, 400},
	{CodeJSONInvalid, 400},
	{CodeSIDMissing, 400},
	{CodeOpUnknown, 400},
	{CodeStableKeyUnknown, 400},
	{CodeChatToolMissing, 400},
	{CodeToolUnknown, 400},
	{CodeLeaseUnknown, 400},
	{CodePlayerUnknown, 400},
	{CodeAgentNotAnswering, 400},
	{CodeRequestUnknown, 400},
	{CodeNodeNotDerivable, 400},
	{CodeConfirmationMismatch, 400},
	{CodeOccupantLimit, 400},
	{CodeAgentLimit, 400},
	{CodePeopleLimit, 400},
	{CodeAccountLimit, 400},
	{CodeSpaceLimit, 400},
	{CodeMCPLimit, 400},
	{CodeIntercomLimit, 400},
	{CodeInvitationLimit, 400},
	{CodeAPIKeyLimit, 400},
	{CodeStorageLimit, 400},
	{CodeAmenityLast, 400},
	{CodeCredentialsInvalid, 401},
	{CodeCredentialsMissing, 401},
	{CodeAPIKeyInvalid, 401},
	{CodeForbidden, 403},
	{CodeSIDInvalid, 403},
	{CodeRegistrationClosed, 403},
	{CodeInvitationUsed, 403},
	{CodeInvitationExpired, 403},
	{CodeHostUnknown, 403},
	{CodeOriginForbidden, 403},
	{CodeNotFound, 404},
	{CodeSpaceUnknown, 404},
	{CodeMethodNotAllowed, 405},
	{CodeNodeExists, 409},
	{CodeAPIKeyExists, 409},
	{CodeLabelExists, 409},
	{CodeSpaceExists, 409},
	{CodeAmenityExists, 409},
	{CodeIdempotencyConflict, 409},
	{CodeRemoved, 410},
	{CodeBodyTooLarge, 413},
	{CodeMediaType, 415},
	{CodeRateLimited, 429},
	{CodeInternal, statusInternal},
	{CodeRecordDamaged, statusInternal},
	{CodeStoreUnavailable, 503},
	{CodeRepositoryOff, 503},
	{CodeBehind, 503},
	{CodeShuttingDown, 503},
	{CodeOverloaded, 503},
}

// Status returns the HTTP status of a code; 500 for a code that this version does
// not know.
func Status(code Code) int {
	for _, e := range codeTable {
		if e.code == code {
			return e.status
		}
	}
	return statusInternal
}

// CodeForStatus returns the code to assume for an error reply that names none, as
// hosts of the agent-play service send it: the most general one of the status; for
// a status without a code, `body_invalid` below 500 and `internal` from 500 on.
func CodeForStatus(status int) Code {
	for _, e := range codeTable {
		if e.status == status {
			return e.code
		}
	}
	if status < statusInternal {
		return CodeBodyInvalid
	}
	return CodeInternal
}

// Codes returns every code of the contract, in the order of their statuses.
func Codes() []Code {
	codes := make([]Code, 0, len(codeTable))
	for _, e := range codeTable {
		codes = append(codes, e.code)
	}
	return codes
}
