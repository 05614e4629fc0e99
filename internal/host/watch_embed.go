package host

import (
	"slices"

	"github.com/playctl/playctl/protocol"
)

// The headers that a page of an origin in WatchEmbed may send and read beyond those
// that browsers always allow: no credentials but the pass, and no cookie.
const (
	embedRequestHeaders = "content-type, last-event-id, x-play-min-rev, " + protocol.HeaderWatchPass
	embedReplyHeaders   = "retry-after, x-play-rev, x-request-id"
)

// fromEmbed reports whether a page of an origin in WatchEmbed requests a route that
// such pages may read. It needs a pass for every such route.
func (c *call) fromEmbed() bool {
	list := c.host.options.WatchEmbed
	return c.route.embed && len(list) > 0 && slices.Contains(list, c.r.Header.Get("Origin"))
}

// needsPass reports whether a request needs a pass in the header, even on a host
// that checks no credentials.
func (c *call) needsPass() bool {
	return c.fromEmbed() && !slices.Contains(c.host.options.CORSOrigins, c.r.Header.Get("Origin"))
}

// checkSessionOrigin lets pages of origins in WatchEmbed request a session;
// checkSessionKind restricts them to a pass.
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
// origins. Its name must not change, as those pages contain it.
const townScript = "town.js"
