package protocol

// InviteRequest creates an invitation: a registration token for a number of main
// nodes until it expires (extension).
type InviteRequest struct {
	// ExpiresInSeconds is how long the invitation is valid.
	ExpiresInSeconds int `json:"expiresInSeconds,omitzero" rule:"range=MinInvitationSeconds..MaxInvitationSeconds,default=DefaultInvitationSeconds"`
	// Uses is how many main nodes it may create.
	Uses int `json:"uses,omitzero" rule:"range=1..MaxInvitationUses,default=DefaultInvitationUses"`
}

// InviteReply is the reply of `POST /api/nodes/invitations`.
type InviteReply struct {
	// ID names the invitation among the others; it is not secret.
	ID string `json:"id"`
	// Token is the value for x-registration-token. It is shown once: the host keeps
	// only a hash of it.
	Token WireSecret `json:"token"`
	// RootKey is the host's root key.
	RootKey string `json:"rootKey"`
	// URL is the public address that the operator set.
	URL       string `json:"url,omitzero"`
	ExpiresAt string `json:"expiresAt" rule:"form=stamp"`
	Uses      int    `json:"uses" rule:"range=1..MaxInvitationUses"`
}

// InvitationRecord is an invitation as listings show it.
type InvitationRecord struct {
	// ID names the invitation where it is listed and revoked; it is not secret.
	ID string `json:"id"`
	// CreatedBy is the main node that created it; absent if the administrator did.
	CreatedBy string `json:"createdBy,omitzero" rule:"form=hex64"`
	CreatedAt string `json:"createdAt" rule:"form=stamp"`
	ExpiresAt string `json:"expiresAt" rule:"form=stamp"`
	// Uses is how many main nodes it may create.
	Uses int `json:"uses" rule:"range=1..MaxInvitationUses"`
	// Used is how many it has created.
	Used int `json:"used"`
}

// InvitationsReply is the reply of `GET /api/nodes/invitations`.
type InvitationsReply struct {
	Invitations List[InvitationRecord] `json:"invitations"`
}
