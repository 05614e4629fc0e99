package protocol

// labelsParameter requests the labels that an account gave.
var labelsParameter = Parameter{Name: QueryLabels, Summary: "True for the labels that the account gave (extension)."}

// nodeRoutes are the routes of identities and of backups, which belong to no session.
var nodeRoutes = []Route{
	{
		Method: methodPost, Path: PathNodes, ID: "createNode", Group: GroupNodes, Callers: CallerMain, Anyone: true, Repeatable: true,
		Secret: true, NotFound: true,
		Headers: []Parameter{{Name: HeaderRegistrationToken, Summary: "Needed for a main node if the operator requires it."}},
		Request: CreateNodeRequest{}, Reply: CreateNodeReply{},
		Result:  "The node exists. The secrets in the reply are shown only this once.",
		Summary: "Creates a main node, or the node of a space that the caller created.",
	},
	{
		Method: methodGet, Path: PathNodes, ID: "listNodes", Group: GroupNodes, Callers: CallerMain | CallerAdmin,
		Query: []Parameter{
			{Name: QueryAll, Summary: "True, from the administrator, for every node."},
			{Name: QueryUsage, Summary: "True, with all, for the usage of each account and its own limits (extension)."},
			{Name: QueryAgentBytes, Summary: "True, with usage, for the bytes of agents' names of each account as well (extension)."},
			labelsParameter,
		},
		Reply: NodesReply{}, Result: "The nodes. Never a hash.",
		Summary: "Lists the caller's account, or for the administrator every node.",
	},
	{
		Method: methodDelete, Path: PathNodes, ID: "deleteNode", Group: GroupNodes, Callers: CallerMain | CallerAdmin, Repeatable: true,
		NotFound: true,
		Request:  DeleteNodeRequest{}, Reply: DeleteNodeReply{}, Result: "The node is deleted.",
		Summary: "Deletes the calling main node with everything it owns, or for the administrator any node.",
	},
	{
		Method: methodPost, Path: PathAgentNode, ID: "createAgentNode", Group: GroupNodes, Callers: CallerMain, Repeatable: true,
		Request: CreateAgentNodeRequest{}, Reply: AgentNodeReply{}, Result: "The agent node exists.",
		Summary: "Creates an agent node of the calling main node.",
	},
	{
		Method: methodPost, Path: PathValidateNode, ID: "validateNode", Group: GroupNodes, Callers: CallerNodes | CallerAdmin,
		OwnerHash: true,
		Request:   ValidateRequest{}, Reply: ValidateReply{}, Result: "The node has them.",
		Summary: "Reports whether a node has the kind, the parent and the root key that the caller expects.",
	},
	{
		Method: methodPost, Path: PathNodeAPIKey, ID: "replaceApiKey", Group: GroupNodes, Callers: CallerMain, Repeatable: true,
		Secret:  true,
		Request: EmptyRequest{}, OptionalBody: true, Reply: APIKeyReply{}, Result: "The new key, shown only this once.",
		Summary: "Replaces the API key of the calling main node. The old one is invalid from then on.",
	},
	{
		Method: methodPost, Path: PathNodeLimits, ID: "limitNode", Group: GroupNodes, Callers: CallerAdmin, Repeatable: true, NotFound: true,
		Request: NodeLimitsRequest{}, Reply: NodeLimitsReply{}, Result: "The account's own limits.",
		Extension: true,
		Summary:   "Gives a main node limits of its own, as the administrator.",
	},
	{
		Method: methodGet, Path: PathNodeAPIKeys, ID: "listApiKeys", Group: GroupNodes, Callers: CallerMain,
		Reply: KeysReply{}, Result: "The keys, including expired ones.",
		Summary:     "Lists the API keys of the calling main node.",
		Extension:   true,
		Description: "The default key first, then the others in the order of their creation. Never a key or a hash.",
	},
	{
		Method: methodPost, Path: PathNodeAPIKeys, ID: "createApiKey", Group: GroupNodes, Callers: CallerMain, Repeatable: true,
		Secret:  true,
		Request: CreateKeyRequest{}, Reply: CreateKeyReply{}, Result: "The new key, shown only this once.",
		Summary: "Creates one more API key of the calling main node. The others stay valid.", Extension: true,
	},
	{
		Method: methodDelete, Path: PathNodeAPIKeys, ID: "revokeApiKey", Group: GroupNodes, Callers: CallerMain, Repeatable: true,
		Query: []Parameter{{Name: QueryName, Required: true, Summary: "The key's name."}},
		Reply: OKReply{}, Result: "ok is false if there is none with that name.",
		Summary:     "Revokes one API key of the calling main node, on every host.",
		Extension:   true,
		Description: "The name of the first one is default.",
	},
	{
		Method: methodPost, Path: PathNodeLabel, ID: "labelNode", Group: GroupNodes, Callers: CallerMain, Repeatable: true,
		Request: LabelRequest{}, Reply: LabelReply{}, Result: "The node's label.",
		Summary:   "Sets or removes the label of the calling main node or one of its agents.",
		Extension: true,
		Description: "Only the account and the administrator see labels, if they ask with labels=true; labels are in no " +
			"row, event or log. No two agents of an account have the same.",
	},
	{
		Method: methodPost, Path: PathInvitations, ID: "invite", Group: GroupNodes, Callers: CallerMain | CallerAdmin, Repeatable: true,
		Secret:  true,
		Request: InviteRequest{}, OptionalBody: true, Reply: InviteReply{}, Result: "The invitation, with its token, shown only this once.",
		Summary:   "Creates an invitation. Its token creates main nodes until it is used up or expires.",
		Extension: true,
		Description: "For the administrator, and for main nodes if the operator allows it. The token goes into " +
			"`x-registration-token`, also if registration is closed; if it is open the token is ignored. It is used up in the " +
			"same change that creates the node.",
	},
	{
		Method: methodGet, Path: PathInvitations, ID: "listInvitations", Group: GroupNodes, Callers: CallerMain | CallerAdmin,
		Reply: InvitationsReply{}, Result: "The invitations.",
		Summary:     "Lists the caller's invitations, or for the administrator all of them.",
		Extension:   true,
		Description: "The oldest first, until a week after they expired, without the tokens.",
	},
	{
		Method: methodDelete, Path: PathInvitations, ID: "revokeInvitation", Group: GroupNodes, Callers: CallerMain | CallerAdmin,
		Repeatable: true,
		Query:      []Parameter{{Name: QueryID, Required: true, Summary: "The invitation's id."}},
		Reply:      OKReply{}, Result: "ok is false if there is none with that id.",
		Summary:     "Revokes an invitation; a main node one of its own.",
		Extension:   true,
		Description: "The accounts that it created stay.",
	},
	{
		Method: methodGet, Path: PathBackup, ID: "backUp", Group: GroupNodes, Callers: CallerAdmin, NotFound: true,
		Query:     []Parameter{{Name: QueryDamaged, Summary: "True for what can be read of a damaged store."}},
		Summary:   "Streams a backup of the world at one moment, as the administrator.",
		Extension: true,
		Description: "Writes continue meanwhile. There is one backup at a time; a second request gets `overloaded`. All of the " +
			"store is checked first; for a damaged one the reply is `record_damaged`. A backup ends with a checksum: without it, " +
			"it is incomplete and cannot be restored.",
	},
	{
		Method: methodGet, Path: PathAgents, ID: "listAgents", Group: GroupNodes, Callers: CallerMain,
		Query: []Parameter{labelsParameter},
		Reply: AgentsReply{}, Result: "One record for each agent node.",
		Summary: "Lists the calling main node's agents.",
	},
	{
		Method: methodDelete, Path: PathAgents, ID: "deleteAgent", Group: GroupNodes, Callers: CallerMain, Repeatable: true,
		Query: []Parameter{{Name: QueryID, Required: true, Summary: "The agent's node id."}},
		Reply: OKReply{}, Result: "Whether there was one.",
		Summary: "Deletes an agent node of the calling main node, with its record and its occupant.",
	},
	{
		Method: methodPost, Path: PathAgents, ID: "createAgent", Group: GroupNodes, Callers: CallerMain,
		Summary: "Answers `removed`: agent nodes are created at " + PathAgentNode + ".",
	},
}

// upkeepRoutes are for operators and tools. Health and metrics may have a listener of
// their own.
var upkeepRoutes = []Route{
	{
		Method: methodGet, Path: PathHealth, ID: "health", Group: GroupUpkeep, Anyone: true, WithoutRev: true,
		Summary: "Reports that the process answers.",
	},
	{
		Method: methodGet, Path: PathReady, ID: "readiness", Group: GroupUpkeep, Anyone: true, WithoutRev: true,
		Summary: "Reports whether the host serves and its store answers.",
	},
	{
		Method: methodGet, Path: PathMetrics, ID: "metrics", Group: GroupUpkeep, Anyone: true, WithoutRev: true,
		Summary: "Returns measurements in the Prometheus text format.",
	},
	{
		Method: methodGet, Path: PathOpenAPI, ID: "openapi", Group: GroupUpkeep, Anyone: true, WithoutRev: true,
		Summary: "Returns this document.",
	},
}
