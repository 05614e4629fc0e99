package protocol

// The headers of the contract. Header names are not case-sensitive.
const (
	HeaderNodeID            = "x-node-id"
	HeaderNodePassw         = "x-node-passw" //nolint:gosec // G101: the name of a header, not what it holds
	HeaderAPIKey            = "x-api-key"
	HeaderRegistrationToken = "x-registration-token"
	// HeaderInvitationDigest carries the digest of an invitation's token, for a host that is
	// not to get the token yet.
	HeaderInvitationDigest = "x-invitation-digest"
	HeaderIdempotencyKey   = "idempotency-key"
	HeaderRev              = "x-play-rev"
	HeaderMinRev           = "x-play-min-rev"
	HeaderUnconfirmed      = "x-play-unconfirmed-hosts"
	HeaderLastEventID      = "Last-Event-ID"
	// HeaderWatchPass carries the pass of a page in a frame, where browsers send no cookie.
	HeaderWatchPass = "x-watch-pass"
)

// The names of query parameters.
const (
	QuerySID         = "sid"
	QueryLastEventID = "lastEventId"
	QueryInline      = "inline"
	// QueryAnswers declares the agents for which the reader of a stream answers.
	QueryAnswers = "answers"
	// QueryIfAnswering makes intercomCommand fail with agent_not_answering instead of waiting.
	QueryIfAnswering = "ifAnswering"
	QueryAll         = "all"
	QueryUsage       = "usage"
	// QueryAgentBytes, with QueryUsage, requests the bytes of agents' names as well.
	QueryAgentBytes = "agentBytes"
	QueryLabels     = "labels"
	QueryName       = "name"
	// QueryDamaged requests a backup of what can be read of a damaged store.
	QueryDamaged = "damaged"
	QueryID      = "id"
)

// MediaTypeJSON is the type of every body, MediaTypeSSE the type of the stream.
const (
	MediaTypeJSON = "application/json"
	MediaTypeSSE  = "text/event-stream"
	// MediaTypeBackup is the type of a backup.
	MediaTypeBackup = "application/octet-stream"
)

// The routes that have no service name in them.
const (
	PathNodes        = "/api/nodes"
	PathAgentNode    = "/api/nodes/agent-node"
	PathValidateNode = "/api/nodes/validate"
	PathNodeAPIKey   = "/api/nodes/api-key"  //nolint:gosec // G101: a path
	PathNodeAPIKeys  = "/api/nodes/api-keys" //nolint:gosec // G101: a path
	PathNodeLabel    = "/api/nodes/label"
	PathNodeLimits   = "/api/nodes/limits"
	PathInvitations  = "/api/nodes/invitations"
	PathBackup       = "/api/backup"
	PathAgents       = "/api/agents"
	PathHealth       = "/healthz"
	PathReady        = "/readyz"
	PathMetrics      = "/metrics"
	PathOpenAPI      = "/api/openapi.json"
)

// Service is the name in the paths of a world's routes.
type Service string

// The service names that hosts answer under.
const (
	// ServicePlay is the name of the contract.
	ServicePlay Service = "play"
	// ServiceAgentPlay is the name of the agent-play service, for its clients.
	ServiceAgentPlay Service = "agent-play"
)

func (s Service) api(path string) string { return "/api/" + string(s) + path }

// Session returns the path of the session route.
func (s Service) Session() string { return s.api("/session") }

// Reset returns the path of the session's reset.
func (s Service) Reset() string { return s.api("/session/reset") }

// Snapshot returns the path of the snapshot route.
func (s Service) Snapshot() string { return s.api("/snapshot") }

// Events returns the path of the event stream.
func (s Service) Events() string { return s.api("/events") }

// Bootstrap returns the path of the data that a client needs before it has an identity.
func (s Service) Bootstrap() string { return s.api("/bootstrap") }

// Players returns the path of registrations.
func (s Service) Players() string { return s.api("/players") }

// Heartbeat returns the path of heartbeats.
func (s Service) Heartbeat() string { return s.api("/players/heartbeat") }

// Disconnect returns the path of disconnects.
func (s Service) Disconnect() string { return s.api("/players/disconnect") }

// MCPRegister returns the path of MCP registrations.
func (s Service) MCPRegister() string { return s.api("/mcp/register") }

// MCPUnregister returns the path of removals of MCP placements.
func (s Service) MCPUnregister() string { return s.api("/mcp/unregister") }

// RemoveOccupant returns the path of the administrator's removals.
func (s Service) RemoveOccupant() string { return s.api("/occupants/remove") }

// RPC returns the path of the rpc operations.
func (s Service) RPC() string { return s.api("/sdk/rpc") }

// AssistTool returns the path of people's tool calls.
func (s Service) AssistTool() string { return s.api("/assist-tool") }

// ProximityAction returns the path of proximity signals.
func (s Service) ProximityAction() string { return s.api("/proximity-action") }

// Person returns the path of a person's own row.
func (s Service) Person() string { return s.api("/person") }

// Watch returns the path of the watch page.
func (s Service) Watch() string { return "/" + string(s) + "/watch" }

// WatchAssets returns the path of the folder with the page's files.
func (s Service) WatchAssets() string { return s.Watch() + "/assets" }

// These are the names of the wildcards in the path of the page's files.
const (
	AssetBuild = "build"
	AssetName  = "name"
)

// WatchAsset returns the path of the page's files, with wildcards for the build and the
// name.
func (s Service) WatchAsset() string {
	return s.WatchAssets() + "/{" + AssetBuild + "}/{" + AssetName + "}"
}

// WatchCard returns the path of the picture that a link to the page shows.
func (s Service) WatchCard() string { return s.Watch() + "/card.png" }

// WatchTown returns the path of the script that shows the town in pages of other origins.
func (s Service) WatchTown() string { return s.Watch() + "/town.js" }

// WatchCookie returns the name of the page's cookie. Hosts append a suffix, mainly
// the port, to separate the cookies of two hosts with one name, because browsers
// share cookies among ports.
func (s Service) WatchCookie() string { return string(s) + "_watch" }

// WatchSession returns the path that gives the watch page its cookie.
func (s Service) WatchSession() string { return s.Watch() + "/session" }

// WatchToken returns the path that gives a main node a token for the watch page.
func (s Service) WatchToken() string { return s.Watch() + "/token" }

// FanoutChannel returns the pub/sub channel of a host's events.
func (s Service) FanoutChannel(hostID string) string {
	return string(s) + ":" + hostID + ":world:events"
}
