package protocol

// WatchSessionRequest asks for the watch page's cookie.
type WatchSessionRequest struct {
	// Token proves the right to act; empty to watch only.
	Token WireSecret `json:"token,omitzero"`
}

// WatchScope is what a watch cookie is good for.
type WatchScope string

// The scopes of watch cookies.
const (
	// WatchScopeWatch reads: session, snapshot, chain, events and listings.
	WatchScopeWatch WatchScope = "watch"
	// WatchScopeAct also sends assist-tool, proximity-action and intercomCommand.
	WatchScopeAct WatchScope = "act"
)

// WatchSessionReply is the reply of `POST /play/watch/session`. The cookie
// itself is in a header that scripts do not see.
type WatchSessionReply struct {
	Scope WatchScope `json:"scope" rule:"enum=WatchScope"`
	// ExpiresAt is when the cookie ends; the page then asks again.
	ExpiresAt string `json:"expiresAt" rule:"form=stamp"`
}

// WatchTokenReply is the reply of `POST /play/watch/token`. A link for a person is
// URL, "#token=" and Token: a fragment is sent to nobody.
type WatchTokenReply struct {
	// Token is shown once: the host keeps only a hash of it.
	Token WireSecret `json:"token"`
	// URL is the watch page.
	URL string `json:"url"`
	// ExpiresAt is when the token ends, and the cookies made from it.
	ExpiresAt string `json:"expiresAt" rule:"form=stamp"`
	// AllAddresses tells that the host listens at every address of its machine,
	// not only at that of URL.
	AllAddresses bool `json:"allAddresses,omitempty"`
}
