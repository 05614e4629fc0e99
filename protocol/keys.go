package protocol

// DefaultKeyName is the name of the API key that a main node gets with its account,
// and that `POST /api/nodes/api-key` replaces.
const DefaultKeyName = "default"

// CreateKeyRequest creates one more API key of an account (extension).
type CreateKeyRequest struct {
	// Name is any name except `default` and those of the account's other keys.
	Name string `json:"name" rule:"form=id"`
	// ExpiresInSeconds is how long the key is valid; without limit if absent.
	ExpiresInSeconds int `json:"expiresInSeconds,omitzero" rule:"range=MinKeySeconds..MaxKeySeconds"`
}

// CreateKeyReply is the reply of `POST /api/nodes/api-keys`.
type CreateKeyReply struct {
	Name string `json:"name" rule:"form=id"`
	// APIKey is shown once: the host keeps only a hash.
	APIKey    WireSecret `json:"apiKey"`
	ExpiresAt string     `json:"expiresAt,omitzero" rule:"form=stamp"`
}

// KeyRecord is an API key as listings show it.
type KeyRecord struct {
	// Name names the key within its account.
	Name string `json:"name" rule:"form=id"`
	// CreatedAt is absent for a default key that was created before hosts stored the time.
	CreatedAt string `json:"createdAt,omitzero" rule:"form=stamp"`
	// ExpiresAt is absent for a key that does not expire.
	ExpiresAt string `json:"expiresAt,omitzero" rule:"form=stamp"`
	// LastUsedAt is absent for a key that was never used; it may be an hour behind.
	LastUsedAt string `json:"lastUsedAt,omitzero" rule:"form=stamp"`
}

// KeysReply is the reply of `GET /api/nodes/api-keys`.
type KeysReply struct {
	Keys List[KeyRecord] `json:"keys"`
}

// LabelRequest sets the label of one of the caller's nodes (extension).
type LabelRequest struct {
	// NodeID is one of the caller's agents, or the caller itself if absent.
	NodeID string `json:"nodeId,omitzero" rule:"form=account"`
	// Label is the new label; empty to remove it.
	Label string `json:"label" rule:"blank,chars=MaxLabelChars"`
}

// LabelReply is the reply of `POST /api/nodes/label`.
type LabelReply struct {
	NodeID string `json:"nodeId" rule:"form=hex64"`
	Label  string `json:"label" rule:"blank"`
}
