package protocol

import (
	"fmt"
	"slices"
)

// Route describes one route of the contract.
type Route struct {
	Method, Path string
	// ID names the route in the OpenAPI document.
	ID string
	// Group is the tag of the route in the OpenAPI document.
	Group string
	// Extension reports whether other hosts may lack the route.
	Extension bool
	// Callers may use the route. Anyone reports whether it also answers requests without
	// credentials.
	Callers Callers
	Anyone  bool
	// OwnerHash reports whether an agent's id with its owner's hash is accepted.
	OwnerHash bool
	// SID reports whether the query needs the `sid`.
	SID bool
	// APIKey reports whether the API key is checked.
	APIKey bool
	// Repeatable reports whether an idempotency key is accepted.
	Repeatable bool
	// Secret reports whether the reply holds a secret, so that hosts encrypt the copy that
	// they keep for repeats.
	Secret bool
	// Stream reports whether the reply is an event stream.
	Stream bool
	// WithoutRev reports whether the route neither waits for a rev nor states one.
	WithoutRev bool
	// NotFound reports whether the object that the request names may be unknown: 404.
	NotFound bool
	// Query and Headers are the parameters that the fields above do not imply.
	Query, Headers []Parameter
	// Request and Reply are zero values of the types of the body and of the reply; nil if
	// there is none, or none that is a JSON object of the contract. OptionalBody reports
	// whether the body may be absent, which means {}.
	Request, Reply any
	OptionalBody   bool
	// Summary is one sentence for a person, Description the rest. Result describes a
	// successful reply; it is empty if only the OpenAPI document does.
	Summary, Description, Result string
}

// Parameter describes a parameter of a route. Hosts check the values that they use.
type Parameter struct {
	Name, Summary string
	Required      bool
}

// Pattern returns method and path, as http.ServeMux takes them.
func (r *Route) Pattern() string { return r.Method + " " + r.Path }

// The methods of HTTP, so that the contract does not need net/http.
const (
	methodGet    = "GET"
	methodPost   = "POST"
	methodPut    = "PUT"
	methodDelete = "DELETE"
)

const headerIfNoneMatch = "if-none-match"

// The groups of routes.
const (
	GroupWorld      = "world"
	GroupOperations = "operations"
	GroupNodes      = "nodes"
	GroupWatch      = "watch"
	GroupUpkeep     = "upkeep"
)

// Routes returns every route of the contract, those of the world under a service's
// name. Their lists of parameters must not be changed.
func Routes(s Service) []Route { return slices.Concat(s.Routes(), nodeRoutes, upkeepRoutes) }

// Routes returns the routes that have the service's name in their paths.
func (s Service) Routes() []Route {
	return slices.Concat(s.sessionRoutes(), s.mapRoutes(), s.peopleRoutes(), s.pageRoutes(), s.accessRoutes())
}

func (s Service) sessionRoutes() []Route {
	return []Route{
		{
			Method: methodGet, Path: s.Session(), ID: "getSession", Group: GroupWorld, Callers: CallerReaders, APIKey: true,
			Reply: SessionReply{}, Result: "The live session.",
			Summary: "Returns the live session and the capabilities of the host.",
		},
		{
			Method: methodGet, Path: s.Bootstrap(), ID: "getBootstrap", Group: GroupWorld, Callers: CallerNodes | CallerAdmin,
			Anyone: true, WithoutRev: true,
			Headers: []Parameter{
				{Name: HeaderRegistrationToken, Summary: "The registration token, or an invitation's."},
				{Name: HeaderInvitationDigest, Summary: "*Extension.* The lower-case hex SHA-256 of an invitation's token, in place of the token."},
			},
			Reply: BootstrapReply{}, Result: "The root key, from which node ids derive, and who may register.",
			Summary: "Returns the root key, for callers without a node.",
			Description: "If registration is not open, the registration token is required, an invitation's token or its digest, " +
				"or the credentials of a node or the administrator.",
		},
		{
			Method: methodPost, Path: s.Reset(), ID: "resetSession", Group: GroupWorld, Callers: CallerAdmin, SID: true, Repeatable: true,
			Request: EmptyRequest{}, OptionalBody: true, Reply: ResetReply{}, Result: "The new session.",
			Summary:     "Ends the session and starts another.",
			Description: "Agents, placements, leases, spaces, chat lines and journeys are removed; nodes, keys and counts stay.",
		},
		{
			Method: methodGet, Path: s.Snapshot(), ID: "getSnapshot", Group: GroupWorld, Callers: CallerReaders, SID: true,
			Headers: []Parameter{{Name: headerIfNoneMatch, Summary: "The ETag of a snapshot that the caller has."}},
			Reply:   Snapshot{}, Result: "The snapshot.",
			Summary: "Returns the whole world at one rev.",
		},
		{
			Method: methodGet, Path: s.Events(), ID: "streamEvents", Group: GroupWorld, Callers: CallerReaders, SID: true, Stream: true,
			Headers: []Parameter{{Name: HeaderLastEventID, Summary: "Resume after this id. It takes precedence over the query."}},
			Query: []Parameter{
				{Name: QueryLastEventID, Summary: "Resume after this id."},
				{Name: QueryInline, Summary: "With 1, every event that has a notify has the changed nodes as well."},
				{Name: QueryAnswers, Summary: fmt.Sprintf("The agents for which the reader of the stream answers: ids separated by commas, "+
					"at most %d and %d KiB, empty for none; `connection:` and a text stand for all that are held by connections "+
					"whose ids start with it. If every stream of an agent and of its owner states it, others can learn at "+
					"once that nobody answers. It counts for 10 s after the stream has ended.", MaxAnswers, MaxAnswersBytes>>10)},
			},
			Summary: "Streams events, from now on or from a position.",
			Description: fmt.Sprintf("Server-sent events. First come `retry: 2000`, a comment line and a frame that is only `id:`, the "+
				"position before the stream's events. Each event is a frame of `id` (its seq), `event` (its kind) and `data` "+
				"(one line of JSON). A comment line comes after every %d s of silence. A host that cannot serve a stream for "+
				"now answers with only `retry:` and ends; it never answers 429 or 503 here.", MaxStreamSilenceSeconds),
		},
		{
			Method: methodPost, Path: s.RPC(), ID: "rpc", Group: GroupOperations, Callers: CallerNodes | CallerAdmin | CallerWatcher | CallerActor,
			OwnerHash: true, Repeatable: true, NotFound: true, Request: RPCRequest{}, Result: "The reply of the operation.",
			Summary: "Carries out one operation.", Description: "Operations that only read need no sid, and ignore one.",
		},
	}
}

