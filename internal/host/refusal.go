package host

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// statusGone is logged for a client that left before its reply. It is sent to
// nobody; the number is the one that servers commonly log.
const statusGone = 499

// refuse answers with an error, unless the reply has begun.
func (c *call) refuse(err error) {
	if c.status != 0 {
		c.host.log.Error("a request failed after its reply had begun", "requestId", c.id, "error", err)
		panic(http.ErrAbortHandler)
	}
	if c.r.Context().Err() != nil && errors.Is(err, context.Canceled) {
		c.status = statusGone
		return
	}
	e := c.host.refusal(err)
	status := protocol.Status(e.Code)
	if isFailure(e.Code) {
		c.host.log.Error("a request failed",
			slog.String("requestId", c.id), slog.String("route", c.route.path), slog.String("op", c.op),
			slog.String("code", string(e.Code)), slog.Any("error", underlying(err)))
	}
	if e.RetryAfter > 0 {
		seconds := int(math.Ceil(e.RetryAfter.Seconds()))
		c.w.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
	body, err := json.Marshal(e.Body(c.id))
	if err != nil {
		// A body of three strings always marshals.
		panic(err)
	}
	c.write(status, body)
}

// isFailure tells whether an operator must hear of an answer. The other answers of
// 500 and above are what the host was set to say or what a client brought about:
// it could fill the log with them.
func isFailure(code protocol.Code) bool {
	return code == protocol.CodeInternal || code == protocol.CodeStoreUnavailable
}

// isPassing tells whether the same request may succeed a little later.
func isPassing(code protocol.Code) bool {
	return protocol.Status(code) == http.StatusServiceUnavailable && code != protocol.CodeRepositoryOff
}

// underlying is what the log says of an error: its cause where it has one.
func underlying(err error) error {
	if e, ok := errors.AsType[*protocol.Error](err); ok && e.Cause != nil {
		return e.Cause
	}
	return err
}

// refusal turns any error into one that the contract knows. What it does not
// know is a defect, of which a client learns nothing but the request's id.
func (h *Host) refusal(err error) *protocol.Error {
	if e, ok := errors.AsType[*protocol.Error](err); ok {
		if e.RetryAfter == 0 && isPassing(e.Code) {
			later := *e
			later.RetryAfter = time.Second
			return &later
		}
		return e
	}
	switch {
	case errors.Is(err, creds.ErrBusy):
		e := protocol.WrapError(protocol.CodeRateLimited, err, "too many nodes are being created at once: try again in a few seconds")
		e.RetryAfter = 2 * time.Second
		return e
	case errors.Is(err, creds.ErrClosed), h.draining() && errors.Is(err, context.Canceled):
		return protocol.WrapError(protocol.CodeShuttingDown, err, "the host is shutting down")
	}
	return protocol.WrapError(protocol.CodeInternal, err, "the host has a defect: its log has the details under this request's id")
}
