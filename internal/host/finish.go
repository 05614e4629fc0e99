package host

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/playctl/playctl/protocol"
)

// finish ends every request: it turns a panic into an error reply, counts the
// request and logs it.
func (h *Host) finish(c *call, panicked any) {
	if panicked != nil {
		h.recovered(c, panicked)
	}
	took := time.Since(c.began)
	h.metrics.request(c.route.path, c.op, c.status, took)
	if h.options.AccessLog && h.log.Enabled(context.Background(), slog.LevelInfo) {
		h.logAccess(c, took)
	}
}

// recovered answers a request whose handler panicked. Where the reply had
// begun, only breaking the connection tells the client that it is not whole.
func (h *Host) recovered(c *call, p any) {
	if p == http.ErrAbortHandler { //nolint:errorlint // net/http compares this panic value by identity as well.
		panic(p)
	}
	h.log.Error("a request made the host panic",
		slog.String("requestId", c.id), slog.String("route", c.route.path), slog.String("op", c.op),
		slog.String("panic", fmt.Sprint(p)), slog.String("stack", string(debug.Stack())))
	if c.status != 0 {
		panic(http.ErrAbortHandler)
	}
	c.refuse(&protocol.Error{Code: protocol.CodeInternal, Message: "the host has a defect: its log has the details under this request's id"})
}

// logAccess writes the request's line. It has no query, because a sid is in it,
// and no header, because secrets are in those.
func (h *Host) logAccess(c *call, took time.Duration) {
	attrs := []slog.Attr{
		slog.String("requestId", c.id),
		slog.String("method", c.r.Method),
		slog.String("path", c.r.URL.Path),
		slog.Int("status", c.status),
		slog.Int("bytes", c.written),
		slog.Duration("took", took),
		slog.String("peer", c.peer.String()),
	}
	if c.op != "" {
		attrs = append(attrs, slog.String("op", c.op))
	}
	switch {
	case c.caller.Admin:
		attrs = append(attrs, slog.String("caller", "administrator"))
	case c.caller.Viewer != "":
		attrs = append(attrs, slog.String("caller", c.caller.Viewer))
	case c.caller.NodeID != "":
		attrs = append(attrs, slog.String("caller", c.caller.NodeID))
	}
	h.log.LogAttrs(c.r.Context(), slog.LevelInfo, "request", attrs...)
}