func (s Service) mapRoutes() []Route {
	return []Route{
		{
			Method: methodPost, Path: s.Players(), ID: "registerPlayer", Group: GroupWorld, Callers: CallerPlayers, OwnerHash: true,
			SID: true, APIKey: true, Repeatable: true,
			Request: RegisterRequest{}, Reply: RegisterReply{}, Result: "The agent is on the map.",
			Summary: "Puts an agent on the map, or changes its row in place.",
		},
		{
			Method: methodPost, Path: s.Heartbeat(), ID: "heartbeat", Group: GroupWorld, Callers: CallerPlayers, OwnerHash: true, SID: true,
			Request: HeartbeatRequest{}, Reply: HeartbeatReply{}, Result: "The lease has a full term again.",
			Summary: "Renews an agent's lease.",
		},
		{
			Method: methodPost, Path: s.Disconnect(), ID: "disconnectPlayer", Group: GroupWorld, Callers: CallerPlayers, OwnerHash: true,
			SID: true, Repeatable: true,
			Request: DisconnectRequest{}, Reply: DoneReply{}, Result: "The connection no longer holds the agent.",
			Summary: "Removes an agent from the map.",
		},
		{
			Method: methodPost, Path: s.MCPRegister(), ID: "registerMcp", Group: GroupWorld, Callers: CallerMain, SID: true, APIKey: true,
			Repeatable: true,
			Request:    MCPRegisterRequest{}, Reply: IDReply{}, Result: "The placement's id, the same for the same owner and name.",
			Summary: "Puts an MCP placement on the map, or changes the one with this name.",
		},
		{
			Method: methodPost, Path: s.MCPUnregister(), ID: "unregisterMcp", Group: GroupWorld, Callers: CallerMain, SID: true,
			Repeatable: true,
			Request:    MCPUnregisterRequest{}, Reply: OKReply{}, Result: "Whether there was one.",
			Summary: "Removes an MCP placement from the map.",
		},
		{
			Method: methodPost, Path: s.RemoveOccupant(), ID: "removeOccupant", Group: GroupWorld, Callers: CallerAdmin, SID: true,
			Repeatable: true,
			Request:    RemoveOccupantRequest{}, Reply: OKReply{}, Result: "Whether there was one.",
			Summary: "Removes any occupant from the map.",
		},
	}
}

