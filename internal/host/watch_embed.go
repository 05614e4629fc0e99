package host

import (
	"net/http"
	"slices"

	"github.com/playctl/playctl/protocol"
)

// What a page of an origin in WatchEmbed may send and see beyond what browsers always
// allow: no credentials but the pass, and no cookie.
const (
	embedRequestHeaders = "content-type, last-event-id, x-play-min-rev, " + protocol.HeaderWatchPass
	embedReplyHeaders   = "retry-after, x-play-rev, x-request-id"
)

// fromEmbed reports whether a page of an origin in WatchEmbed asks for what such pages
// may read. What it gets there it gets for a pass only.
func (c *call) fromEmbed() bool {
	list := c.host.options.WatchEmbed
	return c.route.embed && len(list) > 0 && slices.Contains(list, c.r.Header.Get("Origin"))
}

// needsPass reports whether nothing but a pass in the header may let a request in,
// also on a host that asks nobody for credentials.
func (c *call) needsPass() bool {
	return c.fromEmbed() && !slices.Contains(c.host.options.CORSOrigins, c.r.Header.Get("Origin"))
}

// checkSessionOrigin lets pages of origins in WatchEmbed ask for a pass, which
// checkSessionKind holds them to.
func checkSessionOrigin(c *call) error {
	if c.fromEmbed() {
		return nil
	}
	return checkWatchOrigin(c)
}

// checkSessionKind refuses a cookie to a page of another origin.
func checkSessionKind(c *call, request *protocol.WatchSessionRequest) error {
	if request.Framed {
		return nil
	}
	return c.refuseOtherOrigin()
}

// townScript is the script that makes <playctl-town> an element of pages of other
// origins. It keeps its name, as those pages hold it.
const townScript = "town.js"

// embedRoute serves it.
func embedRoute(s protocol.Service) route {
	return route{method: http.MethodGet, path: s.WatchTown(), embed: true, order: []step{func(c *call) error {
		return c.sendPageFile(townScript, cachePage)
	}}}
}
