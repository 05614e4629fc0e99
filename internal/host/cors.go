package host

import (
	"net/http"
	"slices"
)

// What pages of listed origins may send and see beyond what browsers always
// allow. Cookies are not: the watch page has the host's own origin.
const (
	corsRequestHeaders = "authorization, content-type, idempotency-key, if-none-match, last-event-id, x-api-key, x-node-id, " +
		"x-node-passw, x-play-min-rev, x-registration-token"
	corsReplyHeaders = "etag, retry-after, x-play-rev, x-request-id"
	// corsMaxAge is how long, in seconds, a browser may remember a preflight.
	corsMaxAge = "600"
)

// allowOrigin lets a page of a listed origin read the reply. Every other page
// gets no such header, whatever it sends.
func (h *Host) allowOrigin(c *call) {
	if len(h.options.CORSOrigins) == 0 {
		return
	}
	header := c.w.Header()
	header.Add("Vary", "Origin")
	if origin := c.r.Header.Get("Origin"); slices.Contains(h.options.CORSOrigins, origin) {
		header.Set("Access-Control-Allow-Origin", origin)
		header.Set("Access-Control-Expose-Headers", corsReplyHeaders)
	}
}

// preflight answers a browser's question before a request of a listed origin.
func (c *call) preflight(methods string) bool {
	header := c.w.Header()
	if c.r.Method != http.MethodOptions || header.Get("Access-Control-Allow-Origin") == "" ||
		c.r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	header.Set("Access-Control-Allow-Methods", methods)
	header.Set("Access-Control-Allow-Headers", corsRequestHeaders)
	header.Set("Access-Control-Max-Age", corsMaxAge)
	c.begin(http.StatusNoContent)
	return true
}