func (s Service) peopleRoutes() []Route {
	return []Route{
		{
			Method: methodPost, Path: s.AssistTool(), ID: "assistTool", Group: GroupWorld, Callers: CallerAskers, SID: true, Repeatable: true,
			Request: AssistToolRequest{}, Reply: RequestReply{}, Result: "The agent was notified.",
			Summary:     "Calls one of an agent's tools for a person.",
			Description: "It is an intercom command of kind assist from __human__; the answer comes as events.",
		},
		{
			Method: methodPost, Path: s.ProximityAction(), ID: "proximityAction", Group: GroupWorld, Callers: CallerAskers, SID: true,
			Repeatable: true,
			Request:    ProximityActionRequest{}, Reply: DoneReply{}, Result: "Everybody was notified.",
			Summary:     "Signals that somebody came near an agent or a person.",
			Description: "Zones and yields are counted in the agent's row; assist and chat only create a signal.",
		},
		{
			Method: methodPut, Path: s.Person(), ID: "putPerson", Group: GroupWorld, Callers: CallerActor, SID: true,
			Request: PersonRequest{}, Reply: PersonReply{}, Result: "The row, with its cell, and a lease of a full term.",
			Summary:   "Puts the caller's person on the map, changes the row, or renews its lease.",
			Extension: true,
			Description: fmt.Sprintf("Hosts with it have the capability `person`. For a watch cookie of the scope `act`. A call that changes nothing only renews "+
				"the lease. The row changes once in %d s at most, else the answer is `rate_limited`.", MinPersonSeconds),
		},
		{
			Method: methodDelete, Path: s.Person(), ID: "deletePerson", Group: GroupWorld, Callers: CallerActor, SID: true, Repeatable: true,
			Reply: OKReply{}, Result: "Whether there was one.",
			Summary: "Removes the caller's person from the map.", Extension: true,
		},
	}
}

// pageRoutes are the files of the watch page.
func (s Service) pageRoutes() []Route {
	cached := []Parameter{{Name: headerIfNoneMatch, Summary: "The ETag of what the caller has."}}
	return []Route{
		{
			Method: methodGet, Path: s.Watch(), ID: "watchPage", Group: GroupWatch, Anyone: true, WithoutRev: true, Headers: cached,
			Summary:     "Returns the watch page.",
			Description: "It refers to its files as `watch/assets/…`. With a slash at the end, 308 redirects here.",
		},
		{
			Method: methodGet, Path: s.WatchAsset(), ID: "watchAsset", Group: GroupWatch, Anyone: true,
			WithoutRev: true, NotFound: true, Headers: cached,
			Summary: "Returns a file of the watch page.",
		},
		{
			Method: methodGet, Path: s.WatchTown(), ID: "watchTown", Group: GroupWatch, Anyone: true, WithoutRev: true, Headers: cached,
			Extension: true,
			Summary:   "Returns the script that shows the town in other pages.",
			Description: "A module that defines the element `<playctl-town>`. Pages of the origins that the operator listed with " +
				"`serve --watch-embed` may load it.",
		},
		{
			Method: methodGet, Path: s.WatchCard(), ID: "watchCard", Group: GroupWatch, Anyone: true, WithoutRev: true, NotFound: true, Headers: cached,
			Summary: "Returns a picture of a town, for sites that show a link to the page.",
			Description: "A PNG of 1200 by 630 pixels, the same for every world. It exists if watching is public " +
				"(`serve --watch-access public`), else this is 404.",
		},
	}
}

// accessRoutes are the routes that give access to the watch page.
func (s Service) accessRoutes() []Route {
	return []Route{
		{
			Method: methodPost, Path: s.WatchSession(), ID: "createWatchSession", Group: GroupWatch, Callers: CallerWatcher | CallerActor,
			Anyone: true, WithoutRev: true,
			Request: WatchSessionRequest{}, Reply: WatchSessionReply{}, Result: "The caller has a cookie of this scope.",
			Summary: "Gives a browser the cookie to watch with.",
			Description: "With a token, a cookie of the scope `act` that is valid as long as the token. Without, the caller " +
				"keeps a valid cookie, else it gets what is free: on a loopback listener everything, elsewhere what the " +
				"operator made public. With `framed` the reply has a pass instead, with which a page in a frame watches for an " +
				"hour, and there is no cookie.",
		},
		{
			Method: methodGet, Path: s.WatchToken(), ID: "listWatchTokens", Group: GroupWatch, Callers: CallerMain,
			Reply: WatchTokensReply{}, Result: "Those that are still valid.",
			Summary:     "Lists the caller's tokens for the watch page.",
			Extension:   true,
			Description: "The oldest first, without the tokens themselves.",
		},
		{
			Method: methodPost, Path: s.WatchToken(), ID: "createWatchToken", Group: GroupWatch, Callers: CallerMain, SID: true,
			Repeatable: true, Secret: true,
			Request: EmptyRequest{}, OptionalBody: true, Reply: WatchTokenReply{}, Result: "The token. It is shown only this once.",
			Summary:     "Creates a token for a link to the watch page.",
			Description: "The link is `url`, `#token=` and the token. It is valid for 12 hours and ends with the main node.",
		},
		{
			Method: methodDelete, Path: s.WatchToken(), ID: "revokeWatchToken", Group: GroupWatch, Callers: CallerMain, SID: true,
			Repeatable: true,
			Query:      []Parameter{{Name: QueryID, Required: true, Summary: "The token's id."}},
			Reply:      OKReply{}, Result: "ok is false if there is none with that id.",
			Summary:     "Revokes one of the caller's tokens.",
			Extension:   true,
			Description: "Its cookies and their streams end at once.",
		},
	}
}
