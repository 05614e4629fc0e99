package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/protocol"
)

// maxSessions bounds how often one call follows the host into a new session.
const maxSessions = 3

// tries decides what follows a failed attempt.
type tries struct {
	client   *Client
	call     *prepared
	count    int  // failed attempts that used up a try
	sessions int  // changes of session that were followed
	unknown  bool // an attempt may have had an effect
	// last is the error of the attempt before the current one; nil for the first.
	last error
	// shown is the API key of the last attempt, or an earlier one, and rekeyed is set
	// if another key was used for a repeat.
	shown   protocol.Secret
	rekeyed bool
}

// failed handles an attempt's error. It waits and returns nil if the call is to be
// repeated, done if a refusal means that an earlier attempt succeeded, else the
// error to return.
func (t *tries) failed(ctx context.Context, sid string, err error) (done bool, final error) {
	refused, isRefusal := errors.AsType[*protocol.Error](err)
	if isRefusal && refused.Status() == http.StatusUnauthorized && t.unknown && t.call.gone {
		return true, nil
	}
	if ctx.Err() != nil {
		return false, canceled(ctx, t.informative(err))
	}
	if isRefusal {
		switch again, gone := t.newSession(ctx, sid, refused); {
		case gone != nil:
			return false, gone
		case again || t.newAPIKey(ctx, refused):
			return false, nil
		}
	}
	var wait time.Duration
	switch {
	case isRefusal && !t.mayRepeatRefused(refused):
		return false, err
	case isRefusal:
		wait = refused.RetryAfter
	case !t.mayRepeatUnanswered(err):
		return false, err
	}
	return false, t.pause(ctx, wait, err)
}

// newSession reports whether the call is to be repeated at once because its session
// is over and there is another. It returns an error if none can be fetched: the
// host's error about the old session would hide the cause.
func (t *tries) newSession(ctx context.Context, sid string, refused *protocol.Error) (bool, error) {
	c := t.client
	switch {
	case t.sessions >= maxSessions:
		return false, nil
	case refused.Code == protocol.CodeBehind && t.call.world && t.call.minRev == 0:
		// The minimum rev may be of a session that is over.
		sid = c.session.current()
	case sid == "", !c.isOver(refused):
		return false, nil
	}
	t.sessions++
	c.session.forget(sid)
	fresh, err := c.SID(ctx)
	return err == nil && fresh != sid, err
}

// newAPIKey reports whether the call is to be repeated at once because the account
// has another API key than the refused one.
func (t *tries) newAPIKey(ctx context.Context, refused *protocol.Error) bool {
	if t.rekeyed || refused.Code != protocol.CodeAPIKeyInvalid {
		return false
	}
	t.rekeyed = t.client.who.apiKey.replace(ctx, t.shown)
	return t.rekeyed
}

// isOver reports whether a refusal means that the session is over. Hosts of the
// agent-play service send no code.
func (c *Client) isOver(err error) bool {
	refused, ok := errors.AsType[*protocol.Error](err)
	if !ok || refused == nil {
		return false
	}
	return refused.Code == protocol.CodeSIDInvalid || refused.Status() == http.StatusForbidden && c.service != protocol.ServicePlay
}

// mayRepeatRefused reports whether to repeat a refused call.
func (t *tries) mayRepeatRefused(refused *protocol.Error) bool {
	switch status := refused.Status(); {
	case refused.Code == protocol.CodeRepositoryOff, refused.Code == protocol.CodeRecordDamaged, status == http.StatusNotImplemented:
		return false
	case status == http.StatusTooManyRequests:
		return true
	case status >= http.StatusInternalServerError, status == http.StatusRequestTimeout:
		t.unknown = true
		return t.mayRepeatUnknown()
	default:
		return false
	}
}

// mayRepeatUnanswered reports whether to repeat a call after an attempt without an
// answer.
func (t *tries) mayRepeatUnanswered(err error) bool {
	gone, ok := errors.AsType[*UnreachableError](err)
	if !ok || isDistrusted(err) || errors.Is(err, http.ErrSchemeMismatch) {
		return false
	}
	if !gone.Sent {
		return true
	}
	t.unknown = true
	return t.mayRepeatUnknown()
}

// mayRepeatUnknown reports whether to repeat a call whose outcome is unknown. A
// host that is known to keep no idempotency keys could carry it out twice.
func (t *tries) mayRepeatUnknown() bool {
	return t.call.again != repeatKeyed || t.client.keepsKeys()
}

// pause waits before the repeat, or returns the error if no attempt is left.
func (t *tries) pause(ctx context.Context, asked time.Duration, err error) error {
	t.count++
	wait, ok := t.client.retry.Next(t.count, asked)
	if deadline, has := ctx.Deadline(); !ok || has && time.Until(deadline) < wait {
		return err
	}
	t.client.log.DebugContext(ctx, "repeating a request",
		"route", t.call.route(), "failed", t.count, "wait", wait, "reason", err)
	t.last = err
	if !pause.For(ctx, wait) {
		return canceled(ctx, err)
	}
	return nil
}

// informative returns the error to report for an attempt that the end of its context cut
// off: if nothing was sent, the one of the attempt before says more.
func (t *tries) informative(err error) error {
	gone, ok := errors.AsType[*UnreachableError](err)
	if t.last != nil && ok && !gone.Sent && errors.Is(err, context.DeadlineExceeded) {
		return t.last
	}
	return err
}

// canceled adds to the error of the last attempt why the caller canceled the call,
// if so: that is why there is no further attempt.
func canceled(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if !errors.Is(ctx.Err(), context.Canceled) || errors.Is(err, cause) {
		return err
	}
	return fmt.Errorf("%w; the last attempt: %w", cause, err)
}

// ended returns the error of a call whose context ended. A deadline that passed
// without an answer means an unreachable host; a cancellation is the caller's own.
func (c *Client) ended(ctx context.Context, sent bool) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &UnreachableError{Host: c.Host(), Sent: sent, Err: context.DeadlineExceeded}
	}
	return context.Cause(ctx)
}

// maySent reports whether a request may have reached the host although there was no
// answer. It certainly has not if there was no connection, or if the other side is
// not trusted or does not use TLS.
func maySent(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	unconnected := ok && op.Op == "dial"
	return !unconnected && !isDistrusted(err) && !errors.Is(err, http.ErrSchemeMismatch)
}

// readBody reads at most limit bytes and reports whether that was all.
func readBody(r io.Reader, limit int64) (body []byte, whole bool, err error) {
	// A bytes.Buffer doubles, so that a long reply is copied half as often as with
	// io.ReadAll.
	var all bytes.Buffer
	_, err = all.ReadFrom(io.LimitReader(r, limit+1))
	if body = all.Bytes(); int64(len(body)) > limit {
		return body[:limit], false, nil
	}
	return body, true, err //nolint:wrapcheck // the caller says which answer it is of
}
